"""The templates that groups make for their members."""

from __future__ import annotations

import re
from typing import Any

import pytest

from calor.language.values import Secret, Unknown
from calor.types import catalogue
from calor.types.heat.groups.member_templates import MOST_MEMBERS


def child(type_name: str, **values: Any) -> dict[str, Any] | None:
    declared = catalogue.declaration(type_name)
    assert declared is not None
    return declared.child_template(
        {name: prop.default for name, prop in declared.properties.items()} | values
    )


def members(type_name: str, **values: Any) -> dict[str, Any]:
    template = child(type_name, **values)
    assert template is not None
    assert template["heat_template_version"] == "2015-04-30"
    resources: dict[str, Any] = template["resources"]
    return resources


SERVER = "OS::Nova::Server"


class TestResourceGroup:
    def members(self, properties: Any = None, metadata: Any = None, **values: Any) -> dict[str, Any]:
        definition = {"type": SERVER, "properties": properties, "metadata": metadata}
        return members("OS::Heat::ResourceGroup", resource_def=definition, **values)

    def test_one_member_stands_for_all(self) -> None:
        assert self.members(count=3) == {"0": {"type": SERVER}}

    def test_empty_group(self) -> None:
        assert self.members(count=0) == {}

    @pytest.mark.parametrize("count", [Unknown(1), Secret(2)])
    def test_unseen_count(self, count: Any) -> None:
        assert list(self.members(count=count)) == ["0"]

    def test_index_in_text_at_any_depth(self) -> None:
        properties = {"name": "web-%index%", "tags": [{"key%index%": "%index%%index%"}], "size": 1}

        assert self.members(properties)["0"]["properties"] == {
            "name": "web-0",
            "tags": [{"key%index%": "00"}],
            "size": 1,
        }

    def test_index_is_not_put_into_metadata(self) -> None:
        assert self.members(metadata={"a": "%index%"})["0"]["metadata"] == {"a": "%index%"}

    def test_own_variable(self) -> None:
        assert self.members({"name": "web-N_N"}, index_var="N_N")["0"]["properties"] == {"name": "web-0"}

    def test_first_name_that_was_not_removed(self) -> None:
        assert list(self.members(removal_policies=[{"resource_list": ["0", 1]}])) == ["2"]

    def test_null_is_kept_for_the_member_to_judge(self) -> None:
        assert self.members({"name": None})["0"]["properties"] == {"name": None}

    def test_unseen_values_stay_in_place(self) -> None:
        later, hidden = Unknown("name"), Secret("x")

        properties = self.members({"name": later, "user_data": hidden})["0"]["properties"]

        assert properties["name"] is later
        assert properties["user_data"] is hidden

    def test_names_of_unseen_properties_are_seen(self) -> None:
        properties = self.members(Secret({"name": "x"}))["0"]["properties"]

        assert properties == {"name": Secret("x")}

    @pytest.mark.parametrize("definition", [None, {"type": Unknown("")}, Unknown({})])
    def test_nothing_to_see(self, definition: Any) -> None:
        assert child("OS::Heat::ResourceGroup", resource_def=definition) is None


class TestResourceChain:
    TYPE = "OS::Heat::ResourceChain"

    def test_one_after_the_other(self) -> None:
        assert members(self.TYPE, resources=["A::B::C", "A::B::D"], resource_properties={"p": "%index%"}) == {
            "0": {"type": "A::B::C", "properties": {"p": "%index%"}},
            "1": {"type": "A::B::D", "properties": {"p": "%index%"}, "depends_on": ["0"]},
        }

    def test_all_at_once(self) -> None:
        assert members(self.TYPE, resources=["A::B::C", "A::B::D"], concurrent=True) == {
            "0": {"type": "A::B::C"},
            "1": {"type": "A::B::D"},
        }

    @pytest.mark.parametrize("resources", [Unknown([]), ["A::B::C", Unknown("")], [1]])
    def test_nothing_to_see(self, resources: Any) -> None:
        assert child(self.TYPE, resources=resources) is None


class TestAutoScalingGroup:
    TYPE = "OS::Heat::AutoScalingGroup"

    def members(self, resource: Any = None, **values: Any) -> dict[str, Any]:
        values = {"min_size": 2, "max_size": 5, **values}
        return members(self.TYPE, resource=resource or {"type": SERVER}, **values)

    @pytest.mark.parametrize(
        ("sizes", "count"),
        [
            ({}, 2),
            ({"desired_capacity": 3}, 3),
            ({"desired_capacity": 0, "min_size": 0}, 0),
            ({"desired_capacity": Unknown(0)}, 2),
        ],
    )
    def test_size(self, sizes: dict[str, Any], count: int) -> None:
        assert len(self.members(**sizes)) == count

    def test_names_look_drawn_and_stay_the_same(self) -> None:
        names = list(self.members())

        assert all(re.fullmatch("[a-z2-7]{12}", name) for name in names)
        assert names == list(self.members())

    def test_an_absurd_size_ends_somewhere(self) -> None:
        assert len(self.members(min_size=10**12)) == MOST_MEMBERS

    def test_parts_of_the_definition(self) -> None:
        resource = {
            "type": SERVER,
            "properties": {"name": Unknown("x")},
            "metadata": {"a": 1},
            "deletion_policy": "Retain",
            "update_policy": {"b": 2},
            "depends_on": "other",
            "unheard_of": 1,
        }

        [member] = self.members(resource, min_size=1).values()

        assert member == {key: resource[key] for key in list(resource)[:5]}

    @pytest.mark.parametrize("resource", [{}, {"type": 1}, {"type": Unknown("")}, Unknown({})])
    def test_nothing_to_see(self, resource: Any) -> None:
        assert child(self.TYPE, resource=resource, min_size=1, max_size=1) is None


class TestDeploymentGroups:
    @pytest.mark.parametrize(
        ("group", "member"),
        [
            ("OS::Heat::SoftwareDeploymentGroup", "OS::Heat::SoftwareDeployment"),
            ("OS::Heat::SoftwareDeployments", "OS::Heat::SoftwareDeployment"),
            ("OS::Heat::StructuredDeploymentGroup", "OS::Heat::StructuredDeployment"),
            ("OS::Heat::StructuredDeployments", "OS::Heat::StructuredDeployment"),
        ],
    )
    def test_one_member_stands_for_all(self, group: str, member: str) -> None:
        [(name, definition)] = members(group, servers={"a": "x", "b": "y"}, config="c").items()

        assert name == "a"
        assert definition["type"] == member
        assert definition["properties"]["server"] == "x"
        assert definition["properties"]["config"] == "c"
        assert definition["properties"]["actions"] == ["CREATE", "UPDATE"]
        assert "servers" not in definition["properties"]

    def test_no_servers(self) -> None:
        assert members("OS::Heat::SoftwareDeploymentGroup", servers={}) == {}

    def test_unseen_servers(self) -> None:
        assert members("OS::Heat::SoftwareDeploymentGroup", servers=Unknown({})) == {}


@pytest.mark.parametrize("name", ["OS::Heat::InstanceGroup", "AWS::AutoScaling::AutoScalingGroup"])
def test_a_launch_configuration_is_out_of_sight(name: str) -> None:
    assert child(name, LaunchConfigurationName="lc") is None
