"""Heat's own validate and preview of a benchmark's template, in one process and without REST.

Runs under the Python of an environment with openstack-heat; see `language.py`. Requests to a cloud or a
database return at once, so that only the work on the template is measured.
"""

import copy
import json
import logging
import sys
import time

from oslo_service import backend

backend.init_backend(backend.BackendType.THREADING)

from heat.common import config, context, environment_format, messaging, policy  # noqa: E402, F401
from heat.db import api as db_api  # noqa: E402
from heat.db import models  # noqa: E402
from heat.engine import resources, service  # noqa: E402
from heat.objects import stack as stack_object  # noqa: E402
from oslo_config import cfg  # noqa: E402
from oslo_db import options  # noqa: E402
from workloads import WORKLOADS  # noqa: E402

ROUNDS = 3
PROJECT = "0" * 32


def prepare() -> service.EngineService:
    logging.disable(logging.CRITICAL)
    cfg.CONF([], project="heat", default_config_files=[], default_config_dirs=[])
    cfg.CONF.set_override("max_resources_per_stack", -1)
    cfg.CONF.set_override("environment_dir", "/nonexistent")
    options.set_defaults(cfg.CONF, connection="sqlite://")
    models.BASE.metadata.create_all(db_api.get_engine())
    messaging.setup("fake://", optional=True)
    resources.initialise()
    policy.ResourceEnforcer.enforce_stack = lambda self, *args, **kwargs: True
    stack_object.Stack.get_by_name = classmethod(lambda cls, *args, **kwargs: None)
    stack_object.Stack.count_all = classmethod(lambda cls, *args, **kwargs: 0)
    engine = service.EngineService("host", "topic")
    engine.resource_enforcer = type("Allow", (), {"enforce_stack": lambda *args, **kwargs: True})()
    return engine


def request_context() -> context.RequestContext:
    return context.RequestContext.from_dict(
        {
            "project_id": PROJECT,
            "tenant_id": PROJECT,
            "user_id": PROJECT,
            "roles": ["member"],
            "is_admin": False,
        }
    )


def empty_environment() -> dict:
    environment: dict = {}
    environment_format.default_for_missing(environment)
    return environment


def main() -> None:
    template = WORKLOADS[sys.argv[1]](int(sys.argv[2]))
    engine = prepare()
    best = float("inf")
    for _ in range(ROUNDS):
        first, second = copy.deepcopy(template), copy.deepcopy(template)
        start = time.perf_counter()
        validated = engine.validate_template(request_context(), first, empty_environment(), {}, None)
        previewed = engine.preview_stack(
            request_context(), "bench", second, empty_environment(), {}, {}, None
        )
        best = min(best, time.perf_counter() - start)
        assert "Error" not in validated, validated
        assert len(previewed["resources"]) == len(template["resources"])
    print(json.dumps({"seconds": round(best, 4)}))


if __name__ == "__main__":
    main()
