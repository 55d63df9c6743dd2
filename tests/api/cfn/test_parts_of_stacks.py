"""Resources, events and templates of stacks in the CFN API."""

from __future__ import annotations

import json

import pytest

from calor.api.cfn.actions import events, resources
from tests.api.cfn.client import Client, refused
from tests.support.api import OTHER, PROJECT

TEMPLATE = {
    "heat_template_version": "2021-04-16",
    "resources": {
        "a": {"type": "OS::Heat::TestResource", "description": "The first"},
        "b": {"type": "OS::Heat::TestResource"},
    },
}


@pytest.fixture
def stack(cfn: Client) -> str:
    id = cfn.stage.add_stack("s", template=TEMPLATE)
    cfn.stage.add_resource(
        id, "a", metadata={"role": "web", "n": [1]}, updated_at=1_700_000_000.0, created_at=1.0
    )
    cfn.stage.add_resource(id, "b", created_at=2.0)
    return id


def arn(id: str) -> str:
    return f"arn:openstack:heat::{PROJECT}:stacks/s/{id}"


class TestResources:
    def test_one(self, cfn: Client, stack: str) -> None:
        found = cfn.result("DescribeStackResource", StackName="s", LogicalResourceId="a")
        assert found == {
            "StackResourceDetail": {
                "Description": "The first",
                "LastUpdatedTimestamp": "2023-11-14T22:13:20Z",
                "LogicalResourceId": "a",
                "PhysicalResourceId": "physical-a",
                "ResourceStatusReason": "state changed",
                "ResourceType": "OS::Heat::TestResource",
                "ResourceStatus": "CREATE_COMPLETE",
                "Metadata": {"role": "web", "n": [1]},
                "StackId": arn(stack),
                "StackName": "s",
            }
        }

    def test_in_xml_the_metadata_is_json(self, cfn: Client, stack: str) -> None:
        for name, metadata in (("a", {"role": "web", "n": [1]}), ("b", {})):
            found = cfn.xml("DescribeStackResource", StackName="s", LogicalResourceId=name)
            text = found.findtext("DescribeStackResourceResult/StackResourceDetail/Metadata")
            assert json.loads(text or "") == metadata

    def test_all(self, cfn: Client, stack: str) -> None:
        found = cfn.result("DescribeStackResources", StackName=arn(stack))["StackResources"]
        assert [(one["LogicalResourceId"], one["Description"]) for one in found] == [
            ("a", "The first"),
            ("b", ""),
        ]
        assert {(one["StackId"], one["StackName"]) for one in found} == {(arn(stack), "s")}
        assert found[0]["Timestamp"] == "2023-11-14T22:13:20Z"

    def test_one_of_all(self, cfn: Client, stack: str) -> None:
        found = cfn.result("DescribeStackResources", StackName="s", LogicalResourceId="b")["StackResources"]
        assert [one["LogicalResourceId"] for one in found] == ["b"]
        answer = cfn("DescribeStackResources", StackName="s", LogicalResourceId="c")
        refused(answer, 400, "InvalidParameterValue")

    def test_by_the_id_of_an_object(self, cfn: Client, stack: str) -> None:
        other = cfn.stage.add_stack("theirs", project=OTHER)
        cfn.stage.add_resource(other, "x", physical_id="physical-x")
        found = cfn.result("DescribeStackResources", PhysicalResourceId="physical-b")["StackResources"]
        assert [one["LogicalResourceId"] for one in found] == ["a", "b"]
        for missing in ("physical-x", "nothing"):
            answer = cfn("DescribeStackResources", PhysicalResourceId=missing)
            refused(answer, 400, "InvalidParameterValue")

    def test_a_stack_is_named_in_one_way(self, cfn: Client, stack: str) -> None:
        answer = cfn("DescribeStackResources", StackName="s", PhysicalResourceId="physical-b")
        refused(answer, 400, "InvalidParameterCombination")
        refused(cfn("DescribeStackResources"), 400, "MissingParameter")

    def test_pages(self, cfn: Client, stack: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(resources, "LISTED", 1)
        first = cfn.result("ListStackResources", StackName="s")
        second = cfn.result("ListStackResources", StackName="s", NextToken=first["NextToken"])
        names = [
            one["LogicalResourceId"] for part in (first, second) for one in part["StackResourceSummaries"]
        ]
        assert (names, "NextToken" in second) == (["a", "b"], False)
        refused(cfn("ListStackResources", StackName="s", NextToken="c"), 400, "InvalidParameterValue")


class TestEvents:
    @pytest.fixture(autouse=True)
    def some(self, cfn: Client, stack: str) -> None:
        other = cfn.stage.add_stack("t")
        gone = cfn.stage.add_stack("gone", deleted_at=1.0)
        theirs = cfn.stage.add_stack("theirs", project=OTHER)
        cfn.stage.add_event(stack, "a", properties={"value": "<x>"}, physical_id="p", at=1_700_000_000.0)
        for id in (stack, other, gone, theirs):
            cfn.stage.add_event(id, "b")

    def test_those_of_a_stack(self, cfn: Client, stack: str) -> None:
        newer, older = cfn.result("DescribeStackEvents", StackName="s")["StackEvents"]
        assert (newer["LogicalResourceId"], newer["ResourceProperties"]) == ("b", "{}")
        del older["EventId"]
        assert older == {
            "LogicalResourceId": "a",
            "PhysicalResourceId": "p",
            "ResourceProperties": '{"value": "<x>"}',
            "ResourceStatusReason": "state changed",
            "ResourceType": "OS::Heat::TestResource",
            "StackId": arn(stack),
            "StackName": "s",
            "Timestamp": "2023-11-14T22:13:20Z",
            "ResourceStatus": "CREATE_COMPLETE",
        }

    def test_those_of_all_stacks_of_the_project(self, cfn: Client) -> None:
        found = cfn.result("DescribeStackEvents")["StackEvents"]
        assert [one["StackName"] for one in found] == ["t", "s", "s"]

    @pytest.mark.parametrize("which", [{}, {"StackName": "s"}])
    def test_pages(self, cfn: Client, which: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
        whole = cfn.result("DescribeStackEvents", **which)["StackEvents"]
        monkeypatch.setattr(events, "LISTED", 1)
        seen, more = [], {}
        while True:
            found = cfn.result("DescribeStackEvents", **which, **more)
            seen += found["StackEvents"]
            if "NextToken" not in found:
                break
            more = {"NextToken": found["NextToken"]}
        assert seen == whole
        refused(cfn("DescribeStackEvents", NextToken="x"), 400, "InvalidParameterValue")


class TestTemplates:
    def test_that_of_a_stack(self, cfn: Client, stack: str) -> None:
        assert cfn.result("GetTemplate", StackName="s") == {"TemplateBody": TEMPLATE}
        text = cfn.xml("GetTemplate", StackName="s").findtext("GetTemplateResult/TemplateBody")
        assert json.loads(text or "") == TEMPLATE

    def test_parameters_are_described(self, cfn: Client) -> None:
        body = {
            "heat_template_version": "2021-04-16",
            "description": "What it is",
            "parameters": {
                "a": {"type": "string", "description": "The first", "default": "x"},
                "b": {"type": "json", "hidden": True, "default": {"k": 1}},
                "c": {"type": "number"},
            },
        }
        found = cfn.result("ValidateTemplate", TemplateBody=json.dumps(body))
        assert found == {
            "Description": "What it is",
            "Parameters": [
                {"ParameterKey": "a", "Description": "The first", "NoEcho": "false", "DefaultValue": "x"},
                {"ParameterKey": "b", "Description": "", "NoEcho": "true", "DefaultValue": '{"k": 1}'},
                {"ParameterKey": "c", "Description": "", "NoEcho": "false"},
            ],
        }

    def test_invalid_ones_are_refused(self, cfn: Client) -> None:
        body = {"heat_template_version": "2021-04-16", "resources": {"a": {"type": "OS::No::Type"}}}
        message = refused(
            cfn("ValidateTemplate", TemplateBody=json.dumps(body)), 400, "InvalidParameterValue"
        )
        assert "OS::No::Type" in message
