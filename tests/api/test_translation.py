"""What the API asks of the use cases for each request. The use cases themselves are stood in for."""

from __future__ import annotations

import json
from typing import Any

import pytest

from calor.service.caller import Caller
from calor.service.commands import NewStack, StackChange
from calor.service.errors import ServiceError
from calor.store import records, tables
from tests.support.api import EMPTY, PROJECT, SMALL, Door, Stage, error, open_door

SNAPSHOT = records.Snapshot("sid", "stack", "p", "n", "CREATE", "COMPLETE", "fine", 0.0, {"name": "s"})
CONFIG = records.SoftwareConfig(
    "cid", "p", "n", "script", {"config": "#!", "inputs": [], "outputs": [], "options": {}}, 0.0
)
DEPLOYMENT = records.SoftwareDeployment(
    "did", "p", "server", "cid", None, {"a": 1}, None, "CREATE", "COMPLETE", "fine", 0.0, None
)


class Recorder:
    """Records the calls of commands, and returns the given answers, by `subject_name`."""

    def __init__(self, _subject: str = "", **answers: Any) -> None:
        self.calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
        self._answers = answers
        self._subject = _subject

    def __getattr__(self, name: str) -> Any:
        if not self._subject:
            subject = Recorder(name, **self._answers)
            subject.calls = self.calls
            return subject
        name = f"{self._subject}_{name}"

        def called(caller: Any, *args: Any, **fields: Any) -> Any:
            self.calls.append((name, args, fields))
            answer = self._answers.get(name)
            if isinstance(answer, Exception):
                raise answer
            return answer

        return called


@pytest.fixture
def stack(stage: Stage) -> str:
    return f"/stacks/s/{stage.add_stack('s')}"


def recording(stage: Stage, recorder: Recorder, **settings: Any) -> Door:
    stage.commands = recorder  # type: ignore[assignment]
    return open_door(stage, **settings)


class TestActions:
    @pytest.mark.parametrize(
        "verb", ["suspend", "resume", "check", "cancel_update", "cancel_without_rollback", "retry"]
    )
    def test_one_at_a_time(self, stage: Stage, stack: str, verb: str) -> None:
        recorder = Recorder()

        answer = recording(stage, recorder)("POST", f"{stack}/actions", {verb: None})

        assert (answer.status_code, answer.json()) == (200, None)
        assert recorder.calls[0][0] == "stacks_act"
        assert recorder.calls[0][1][1] == verb

    @pytest.mark.parametrize("body", [None, {}, {"dance": None}, {"suspend": None, "resume": None}])
    def test_what_is_not_an_action(self, stage: Stage, stack: str, body: Any) -> None:
        recorder = Recorder()

        error(recording(stage, recorder)("POST", f"{stack}/actions", body), 400)
        assert recorder.calls == []

    @pytest.mark.parametrize(
        ("kind", "status"), [("NotSupported", 400), ("ActionInProgress", 409), ("StopActionFailed", 500)]
    )
    def test_refusals(self, stage: Stage, stack: str, kind: str, status: int) -> None:
        door = recording(stage, Recorder(stacks_act=ServiceError(kind, "no")))

        found = error(door("POST", f"{stack}/actions", {"suspend": None}), status)

        assert found == {"type": kind, "message": "no", "traceback": None}


class TestUpdates:
    def change(self, stage: Stage, method: str, stack: str, body: Any) -> StackChange:
        recorder = Recorder()
        answer = recording(stage, recorder)(method, stack, body)
        assert answer.status_code == 202, answer.text
        assert answer.json()["code"] == "202 Accepted"
        name, (_, change), _ = recorder.calls[0]
        assert name == "stacks_update"
        assert isinstance(change, StackChange)
        return change

    def test_put_replaces(self, stage: Stage, stack: str) -> None:
        change = self.change(stage, "PUT", stack, {"template": SMALL, "parameters": {"size": 1}})

        assert not change.existing
        assert change.request["template"] == SMALL
        assert change.request["parameters"] == {"size": 1}
        assert (change.tags, change.timeout_mins, change.disable_rollback) == (None, None, None)

    def test_patch_lays_over(self, stage: Stage, stack: str) -> None:
        body = {"clear_parameters": ["size"], "tags": "a,b", "converge": True, "timeout_mins": 3}
        change = self.change(stage, "PATCH", stack, body)

        assert change.existing
        assert "template" not in change.request
        assert change.clear_parameters == ("size",)
        assert change.tags == ("a", "b")
        assert change.converge
        assert change.timeout_mins == 3

    def test_put_may_ask_for_what_patch_does(self, stage: Stage, stack: str) -> None:
        assert self.change(stage, "PUT", stack, {"existing": True}).existing

    @pytest.mark.parametrize(
        "body",
        [
            {},
            {"template": 5},
            {"template": SMALL, "clear_parameters": "size"},
            {"template": SMALL, "clear_parameters": [1]},
            {"template": SMALL, "converge": "perhaps"},
            {"template": SMALL, "tags": 5},
        ],
    )
    def test_wrong_bodies(self, stage: Stage, stack: str, body: Any) -> None:
        recorder = Recorder()

        error(recording(stage, recorder)("PUT", stack, body), 400)
        assert recorder.calls == []


class TestPreviews:
    def test_of_a_new_stack(self, stage: Stage) -> None:
        identity = {"tenant": PROJECT, "stack_name": "new", "stack_id": "None", "path": ""}
        recorder = Recorder(previews_create={"stack_identity": identity, "resources": []})

        answer = recording(stage, recorder)(
            "POST", "/stacks/preview", {"stack_name": "new", "template": SMALL}
        )

        assert answer.status_code == 200
        address = f"http://heat.test:8004/v1/{PROJECT}/stacks/new/None"
        assert answer.json()["stack"] == {
            "id": "None",
            "links": [{"href": address, "rel": "self"}],
            "resources": [],
        }
        assert isinstance(recorder.calls[0][1][0], NewStack)

    @pytest.mark.parametrize(("method", "existing"), [("PUT", False), ("PATCH", True)])
    def test_of_an_update(self, stage: Stage, stack: str, method: str, existing: bool) -> None:
        recorder = Recorder(previews_update={"resource_changes": {"unchanged": []}, "plan": []})

        answer = recording(stage, recorder)(method, f"{stack}/preview?show_nested=True", {"template": SMALL})

        assert answer.json() == {"resource_changes": {"unchanged": []}, "plan": []}
        _, (_, change, show_nested), _ = recorder.calls[0]
        assert change.existing is existing
        assert show_nested is True


class TestAbandoning:
    @pytest.mark.parametrize(("method", "verb"), [("DELETE", "abandon"), ("GET", "export")])
    def test_only_if_it_is_enabled(self, stage: Stage, stack: str, method: str, verb: str) -> None:
        recorder = Recorder(**{f"transfers_{verb}": {"name": "s"}})

        refused = error(recording(stage, recorder)(method, f"{stack}/{verb}"), 400)
        answer = recording(stage, recorder, enable_abandon=True)(method, f"{stack}/{verb}")

        assert refused["type"] == "NotSupported"
        assert (answer.status_code, answer.json()) == (200, {"name": "s"})

    def test_what_was_abandoned_can_be_adopted(self, stage: Stage) -> None:
        id = stage.add_stack("before")
        adopted = stage.queries.stacks.find(Caller("id", "name", PROJECT), "before").stack
        recorder = Recorder(transfers_adopt=adopted)
        data = {
            "template": EMPTY,
            "environment": {"parameters": {"a": 1}},
            "resources": {"r": {"resource_id": "x"}},
        }
        body = {"stack_name": "after", "adopt_stack_data": json.dumps(data), "parameters": {"b": 2}}

        answer = recording(stage, recorder, enable_adopt=True)("POST", "/stacks", body)

        assert answer.status_code == 201
        assert answer.json()["stack"]["id"] == id
        name, (new, given), _ = recorder.calls[0]
        assert name == "transfers_adopt"
        assert given == data
        assert new.request["template"] == EMPTY
        assert new.request["environment"] == {"parameters": {"a": 1}}
        assert new.request["parameters"] == {"b": 2}

    @pytest.mark.parametrize("data", ["", "[]", "{", "{}", '{"template": 5}', 5, {"template": EMPTY}])
    def test_what_cannot_be_adopted(self, stage: Stage, data: Any) -> None:
        door = recording(stage, Recorder(), enable_adopt=True)

        error(door("POST", "/stacks", {"stack_name": "a", "adopt_stack_data": data}), 400)


class TestSnapshots:
    SHOWN = {
        "id": "sid",
        "name": "n",
        "action": "CREATE",
        "status": "COMPLETE",
        "status_reason": "fine",
        "data": {"name": "s"},
        "creation_time": "1970-01-01T00:00:00Z",
    }

    def test_a_new_one_comes_unwrapped(self, stage: Stage, stack: str) -> None:
        recorder = Recorder(snapshots_create=SNAPSHOT)

        answer = recording(stage, recorder)("POST", f"{stack}/snapshots", {"name": "n"})

        assert (answer.status_code, answer.json()) == (200, self.SHOWN)
        assert recorder.calls[0][1][1] == "n"

    @pytest.mark.parametrize("body", [None, {"name": 5}, {"name": "x" * 256}])
    def test_wrong_bodies(self, stage: Stage, stack: str, body: Any) -> None:
        error(recording(stage, Recorder())("POST", f"{stack}/snapshots", body), 400)

    def test_lists_and_single_ones(self, stage: Stage, stack: str) -> None:
        row = {**records.as_row(SNAPSHOT), "stack": stack.rpartition("/")[2]}
        stage.insert(tables.snapshot, **row)
        door = open_door(stage)

        assert door.get(f"{stack}/snapshots") == {"snapshots": [self.SHOWN]}
        assert door.get(f"{stack}/snapshots/sid") == {"snapshot": self.SHOWN}
        error(door("GET", f"{stack}/snapshots/other"), 404)

    def test_deleting_and_restoring(self, stage: Stage, stack: str) -> None:
        row = {**records.as_row(SNAPSHOT), "stack": stack.rpartition("/")[2]}
        stage.insert(tables.snapshot, **row)
        recorder = Recorder()
        door = recording(stage, recorder)

        assert door("DELETE", f"{stack}/snapshots/sid").status_code == 204
        assert door("POST", f"{stack}/snapshots/sid/restore").status_code == 202
        assert [name for name, _, _ in recorder.calls] == ["snapshots_delete", "snapshots_restore"]


class TestConfigs:
    def test_a_new_one(self, stage: Stage) -> None:
        recorder = Recorder(software_create_config=CONFIG)
        body = {"name": "n", "group": "script", "config": "#!", "inputs": [{"name": "a"}]}

        answer = recording(stage, recorder)("POST", "/software_configs", body)

        assert answer.status_code == 200
        assert answer.json()["software_config"] == {
            "id": "cid",
            "name": "n",
            "group": "script",
            "config": "#!",
            "inputs": [],
            "outputs": [],
            "options": {},
            "creation_time": "1970-01-01T00:00:00Z",
        }
        assert recorder.calls[0][1] == ({**body, "outputs": [], "options": {}},)

    @pytest.mark.parametrize(
        "body",
        [
            None,
            {"name": 5},
            {"inputs": "a"},
            {"inputs": ["a"]},
            {"inputs": [{}]},
            {"inputs": [{"name": "a", "unknown": 1}]},
            {"inputs": [{"name": "a", "type": "Text"}]},
            {"outputs": [{"name": "a", "value": 1}]},
            {"outputs": {"a": 1}},
            {"options": []},
            {"group": "x" * 256},
        ],
    )
    def test_wrong_bodies(self, stage: Stage, body: Any) -> None:
        error(recording(stage, Recorder())("POST", "/software_configs", body), 400)


class TestDeployments:
    def test_a_new_one(self, stage: Stage) -> None:
        recorder = Recorder(software_create_deployment=DEPLOYMENT)
        body = {"server_id": "server", "config_id": "cid", "status": "IN_PROGRESS", "input_values": {"a": 1}}

        answer = recording(stage, recorder)("POST", "/software_deployments", body)

        assert answer.status_code == 200
        assert answer.json()["software_deployment"] == {
            "id": "did",
            "server_id": "server",
            "config_id": "cid",
            "input_values": {"a": 1},
            "output_values": None,
            "action": "CREATE",
            "status": "COMPLETE",
            "status_reason": "fine",
            "creation_time": "1970-01-01T00:00:00Z",
        }
        (fields,) = recorder.calls[0][1]
        assert {name: value for name, value in fields.items() if value is not None} == {
            "server": "server",
            "config": "cid",
            "status": "IN_PROGRESS",
            "input_values": {"a": 1},
        }

    @pytest.mark.parametrize(
        "body",
        [
            None,
            {},
            {"server_id": "s"},
            {"config_id": "c"},
            {"server_id": 5, "config_id": "c"},
            {"server_id": "s", "config_id": "c", "input_values": "x"},
            {"server_id": "s", "config_id": "c", "stack_user_project_id": "x" * 65},
        ],
    )
    def test_wrong_bodies(self, stage: Stage, body: Any) -> None:
        error(recording(stage, Recorder())("POST", "/software_deployments", body), 400)
