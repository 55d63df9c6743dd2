"""Knowing the id of another project's stack is of no use."""

from __future__ import annotations

from typing import Any

import pytest

from calor.store import tables
from tests.security.tenants import adopted, attacker, made, rows, template, victim
from tests.support.api import Door, Stage, error

SECRET = "the victim's hidden value"
HELD: dict[str, Any] = {
    "heat_template_version": "2021-04-16",
    "parameters": {"secret": {"type": "string", "hidden": True, "default": SECRET}},
    "resources": {"kept": {"type": "OS::Heat::TestResource"}},
    "outputs": {"told": {"value": SECRET}},
}
GROUP: dict[str, Any] = {
    "type": "OS::Heat::ResourceGroup",
    "properties": {"count": 1, "resource_def": {"type": "OS::Heat::TestResource"}},
}
PLAIN: dict[str, Any] = {"type": "OS::Heat::TestResource"}


@pytest.fixture
def owner(running: Stage) -> Door:
    return victim(running)


@pytest.fixture
def mallory(running: Stage) -> Door:
    return attacker(running)


@pytest.fixture
def target(owner: Door) -> str:
    """The path of the victim's stack."""
    path = owner.create("held", HELD)
    assert owner.settled(path)["stack_status"] == "CREATE_COMPLETE"
    return path


def id_of(path: str) -> str:
    return path.rpartition("/")[2]


def unharmed(owner: Door, target: str) -> None:
    assert owner.get(target)["stack"]["stack_status"] == "CREATE_COMPLETE"
    [kept] = owner.get(f"{target}/resources")["resources"]
    assert kept["resource_status"] == "CREATE_COMPLETE"


class TestExternalIds:
    @pytest.mark.parametrize(
        "type_name", ["OS::Heat::ResourceGroup", "OS::Heat::AutoScalingGroup", "AWS::CloudFormation::Stack"]
    )
    def test_a_group_that_names_anothers_stack_is_refused(
        self, owner: Door, mallory: Door, target: str, type_name: str
    ) -> None:
        group = {"type": type_name, "external_id": id_of(target)}
        body = {"stack_name": "t", "template": template(group=group)}

        assert error(mallory("POST", "/stacks", body), 400)["type"] == "StackValidationFailed"
        error(mallory("POST", "/stacks/preview", body), 400)
        unharmed(owner, target)

    def test_also_by_an_update(self, owner: Door, mallory: Door, target: str) -> None:
        path = made(mallory, {"a": PLAIN})
        body = {"template": template(a=PLAIN, group={**GROUP, "external_id": id_of(target)})}

        error(mallory("PUT", path, body), 400)

    def test_a_stack_of_ones_own_is_named_and_never_entered(self, owner: Door, target: str) -> None:
        group = {"type": "OS::Heat::ResourceGroup", "external_id": id_of(target)}
        path = made(owner, {"group": group})

        exported = owner.get(f"{path}/export")
        for action in ("suspend", "resume", "check"):
            assert owner.act(path, action)["stack_status"].endswith("_COMPLETE")
        owner.deleted(path)

        assert "template" not in exported["resources"]["group"]
        assert SECRET not in str(exported)
        unharmed(owner, target)

    def test_a_row_that_names_anothers_stack_leads_nowhere(
        self, running: Stage, owner: Door, mallory: Door, target: str
    ) -> None:
        """As one may be in the database from before such ids were refused."""
        stack = running.add_stack("old", project=mallory.project, template=template(group=GROUP))
        running.add_resource(
            stack,
            "group",
            type="OS::Heat::ResourceGroup",
            physical_id=id_of(target),
            data={"_nested": True, "_external": True, "_deletion_policy": "Retain"},
        )
        path = f"/stacks/old/{stack}"

        assert SECRET not in str(mallory.get(f"{path}/export"))
        shown = mallory.get(f"{path}/resources/group", with_attr="refs")
        assert "kept" not in str(shown["resource"]["attributes"])
        assert mallory.act(path, "suspend")["stack_status"] == "SUSPEND_COMPLETE"
        mallory.deleted(path)
        unharmed(owner, target)


class TestAdoption:
    @pytest.mark.parametrize("resource", [PLAIN, GROUP], ids=["plain", "group"])
    def test_the_data_of_an_adopter_does_not_make_a_stack_its_own(
        self, owner: Door, mallory: Door, target: str, resource: dict[str, Any]
    ) -> None:
        below = {"resources": {"0": {"resource_id": "x"}}, "template": template(**{"0": PLAIN})}
        data = {"resource_id": id_of(target), "resource_data": {"_nested": True}, **below}
        path, _ = adopted(mallory, {"a": resource}, {"a": data})

        assert SECRET not in str(mallory.get(f"{path}/export"))
        for action in ("suspend", "resume"):
            mallory.act(path, action)
        mallory.deleted(path)

        unharmed(owner, target)

    def test_the_claim_of_a_row_is_not_trusted(
        self, running: Stage, owner: Door, mallory: Door, target: str
    ) -> None:
        stack = running.add_stack("old", project=mallory.project, template=template(a=PLAIN))
        running.add_resource(stack, "a", physical_id=id_of(target), data={"_nested": True})

        assert SECRET not in str(mallory.get(f"/stacks/old/{stack}/export"))
        mallory.deleted(f"/stacks/old/{stack}")
        unharmed(owner, target)

    def test_nor_within_one_project(self, owner: Door, running: Stage, target: str) -> None:
        """A stack goes with the resource that made it, and with no other."""
        stack = running.add_stack("old", template=template(a=PLAIN))
        running.add_resource(stack, "a", physical_id=id_of(target), data={"_nested": True})

        owner.deleted(f"/stacks/old/{stack}")

        unharmed(owner, target)

    def test_what_a_type_does_not_declare_is_not_taken(self, mallory: Door) -> None:
        data = {"value": "declared", "user_id": "somebody", "_external": True, "_deletion_policy": "Retain"}
        _, stack = adopted(mallory, {"a": PLAIN}, {"a": {"resource_id": "x", "resource_data": data}})

        assert stack["stack_status"] == "ADOPT_COMPLETE"
        [row] = [one for one in rows(mallory.stage, tables.resource) if one.name == "a"]
        assert {name for name in row.data if name in data} == {"value"}
