"""Snapshots, and stacks that leave with all they own and come back."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from calor.service import transfer_commands
from calor.service.commands import Limits
from calor.store import tables
from tests.support.api import SMALL, Door, Stage, error, open_door

MEMBER = {"type": "OS::Heat::TestResource", "properties": {"value": "m%index%"}}
GROUP = {"type": "OS::Heat::ResourceGroup", "properties": {"count": 2, "resource_def": MEMBER}}
NESTED = {
    "heat_template_version": "2021-04-16",
    "parameters": {"size": {"type": "number", "default": 1}},
    "resources": {"g": GROUP, "t": {"type": "inner.yaml"}, "v": {"type": "OS::Heat::RandomString"}},
    "outputs": {
        "refs": {"value": {"get_attr": ["g", "refs"]}},
        "random": {"value": {"get_attr": ["v", "value"]}},
    },
}
FILES = {"inner.yaml": json.dumps({**SMALL, "outputs": {"o": {"value": {"get_attr": ["first", "output"]}}}})}


@pytest.fixture
def both(running: Stage) -> Door:
    return open_door(running, enable_abandon=True, enable_adopt=True)


def owned(door: Door, path: str) -> dict[str, str]:
    """The physical ids of all that is no stack, by the names on the way there."""
    return {
        f"{one.get('parent_resource', '')}.{one['resource_name']}": one["physical_resource_id"]
        for one in door.get(f"{path}/resources", nested_depth=5)["resources"]
        if not any(link["rel"] == "nested" for link in one["links"])
    }


def left(**parts: Any) -> str:
    """Data of a stack with no resources, with some parts changed."""
    return json.dumps({"template": {"heat_template_version": "2021-04-16"}, "resources": {}, **parts})


class TestAbandoning:
    def test_stacks_below_leave_with_theirs(self, both: Door) -> None:
        path = both.create(template=NESTED, files=FILES, parameters={"size": 2}, tags="a")
        both.settled(path)
        before = owned(both, path)

        data = both("DELETE", f"{path}/abandon").json()

        assert both.settled(path)["stack_status"] == "DELETE_COMPLETE"
        assert data["environment"]["parameters"] == {"size": 2}
        assert data["tags"] == ["a"]
        assert data["resources"]["v"]["resource_id"] == before[".v"]
        below = data["resources"]["g"]["resources"]
        assert below["0"]["resource_id"] == before["g.0"]
        assert data["resources"]["t"]["template"]["description"] == "Two values"
        assert both.get("/stacks", show_nested="true")["stacks"] == []

    def test_the_name_is_free_at_once(self, both: Door) -> None:
        path = both.create(template=NESTED, files=FILES, parameters={"size": 2})
        both.settled(path)

        data = both("DELETE", f"{path}/abandon").json()
        answer = both("POST", "/stacks", {"stack_name": "s", "adopt_stack_data": json.dumps(data)})

        assert answer.status_code == 201, answer.text

    def test_the_data_is_given_away_even_if_no_engine_takes_note(
        self, stage: Stage, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(transfer_commands, "DELETION_SECONDS", 0.1)
        door = open_door(stage, enable_abandon=True)
        id = stage.add_stack("s")

        answer = door("DELETE", f"/stacks/s/{id}/abandon")

        assert (answer.status_code, answer.json()["id"]) == (200, id)

    def test_and_are_adopted_with_them(self, both: Door) -> None:
        path = both.create(template=NESTED, files=FILES, parameters={"size": 2})
        first = both.settled(path)
        before = owned(both, path)
        data = both("DELETE", f"{path}/abandon").json()
        both.settled(path)

        body = {"stack_name": "again", "adopt_stack_data": yaml.safe_dump(data, sort_keys=False)}
        answer = both("POST", "/stacks", body)
        assert answer.status_code == 201, answer.text
        path = f"/stacks/again/{answer.json()['stack']['id']}"
        stack = both.settled(path)

        assert stack["stack_status"] == "ADOPT_COMPLETE", stack["stack_status_reason"]
        assert owned(both, path) == before
        assert stack["parameters"]["size"] == "2"
        assert stack["outputs"] == first["outputs"]
        both("PUT", path, {"template": NESTED, "files": FILES})
        assert both.settled(path)["stack_status"] == "UPDATE_COMPLETE"
        assert owned(both, path) == before
        both.deleted(path)

    @pytest.mark.parametrize("sent", [json.dumps, yaml.safe_dump], ids=["json", "yaml"])
    def test_templates_may_be_text(self, both: Door, sent: Callable[[Any], str]) -> None:
        text = sent(
            {"heat_template_version": "2021-04-16", "resources": {"a": {"type": "OS::Heat::TestResource"}}}
        )
        path = both.create(template=text)
        both.settled(path)
        before = owned(both, path)
        data = both("DELETE", f"{path}/abandon").json()
        assert isinstance(data["template"], dict)

        body = {"stack_name": "t", "adopt_stack_data": json.dumps({**data, "template": text})}
        made = both("POST", "/stacks", body).json()
        path = f"/stacks/t/{made['stack']['id']}"

        assert both.settled(path)["stack_status"] == "ADOPT_COMPLETE"
        assert owned(both, path) == before

    def test_members_whose_names_were_drawn_keep_them(self, both: Door) -> None:
        sizes = {"min_size": 2, "max_size": 3, "resource": {"type": "OS::Heat::TestResource"}}
        group = {"type": "OS::Heat::AutoScalingGroup", "properties": sizes}
        template = {"heat_template_version": "2021-04-16", "resources": {"g": group}}
        path = both.create(template=template)
        both.settled(path)
        before = owned(both, path)
        data = both("DELETE", f"{path}/abandon").json()
        both.settled(path)

        made = both("POST", "/stacks", {"stack_name": "t", "adopt_stack_data": json.dumps(data)}).json()
        path = f"/stacks/t/{made['stack']['id']}"

        assert both.settled(path)["stack_status"] == "ADOPT_COMPLETE"
        assert owned(both, path) == before
        both("PUT", path, {"template": template})
        assert both.settled(path)["stack_status"] == "UPDATE_COMPLETE"
        assert owned(both, path) == before

    def test_what_a_caller_may_not_use_is_not_adopted_below(self, running: Stage) -> None:
        running.commands.admission.policy = running.policy
        door = open_door(running, enable_adopt=True)
        flavor = {"heat_template_version": "2021-04-16", "resources": {"0": {"type": "OS::Nova::Flavor"}}}
        below = {"resource_id": "x", "template": flavor, "resources": {"0": {"resource_id": "y"}}}
        template = {"heat_template_version": "2021-04-16", "resources": {"g": GROUP}}
        data = json.dumps({"template": template, "resources": {"g": below}})

        error(door("POST", "/stacks", {"stack_name": "t", "adopt_stack_data": data}), 403)

    def test_what_it_is_given_wins(self, both: Door) -> None:
        path = both.create(template=SMALL, parameters={"size": 5})
        both.settled(path)
        data = json.dumps(both.get(f"{path}/export"))

        body = {"stack_name": "t", "adopt_stack_data": data, "parameters": {"size": 6}}
        made = both("POST", "/stacks", body).json()["stack"]["id"]

        assert both.settled(f"/stacks/t/{made}")["parameters"]["size"] == "6"

    def test_what_has_no_id_cannot_be_adopted(self, both: Door) -> None:
        data = {"template": SMALL, "resources": {"first": {"resource_id": "x"}}}

        made = both("POST", "/stacks", {"stack_name": "t", "adopt_stack_data": json.dumps(data)}).json()

        assert both.settled(f"/stacks/t/{made['stack']['id']}")["stack_status"] == "ADOPT_FAILED"

    def test_not_while_something_is_done_to_it(self, stage: Stage) -> None:
        door = open_door(stage, enable_abandon=True)
        path = door.create()

        error(door("DELETE", f"{path}/abandon"), 409)
        assert door.get(path)["stack"]["stack_status"] == "CREATE_IN_PROGRESS"

    def test_only_where_the_operator_allows_it(self, door: Door) -> None:
        path = door.create()

        for method, part in (("DELETE", "abandon"), ("GET", "export")):
            assert error(door(method, f"{path}/{part}"), 400)["type"] == "NotSupported"
        error(door("POST", "/stacks", {"stack_name": "t", "adopt_stack_data": "{}"}), 400)

    @pytest.mark.parametrize(
        "data",
        [
            5,
            "",
            "x",
            "[]",
            "{}",
            '{"template": 5}',
            '{"template": {}, "resources": []}',
            '{"template": {}}',
            {"template": {}},
            left(resources={"a": 5}),
            left(resources={"a": {"resource_id": 5}}),
            left(resources={"a": {"resource_id": "x", "resource_data": []}}),
            left(resources={"a": {"resource_id": "x", "metadata": "m"}}),
            left(resources={"a": {"resource_id": "x", "resources": {"b": 5}}}),
            left(resources={"a": {"resource_id": "x", "template": 5}}),
            left(files=5),
            left(environment_files=5),
            left(environment={"x": 1}),
            left(environment={"parameters": []}),
        ],
        ids=str,
    )
    def test_wrong_data(self, both: Door, data: Any) -> None:
        error(both("POST", "/stacks", {"stack_name": "t", "adopt_stack_data": data}), 400)


class TestSnapshots:
    def test_they_are_under_way_until_the_stack_has_been_looked_at(self, door: Door) -> None:
        id = door.stage.add_stack("s")
        path = f"/stacks/s/{id}"
        made = door("POST", f"{path}/snapshots", {}).json()

        assert (made["status"], made["data"]) == ("IN_PROGRESS", None)
        address = f"{path}/snapshots/{made['id']}"
        assert error(door("DELETE", address), 400)["type"] == "NotSupported"
        error(door("POST", f"{address}/restore"), 409)
        door.stage.change(tables.stack, id, status="COMPLETE")
        assert error(door("POST", f"{address}/restore"), 400)["type"] == "NotSupported"

    def test_one_that_another_action_overtakes_has_failed(self, door: Door) -> None:
        path = f"/stacks/s/{door.stage.add_stack('s')}"
        address = f"{path}/snapshots/{door('POST', f'{path}/snapshots', {}).json()['id']}"

        assert door("PUT", path, {"template": SMALL}).status_code == 202

        assert door.get(address)["snapshot"]["status"] == "FAILED"
        assert door("DELETE", address).status_code == 204

    def test_they_have_the_shape_of_an_abandoned_stack(self, live: Door) -> None:
        path = live.create(template=NESTED, files=FILES)
        live.settled(path)

        id = live("POST", f"{path}/snapshots", {"name": "n"}).json()["id"]
        live.settled(path)

        (shown,) = live.get(f"{path}/snapshots")["snapshots"]
        assert shown == live.get(f"{path}/snapshots/{id}")["snapshot"]
        assert set(shown["data"]["resources"]) == {"g", "t", "v"}
        assert shown["data"]["template"] == NESTED
        assert shown["data"]["status"] == "COMPLETE"

    def test_they_go_with_the_stack(self, live: Door) -> None:
        path = live.create(template=SMALL)
        live.settled(path)
        live("POST", f"{path}/snapshots", {})
        live.settled(path)

        live.deleted(path)

        with live.stage.database.connect() as connection:
            assert connection.execute(tables.snapshot.select()).all() == []

    def test_no_more_than_the_operator_allows(self, running: Stage) -> None:
        running.commands.quotas.limits = Limits(snapshots_per_stack=1)
        live = open_door(running)
        path = live.create(template=SMALL)
        live.settled(path)
        live("POST", f"{path}/snapshots", {})
        live.settled(path)

        found = error(live("POST", f"{path}/snapshots", {}), 400)

        assert found["type"] == "RequestLimitExceeded"
