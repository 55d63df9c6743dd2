"""A stack as it is shown: parameters, outputs, template, environment, files."""

from __future__ import annotations

import pytest

from tests.support.api import EMPTY, PROJECT, SMALL, Door, error


def test_everything_about_a_stack(live: Door) -> None:
    path = live.create("web", tags="a", timeout_mins=5, disable_rollback=False)
    id = path.rpartition("/")[2]

    stack = live.settled(path)

    times = {stack.pop("creation_time"), stack.pop("updated_time")}
    assert all(time is None or (len(time) == 20 and time.endswith("Z")) for time in times)
    assert stack == {
        "id": id,
        "links": [{"href": f"http://heat.test:8004/v1/{PROJECT}{path}", "rel": "self"}],
        "stack_name": "web",
        "stack_status": "CREATE_COMPLETE",
        "stack_status_reason": "Stack CREATE completed successfully",
        "description": "Two values",
        "template_description": "Two values",
        "deletion_time": None,
        "parameters": {
            "OS::stack_id": id,
            "OS::stack_name": "web",
            "OS::project_id": PROJECT,
            "size": "3",
            "names": "a,b",
            "extra": '{"k": [1]}',
            "secret": "******",
            "flag": "True",
        },
        "outputs": [
            {"output_key": "size", "output_value": 3, "description": "How many"},
            {"output_key": "plain", "output_value": "text", "description": "No description given"},
        ],
        "capabilities": [],
        "notification_topics": [],
        "disable_rollback": False,
        "timeout_mins": 5,
        "stack_owner": "alice",
        "parent": None,
        "stack_user_project_id": None,
        "tags": ["a"],
    }


class TestOutputs:
    def test_they_can_be_left_out(self, door: Door) -> None:
        path = door.create()

        assert "outputs" not in door.get(path, resolve_outputs="False")["stack"]
        error(door("GET", path, params={"resolve_outputs": "no"}), 400)

    def test_they_are_there_while_the_stack_is_made(self, door: Door) -> None:
        outputs = door.get(door.create())["stack"]["outputs"]

        assert [one["output_value"] for one in outputs] == [3, "text"]

    def test_one_that_cannot_be_computed(self, live: Door) -> None:
        template = {**EMPTY, "outputs": {"o": {"value": {"str_replace": {"template": {}, "params": {}}}}}}

        for path in (live.create("a", template),):
            (output,) = live.settled(path)["outputs"]
            assert output["output_value"] is None
            assert output["output_error"]

    def test_the_list_has_no_values(self, door: Door) -> None:
        assert door.get(f"{door.create()}/outputs") == {
            "outputs": [
                {"output_key": "size", "description": "How many"},
                {"output_key": "plain", "description": "No description given"},
            ]
        }

    def test_a_single_one(self, door: Door) -> None:
        path = door.create()

        assert door.get(f"{path}/outputs/size")["output"]["output_value"] == 3
        error(door("GET", f"{path}/outputs/nothing"), 404)


class TestDefinitions:
    def test_the_template_is_as_it_was_given(self, door: Door) -> None:
        assert door.get(f"{door.create()}/template") == SMALL

    def test_hidden_values_are_masked_in_the_environment(self, door: Door) -> None:
        path = door.create(
            environment={
                "parameters": {"secret": "x1"},
                "parameter_defaults": {"secret": "x2", "other": 1},
                "resource_registry": {"My::Type": "OS::Heat::None"},
            },
            parameters={"size": 4},
        )

        answer = door("GET", f"{path}/environment")

        assert answer.json() == {
            "parameters": {"secret": "******", "size": 4},
            "parameter_defaults": {"secret": "******", "other": 1},
            "resource_registry": {"My::Type": "OS::Heat::None", "resources": {}},
            "encrypted_param_names": ["secret"],
            "event_sinks": [],
        }

    def test_files(self, door: Door) -> None:
        assert door.get(f"{door.create(files={'a': 'text'})}/files") == {"a": "text"}
        assert door.get(f"{door.create('b')}/files") == {}


def test_a_deleted_stack_is_still_shown(live: Door) -> None:
    path = live.create()
    live.settled(path)
    live("DELETE", path)

    stack = live.settled(path)

    assert stack["stack_status"] == "DELETE_COMPLETE"
    assert stack["deletion_time"] is not None
    assert "outputs" not in stack
    assert live.get(f"{path}/template") == SMALL
    assert live.get(f"{path}/resources") == {"resources": []}
    assert live.get(f"{path}/events")["events"]


@pytest.mark.parametrize(
    ("method", "part"),
    [
        ("PUT", ""),
        ("PATCH", ""),
        ("DELETE", ""),
        ("GET", "/outputs"),
        ("GET", "/resources/first"),
        ("POST", "/actions"),
        ("POST", "/snapshots"),
        ("GET", "/snapshots"),
    ],
)
def test_all_else_of_a_deleted_stack_is_gone(door: Door, method: str, part: str) -> None:
    stack = door.stage.add_stack("gone", action="DELETE", deleted_at=1.0)
    body = (
        {"template": SMALL} if method in ("PUT", "PATCH") else {"check": None} if method == "POST" else None
    )

    error(door(method, f"/stacks/gone/{stack}{part}", body), 404)
