"""Types that the operator's policy denies are not used by a detour: an alias, a value that is known only later, or a
web server that answers differently the second time."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from calor.service.commands import Commands
from calor.service.policy import Policy
from tests.security.tenants import VERSION, template, victim
from tests.support.api import PROJECT, Door, Stage, error, token

DENIED = "OS::Heat::RandomString"
ALLOWED = "OS::Heat::Value"
URL = "http://web.test/t.yaml"
ADMIN = token("root", PROJECT, "admin,member,reader")


class Web:
    """A web server whose answers are given beforehand; the last one stays."""

    def __init__(self) -> None:
        self.types = [ALLOWED]
        self.asked = 0

    def __call__(self, url: str) -> str:
        self.asked += 1
        chosen = self.types.pop(0) if len(self.types) > 1 else self.types[0]
        properties = {"properties": {"value": "v"}} if chosen == ALLOWED else {}
        return json.dumps({**VERSION, "resources": {"r": {"type": chosen, **properties}}})


@pytest.fixture
def web() -> Web:
    return Web()


@pytest.fixture
def stage(stage: Stage, web: Web, tmp_path: Path) -> Stage:
    rules = tmp_path / "policy.json"
    rules.write_text(json.dumps({f"resource_types:{DENIED}": "role:admin"}))
    stage.policy = Policy(str(rules))
    stage.world = replace(stage.world, fetch=web)
    stage.commands = Commands(stage.database, stage.writer, stage.world, lambda: None, policy=stage.policy)
    return stage


@pytest.fixture
def member(running: Stage) -> Door:
    return victim(running)


def types(door: Door, path: str) -> set[str]:
    return {one["resource_type"] for one in door.get(f"{path}/resources", nested_depth=3)["resources"]}


class TestFetchedTemplates:
    def test_what_is_made_is_what_was_checked(self, member: Door, web: Web) -> None:
        web.types = [ALLOWED, DENIED]

        path = member.create("s", template(n={"type": URL}))

        assert member.settled(path)["stack_status"] == "CREATE_COMPLETE"
        assert types(member, path) == {URL, ALLOWED}
        assert web.asked == 1

    def test_the_same_holds_for_nested_stacks_by_address(self, member: Door, web: Web) -> None:
        web.types = [ALLOWED, DENIED]
        kind = "AWS::CloudFormation::Stack"

        path = member.create("s", template(n={"type": kind, "properties": {"TemplateURL": URL}}))

        assert member.settled(path)["stack_status"] == "CREATE_COMPLETE"
        assert types(member, path) == {kind, ALLOWED}

    def test_an_update_fetches_again_and_once(self, member: Door, web: Web) -> None:
        path = member.create("s", template(n={"type": URL}))
        member.settled(path)
        web.types = [ALLOWED, DENIED]
        before = web.asked

        assert member("PUT", path, {"template": template(n={"type": URL})}).status_code == 202

        assert member.settled(path)["stack_status"] == "UPDATE_COMPLETE"
        assert web.asked == before + 1
        assert types(member, path) == {URL, ALLOWED}
        error(member("PUT", path, {"template": template(n={"type": URL})}), 403)

    def test_they_are_among_the_files_of_the_stack(self, member: Door) -> None:
        path = member.create("s", template(n={"type": URL}))

        assert list(member.get(f"{path}/files")) == [URL]


def group(type: Any) -> dict[str, Any]:
    return {"type": "OS::Heat::ResourceGroup", "properties": {"count": 1, "resource_def": {"type": type}}}


class TestAdoption:
    def adopted(self, door: Door) -> Any:
        """How the adoption of a group ends whose member has an alias for its type."""
        member = {"resource_id": "x", "type": "My::Alias", "resource_data": {"value": "v"}}
        left = {"template": template(**{"0": {"type": "My::Alias"}}), "resources": {"0": member}}
        body = {
            "stack_name": "t",
            "adopt_stack_data": json.dumps(
                {"template": template(g=group("OS::Heat::TestResource")), "resources": {"g": left}}
            ),
            "environment": {"resource_registry": {"My::Alias": DENIED}},
        }
        answer = door("POST", "/stacks", body)
        assert answer.status_code == 201, answer.text
        return door.settled(f"/stacks/t/{answer.json()['stack']['id']}")

    def test_an_alias_does_not_help(self, member: Door) -> None:
        stack = self.adopted(member)

        assert stack["stack_status"] == "ADOPT_FAILED"
        assert f"not authorized to use the resource type {DENIED}" in stack["stack_status_reason"]

    def test_who_may_use_the_type_adopts_it(self, member: Door) -> None:
        assert self.adopted(member.by(ADMIN))["stack_status"] == "ADOPT_COMPLETE"


class TestTypesThatAreKnownOnlyLater:
    def settled(self, door: Door) -> Any:
        value = {"type": ALLOWED, "properties": {"value": DENIED}}
        late = group({"get_attr": ["v", "value"]})
        return door.settled(door.create("s", template(v=value, g=late)))

    def test_they_are_denied_when_they_are_known(self, member: Door) -> None:
        stack = self.settled(member)

        assert stack["stack_status"] == "CREATE_FAILED"
        assert f"not authorized to use the resource type {DENIED}" in stack["stack_status_reason"]

    def test_who_may_use_the_type_uses_it(self, member: Door) -> None:
        assert self.settled(member.by(ADMIN))["stack_status"] == "CREATE_COMPLETE"
