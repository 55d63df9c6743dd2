"""Resource types, template versions and functions."""

from __future__ import annotations

import pytest

from calor.language.diagnostics import Report
from calor.language.template import parse
from tests.support.api import Door, error, token


class TestLists:
    def test_names(self, door: Door) -> None:
        names = door.get("/resource_types")["resource_types"]

        assert "OS::Heat::TestResource" in names
        assert names == sorted(names)
        assert "OS::Metering::Alarm" not in names

    def test_hidden_types_are_not_there(self, door: Door) -> None:
        assert "OS::Neutron::LoadBalancer" not in door.get("/resource_types")["resource_types"]
        assert door.get("/resource_types", support_status="HIDDEN") == {"resource_types": []}

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ({"name": "OS::Heat::Rand"}, ["OS::Heat::RandomString"]),
            ({"name": "Rand"}, []),
            ({"name": ".*Rand"}, ["OS::Heat::RandomString"]),
            ({"name": "("}, []),
            ({"name": "(.+)+!"}, []),
            ({"name": "OS::Heat::Val", "support_status": "SUPPORTED"}, ["OS::Heat::Value"]),
            ({"name": "OS::Heat::Val", "version": "7.0.0"}, ["OS::Heat::Value"]),
            ({"name": "OS::Heat::Val", "version": "1.0.0"}, []),
            ({"support_status": "UNKNOWN"}, []),
        ],
    )
    def test_filters(self, door: Door, query: dict[str, str], expected: list[str]) -> None:
        assert door.get("/resource_types", **query)["resource_types"] == expected

    def test_descriptions(self, door: Door) -> None:
        (shown,) = door.get("/resource_types", name="OS::Heat::Value", with_description="true")[
            "resource_types"
        ]

        assert shown["resource_type"] == "OS::Heat::Value"
        assert shown["description"].startswith("Gives a name to an expression")

    @pytest.mark.parametrize("query", [{"support_status": "GOOD"}, {"with_description": "x"}])
    def test_wrong_values(self, door: Door, query: dict[str, str]) -> None:
        error(door("GET", "/resource_types", params=query), 400)


class TestSchemas:
    def test_properties_attributes_and_support(self, door: Door) -> None:
        shown = door.get("/resource_types/OS::Heat::Value")

        assert shown["resource_type"] == "OS::Heat::Value"
        assert shown["support_status"] == {
            "status": "SUPPORTED",
            "message": None,
            "version": "7.0.0",
            "previous_status": None,
        }
        kind = shown["properties"]["type"]
        assert kind.pop("description")
        assert kind == {
            "type": "string",
            "required": False,
            "update_allowed": True,
            "immutable": False,
            "constraints": [
                {"allowed_values": ["string", "number", "comma_delimited_list", "json", "boolean"]}
            ],
        }
        assert shown["properties"]["value"]["type"] == "any"
        assert shown["attributes"]["show"]["type"] == "map"
        assert "description" not in shown

    def test_nested_properties(self, door: Door) -> None:
        server = door.get("/resource_types/OS::Nova::Server")["properties"]
        test = door.get("/resource_types/OS::Heat::TestResource", with_description="true")

        assert server["networks"]["schema"]["*"]["type"] == "map"
        assert "port" in server["networks"]["schema"]["*"]["schema"]
        assert test["properties"]["action_wait_secs"]["schema"]["create"]["type"] == "number"
        assert test["properties"]["value"]["default"] == "test_string"
        assert test["description"]

    def test_every_type_can_be_described(self, door: Door) -> None:
        admin = door.by(token(roles="admin,reader"))
        for name in admin.get("/resource_types")["resource_types"]:
            assert admin.get(f"/resource_types/{name}")["resource_type"] == name

    def test_unknown_and_hidden_ones(self, door: Door) -> None:
        assert error(door("GET", "/resource_types/OS::No::Such"), 404)["type"] == "EntityNotFound"
        assert error(door("GET", "/resource_types/OS::Neutron::LoadBalancer"), 400)["type"] == "NotSupported"


class TestTemplates:
    @pytest.mark.parametrize("query", [{}, {"template_type": "cfn"}])
    def test_cfn_by_default(self, door: Door, query: dict[str, str]) -> None:
        made = door.get("/resource_types/OS::Heat::RandomString/template", **query)

        assert made["HeatTemplateFormatVersion"] == "2012-12-12"
        assert made["Resources"]["RandomString"]["Type"] == "OS::Heat::RandomString"
        assert made["Resources"]["RandomString"]["Properties"]["length"] == {"Ref": "length"}
        assert made["Parameters"]["length"]["Type"] == "Number"
        assert made["Outputs"]["value"]["Value"] == {"Fn::GetAtt": ["RandomString", "value"]}
        assert made["Outputs"]["OS::stack_id"] == {"Value": {"Ref": "RandomString"}}

    def test_hot(self, door: Door) -> None:
        made = door.get("/resource_types/OS::Heat::RandomString/template", template_type="hot")

        assert made["heat_template_version"] == "2016-10-14"
        assert made["resources"]["RandomString"]["properties"]["length"] == {"get_param": "length"}
        assert made["outputs"]["value"]["value"] == {"get_attr": ["RandomString", "value"]}

    @pytest.mark.parametrize("kind", ["hot", "cfn"])
    def test_what_is_made_is_a_template(self, door: Door, kind: str) -> None:
        admin = door.by(token(roles="admin,member,reader"))
        report = Report()
        for name in admin.get("/resource_types")["resource_types"]:
            template = admin.get(f"/resource_types/{name}/template", template_type=kind)
            parse(template, name, report, door.stage.world.checks)

        assert [found.full_message for found in report] == []

    def test_another_kind(self, door: Door) -> None:
        error(door("GET", "/resource_types/OS::Heat::Value/template", params={"template_type": "tosca"}), 400)


class TestVersions:
    def test_all_of_them(self, door: Door) -> None:
        shown = door.get("/template_versions")["template_versions"]

        by_version = {one["version"]: one for one in shown}
        assert len(shown) == 13
        newton = by_version["heat_template_version.2016-10-14"]
        assert newton["type"] == "hot"
        assert "heat_template_version.newton" in newton["aliases"]
        assert by_version["AWSTemplateFormatVersion.2010-09-09"] == {
            "version": "AWSTemplateFormatVersion.2010-09-09",
            "type": "cfn",
            "aliases": [],
        }

    def functions(self, door: Door, version: str, **query: str) -> set[str]:
        shown = door.get(f"/template_versions/{version}/functions", **query)["template_functions"]
        assert all(set(one) == {"functions", "description"} for one in shown)
        return {one["functions"] for one in shown}

    def test_functions_of_a_version(self, door: Door) -> None:
        oldest = self.functions(door, "heat_template_version.2013-05-23")
        newest = self.functions(door, "heat_template_version.2021-04-16")

        assert "get_param" in oldest
        assert "yaql" in newest - oldest
        assert "Fn::Select" in oldest - newest

    def test_functions_of_conditions(self, door: Door) -> None:
        plain = self.functions(door, "heat_template_version.newton")
        whole = self.functions(door, "heat_template_version.newton", with_condition_func="true")

        assert {"equals", "not", "and", "or"} <= whole - plain

    def test_an_unknown_version(self, door: Door) -> None:
        error(door("GET", "/template_versions/heat_template_version.1999-01-01/functions"), 404)
