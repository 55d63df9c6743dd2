"""A server that signals without end fills neither the store nor the engine, and is told so."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, ClassVar
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from calor.clouds.errors import Conflict
from calor.engine.view import stored_signals
from calor.language.budget import Sizes
from calor.resources import received_json
from calor.resources.outcomes import ResourceFailed
from calor.service.quotas import Limits
from calor.store import tables
from calor.testing import FakeCloud, FakeContext, run
from calor.types.world import offline_world
from tests.support import api_fixtures as stages
from tests.support.api import PROJECT, Door, Stage, error, open_door
from tests.support.cfn import cfn_app, signer

SIGNALS, BYTES = 5, 20_000
LIMIT = "RequestLimitExceeded"


@pytest.fixture(autouse=True)
def _limited(monkeypatch: pytest.MonkeyPatch) -> None:
    world = replace(offline_world(), sizes=Sizes(value=BYTES))
    monkeypatch.setattr(stages, "offline_world", lambda: world)


@pytest.fixture
def path(stage: Stage) -> str:
    stage.commands.quotas.limits = Limits(signals_per_resource=SIGNALS)
    stack = stage.add_stack("s")
    stage.add_resource(stack, "h", type="OS::Heat::WaitConditionHandle")
    stage.add_resource(stack, "other", type="OS::Heat::WaitConditionHandle")
    return f"/stacks/s/{stack}/resources"


def signal(door: Door, path: str, name: str = "h", **details: Any) -> Any:
    return door("POST", f"{path}/{name}/signal", details)


def test_signals_that_wait_are_so_many(door: Door, path: str) -> None:
    for _ in range(SIGNALS):
        assert signal(door, path).status_code == 200
    refused = error(signal(door, path), 409)
    assert refused["message"] == "Too many signals are waiting for h. Try again later."
    assert signal(door, path, "other").status_code == 200


def test_signals_that_wait_have_so_many_bytes(door: Door, path: str) -> None:
    assert signal(door, path, data="x" * 12_000).status_code == 200
    assert error(signal(door, path, data="x" * 12_000), 409)["message"].endswith("Try again later.")
    assert signal(door, path, data="x").status_code == 200


def test_a_signal_that_is_too_large_is_refused(door: Door, path: str) -> None:
    refused = error(signal(door, path, data="x" * BYTES), 400)
    assert (refused["type"], refused["message"]) == (LIMIT, "A signal may have at most 20,000 bytes.")


@pytest.mark.parametrize(
    "kept", [{str(number): {} for number in range(SIGNALS)}, {"1": {"data": "x" * BYTES}}]
)
def test_a_handle_keeps_so_many(stage: Stage, door: Door, path: str, kept: dict[str, Any]) -> None:
    stack = stage.add_stack("full")
    stage.add_resource(stack, "h", type="OS::Heat::WaitConditionHandle", metadata=kept)
    refused = error(signal(door, f"/stacks/full/{stack}/resources"), 400)
    assert refused["type"] == LIMIT
    assert refused["message"] == "h has reached the maximum of 5 signals, or 20,000 bytes."


def test_signals_that_slip_in_together_are_not_kept(running: Stage) -> None:
    """The engine looks again: what waits was let in before the others were kept."""
    live = open_door(running)
    handle = {"type": "OS::Heat::WaitConditionHandle"}
    template = {"heat_template_version": "2021-04-16", "resources": {"h": handle}}
    stack = running.add_stack("s", template=template)
    running.add_resource(stack, "h", **handle)
    for number in range(3):
        details = {"id": number, "data": "x" * 9_000}
        running.insert(tables.inbox, id=f"i{number}", root=stack, stack=stack, resource="h", details=details)
    running.commands.intents.notify_engines()
    events: list[Any] = []
    while len(events) < 3:
        events = live.get(f"/stacks/s/{stack}/events")["events"]
    (failed,) = (event for event in events if event["resource_status"] == "SIGNAL_FAILED")
    assert "`metadata` is too large" in failed["resource_status_reason"]
    assert set(live.get(f"/stacks/s/{stack}/resources/h/metadata")["metadata"]) == {"0", "1"}


def test_reports_on_deployments_are_bounded(door: Door) -> None:
    config = {"name": "c", "config": "x" * BYTES}
    assert error(door("POST", "/software_configs", config), 400)["type"] == LIMIT
    made = door("POST", "/software_configs", {"name": "c", "config": "x"}).json()["software_config"]["id"]
    asked = {"config_id": made, "server_id": "5b1b6ba4-7a1d-4f1c-8a7b-5d2c6f1f8c11", "status": "IN_PROGRESS"}
    answer = door("POST", "/software_deployments", {**asked, "input_values": {"a": "x" * BYTES}})
    assert error(answer, 400)["message"] == "input_values is too large: it may have at most 20,000 bytes."
    deployment = door("POST", "/software_deployments", asked).json()["software_deployment"]["id"]
    report = {"status": "COMPLETE", "output_values": {"deploy_stdout": "x" * BYTES}}
    assert error(door("PUT", f"/software_deployments/{deployment}", report), 400)["type"] == LIMIT
    report["output_values"] = {"deploy_stdout": "x"}
    assert door("PUT", f"/software_deployments/{deployment}", report).status_code == 200


def test_signals_at_the_wrong_time_are_one_event(stage: Stage, door: Door) -> None:
    """Others would drive out the events of what has happened to the stack."""
    stack = stage.add_stack("s")
    for name in ("h", "other"):
        stage.add_resource(stack, name, type="OS::Heat::WaitConditionHandle", action="SUSPEND")
    for _ in range(3):
        error(signal(door, f"/stacks/s/{stack}/resources"), 400)
    error(signal(door, f"/stacks/s/{stack}/resources", "other"), 400)
    error(signal(door, f"/stacks/s/{stack}/resources"), 400)
    found = door.get(f"/stacks/s/{stack}/events")["events"]
    assert sorted(event["resource_name"] for event in found) == ["h", "other"]
    # What happens in between is news, and so is the next signal after it.
    stage.add_event(stack, "h")
    error(signal(door, f"/stacks/s/{stack}/resources"), 400)
    assert len(door.get(f"/stacks/s/{stack}/resources/h/events")["events"]) == 3


def test_a_server_that_signals_on_does_not_keep_its_stack_from_being_deleted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At a temporary URL of the object store, where each deletion brings back the signal before."""
    monkeypatch.setattr(stored_signals, "_MOST_RESTORED", 5)
    context: Any = FakeContext(services=FakeCloud())
    box, name = context.stack_id, context.physical_name()
    context.services.responses |= {
        f"PUT /{box}": {},
        f"GET /{box}": SimpleNamespace(json=list),
        f"DELETE /{box}/{name}": {},
        f"DELETE /{box}": Conflict("not empty", status=409),
    }
    run(stored_signals.url_for_signals(context, many=True))
    run(stored_signals.remove(context))
    assert context.services.lines(without=("GET", "PUT")) == [
        *[f"DELETE /{box}/{name}"] * 5,
        f"DELETE /{box}",
    ]


class TestContent:
    """What a server signals is stored and shown: it must be what databases store and what can be written again."""

    DEEP: ClassVar = {
        "deeper than programs can walk": b'{"id": 1, "data": ' + b"[" * 970 + b"]" * 970 + b"}",
        "deeper than JSON is read": b'{"data": ' + b'{"a":' * 100_000 + b"1" + b"}" * 100_001,
        "no number": b'{"data": NaN}',
        "a number too large": b'{"data": 1e999}',
        "half a character": b'{"data": "\\ud800"}',
        "NUL": b'{"data": "\\u0000"}',
    }

    @pytest.mark.parametrize("content", DEEP.values(), ids=DEEP)
    def test_by_the_rest_api(self, door: Door, path: str, content: bytes) -> None:
        error(door("POST", f"{path}/h/signal", content=content), 400)

    @pytest.mark.parametrize("content", DEEP.values(), ids=DEEP)
    def test_by_the_cfn_api(self, stage: Stage, path: str, content: bytes) -> None:
        stack = path.split("/")[3]
        client = TestClient(cfn_app(stage, lambda received: signer("u", PROJECT, "member")))
        arn = quote(f"arn:openstack:heat::{PROJECT}:stacks/s/{stack}/resources/h", safe="")
        signed = {"AWSAccessKeyId": "key", "Signature": "s", "SignatureVersion": "2"}
        answer = client.put(f"/v1/waitcondition/{arn}", params=signed, content=content)
        assert answer.status_code == 400, answer.text

    @pytest.mark.parametrize("content", DEEP.values(), ids=DEEP)
    def test_by_the_object_store(self, content: bytes) -> None:
        with pytest.raises(ResourceFailed, match="a signal must be a JSON object"):
            stored_signals._read(content)

    def test_as_deep_as_it_may_be(self, door: Door, path: str) -> None:
        levels = received_json.MOST_LEVELS - 1
        content = b'{"data": ' + b"[" * levels + b"]" * levels + b"}"
        assert door("POST", f"{path}/h/signal", content=content).status_code == 200
        deeper = content.replace(b"[", b"[[", 1).replace(b"]", b"]]", 1)
        error(door("POST", f"{path}/h/signal", content=deeper), 400)
