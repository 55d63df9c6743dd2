"""A few lines cannot make the service work for ever: what a template stands for is counted before it is expanded."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from calor.plan.nested_templates import LIMIT
from calor.service.errors import ServiceError
from calor.service.quotas import Limits
from calor.types.world import offline_world
from tests.support import api_fixtures as stages
from tests.support.api import Door, Stage, error, open_door, token

ENORMOUS = 1_000_000_000


@pytest.fixture(autouse=True)
def _limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "offline_world", lambda: replace(offline_world(), max_members=50))


@pytest.fixture
def reader(stage: Stage) -> Door:
    stage.commands.quotas.limits = Limits(resources_per_stack=50)
    stage.queries = type(stage.queries)(stage.database, stage.world, max_resources=50)
    return open_door(stage).by(token("bob"))


def template(**resources: Any) -> dict[str, Any]:
    return {"heat_template_version": "2021-04-16", "resources": resources}


def group(count: Any, member: dict[str, Any]) -> dict[str, Any]:
    return {"type": "OS::Heat::ResourceGroup", "properties": {"count": count, "resource_def": member}}


def scaled(size: int) -> dict[str, Any]:
    sizes = {"min_size": 0, "max_size": size, "desired_capacity": size}
    return {
        "type": "OS::Heat::AutoScalingGroup",
        "properties": {**sizes, "resource": {"type": "OS::Heat::None"}},
    }


NONE = {"type": "OS::Heat::None"}


@pytest.mark.parametrize(
    "resource",
    [
        group(ENORMOUS, NONE),
        group(51, NONE),
        group(8, group(8, NONE)),
        group(50, {"type": "two.yaml"}),
        scaled(ENORMOUS),
        {"type": "wide.yaml"},
    ],
)
@pytest.mark.parametrize("path", ["/stacks/preview", "/stacks"])
def test_what_asks_for_too_much_is_refused(reader: Door, resource: dict[str, Any], path: str) -> None:
    files = {
        "two.yaml": template(a=NONE, b=NONE),
        # Each stands for ten of the next: a hundred thousand, of which no more are looked at than are allowed.
        "wide.yaml": template(**{f"r{number}": {"type": "wider.yaml"} for number in range(10)}),
        "wider.yaml": template(**{f"r{number}": {"type": "widest.yaml"} for number in range(100)}),
        "widest.yaml": template(**{f"r{number}": NONE for number in range(100)}),
    }
    body = {"stack_name": "s", "template": template(r=resource), "files": files}
    refused = error(reader("POST", path, body), 400)
    assert refused == {
        "type": LIMIT,
        "message": "Maximum resources per stack exceeded: 50.",
        "traceback": None,
    }


def test_validation_expands_no_more_either(reader: Door) -> None:
    body = {"template": template(r=scaled(ENORMOUS))}
    assert error(reader("POST", "/validate", body), 400)["type"] == LIMIT


def test_what_is_within_the_limit_is_taken(reader: Door) -> None:
    body = {"stack_name": "s", "template": template(r=group(7, group(5, NONE)))}
    assert reader("POST", "/stacks/preview", body).status_code == 200


def test_a_group_whose_size_shows_late_fails(running: Stage) -> None:
    """The engine makes no member of it."""
    live = open_door(running)
    late = template(
        v={"type": "OS::Heat::TestResource", "properties": {"value": str(ENORMOUS)}},
        g=group({"get_attr": ["v", "output"]}, NONE),
    )
    stack = live.settled(live.create("late", late), 60.0)
    assert stack["stack_status"] == "CREATE_FAILED"
    assert "too large" in stack["stack_status_reason"]


def test_a_plan_that_takes_too_long_is_given_up(stage: Stage) -> None:
    stage.commands.quotas.limits = Limits(preview_seconds=5.0)
    now = 0.0
    go_on = stage.commands.quotas.preview_deadline(lambda: now)
    go_on()
    now = 5.1
    with pytest.raises(ServiceError, match="longer than 5 seconds"):
        go_on()


def test_previews_are_held_against_the_deadline(stage: Stage) -> None:
    stage.commands.quotas.limits = Limits(preview_seconds=-1.0)
    body = {"stack_name": "s", "template": template(a=NONE)}
    assert error(open_door(stage)("POST", "/stacks/preview", body), 400)["type"] == LIMIT
