"""boto3, AWS's SDK, unmodified, drives all actions of the CFN API."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import httpx2 as httpx
import pytest

from tests.support.ec2 import new_keys
from tests.support.server import Server, free_port, until

boto3 = pytest.importorskip("boto3")
errors = pytest.importorskip("botocore.exceptions")

TEMPLATE: dict[str, Any] = {
    "AWSTemplateFormatVersion": "2010-09-09",
    "Description": "Two values",
    "Parameters": {
        "Length": {"Type": "Number", "Default": "8", "Description": "How long"},
        "Key": {"Type": "String", "NoEcho": "true", "Default": "s3cret"},
        "Name": {"Type": "String"},
    },
    "Resources": {
        "Secret": {"Type": "OS::Heat::RandomString", "Properties": {"length": {"Ref": "Length"}}},
        "Shown": {
            "Type": "OS::Heat::TestResource",
            "Metadata": {"role": "shown"},
            "Properties": {"value": {"Fn::Join": ["-", [{"Ref": "Name"}, "<&>"]]}},
        },
    },
    "Outputs": {"Value": {"Value": {"Fn::GetAtt": ["Shown", "output"]}, "Description": "The value"}},
}
SLOW = {"Type": "OS::Heat::TestResource", "Properties": {"value": "x", "wait_secs": 60}}
PRICES = """\
currency: EUR
servers: {m1.tiny: 0.01, "*": 0.05}
volumes: {"*": 0.10}
resources: {OS::Neutron::FloatingIP: 0.005}
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    (folder / "prices.yaml").write_text(PRICES)
    (folder / "calor.conf").write_text("[calor]\nprice_list = prices.yaml\nfetch_allowed = 127.0.0.1\n")
    made = Server(folder / "state", free_port(), folder / "calor.conf")
    made.ready()
    yield made
    made.stop()


@pytest.fixture(scope="module")
def cloudformation(server: Server) -> Any:
    keys = new_keys(server)
    return boto3.client(
        "cloudformation",
        endpoint_url=f"http://127.0.0.1:{server.port + 1}/v1",
        region_name="RegionOne",
        aws_access_key_id=keys.access,
        aws_secret_access_key=keys.secret,
    )


def parameters(**values: str) -> list[dict[str, str]]:
    return [{"ParameterKey": key, "ParameterValue": value} for key, value in values.items()]


def create(cloudformation: Any, name: str, template: Any = None, **more: Any) -> str:
    """The id of a stack that is created."""
    more.setdefault("Parameters", [] if template else parameters(Name="web"))
    made = cloudformation.create_stack(StackName=name, TemplateBody=json.dumps(template or TEMPLATE), **more)
    return str(made["StackId"])


def wait(cloudformation: Any, what: str, stack: str) -> None:
    cloudformation.get_waiter(what).wait(StackName=stack, WaiterConfig={"Delay": 1, "MaxAttempts": 60})


def described(cloudformation: Any, name: str) -> Any:
    (stack,) = cloudformation.describe_stacks(StackName=name)["Stacks"]
    return stack


def test_a_stack_lives(cloudformation: Any) -> None:
    id = create(
        cloudformation, "life", TimeoutInMinutes=5, OnFailure="DO_NOTHING", Capabilities=["CAPABILITY_IAM"]
    )
    assert id.startswith("arn:openstack:heat::")
    wait(cloudformation, "stack_create_complete", id)

    stack = described(cloudformation, "life")
    assert (stack["StackId"], stack["StackName"], stack["StackStatus"]) == (id, "life", "CREATE_COMPLETE")
    assert (stack["Description"], stack["TimeoutInMinutes"]) == ("Two values", 5)
    assert stack["DisableRollback"] is True
    assert stack["CreationTime"].tzinfo is not None
    known = {one["ParameterKey"]: one["ParameterValue"] for one in stack["Parameters"]}
    assert (known["Name"], known["Length"], known["Key"]) == ("web", "8", "******")
    assert stack["Outputs"] == [{"OutputKey": "Value", "OutputValue": "web-<&>", "Description": "The value"}]
    assert cloudformation.get_template(StackName="life")["TemplateBody"] == TEMPLATE

    kept = [{"ParameterKey": name, "UsePreviousValue": True} for name in ("Name", "Key")]
    cloudformation.update_stack(
        StackName="life", UsePreviousTemplate=True, Parameters=[*kept, *parameters(Length="12")]
    )
    wait(cloudformation, "stack_update_complete", id)
    stack = described(cloudformation, id)
    known = {one["ParameterKey"]: one["ParameterValue"] for one in stack["Parameters"]}
    assert (known["Name"], known["Length"]) == ("web", "12")
    assert stack["LastUpdatedTime"] >= stack["CreationTime"]

    cloudformation.delete_stack(StackName="life")
    wait(cloudformation, "stack_delete_complete", id)
    gone = described(cloudformation, id)
    assert (gone["StackStatus"], gone["StackName"]) == ("DELETE_COMPLETE", "life")
    assert "life" not in [one["StackName"] for one in cloudformation.list_stacks()["StackSummaries"]]
    with pytest.raises(errors.ClientError, match=r"The Stack \(life\) could not be found"):
        described(cloudformation, "life")


@pytest.fixture(scope="module")
def stack(cloudformation: Any) -> str:
    id = create(cloudformation, "parts")
    wait(cloudformation, "stack_create_complete", id)
    return id


class TestWhatAStackHas:
    def test_resources(self, cloudformation: Any, stack: str) -> None:
        listed = list(
            cloudformation.get_paginator("list_stack_resources")
            .paginate(StackName=stack)
            .search("StackResourceSummaries")
        )
        assert {one["LogicalResourceId"] for one in listed} == {"Secret", "Shown"}
        found = cloudformation.describe_stack_resources(StackName="parts")["StackResources"]
        assert {one["LogicalResourceId"]: one["ResourceType"] for one in found} == {
            "Secret": "OS::Heat::RandomString",
            "Shown": "OS::Heat::TestResource",
        }
        physical = next(one["PhysicalResourceId"] for one in found if one["LogicalResourceId"] == "Shown")
        by_id = cloudformation.describe_stack_resources(
            PhysicalResourceId=physical, LogicalResourceId="Shown"
        )
        assert [one["StackId"] for one in by_id["StackResources"]] == [stack]

    def test_a_resource(self, cloudformation: Any, stack: str) -> None:
        shown = cloudformation.describe_stack_resource(StackName=stack, LogicalResourceId="Shown")[
            "StackResourceDetail"
        ]
        assert (shown["StackId"], shown["StackName"]) == (stack, "parts")
        assert (shown["ResourceStatus"], json.loads(shown["Metadata"])) == (
            "CREATE_COMPLETE",
            {"role": "shown"},
        )

    def test_events(self, cloudformation: Any, stack: str) -> None:
        pages = cloudformation.get_paginator("describe_stack_events").paginate(StackName=stack)
        events = list(pages.search("StackEvents"))
        assert events[0]["ResourceStatus"] == "CREATE_COMPLETE"
        assert {one["LogicalResourceId"] for one in events} == {"parts", "Secret", "Shown"}
        begun = [one for one in events if one["ResourceStatus"] == "CREATE_IN_PROGRESS"]
        own = next(one for one in begun if one["LogicalResourceId"] == "Shown")
        assert json.loads(own["ResourceProperties"])["value"] == "web-<&>"

    def test_lists(self, cloudformation: Any, stack: str) -> None:
        pages = cloudformation.get_paginator("list_stacks").paginate(StackStatusFilter=["CREATE_COMPLETE"])
        (line,) = [one for one in pages.search("StackSummaries") if one["StackName"] == "parts"]
        assert (line["StackId"], line["TemplateDescription"]) == (stack, "Two values")
        every = cloudformation.get_paginator("describe_stacks").paginate().search("Stacks")
        assert stack in [one["StackId"] for one in every]


def test_an_update_is_cancelled(cloudformation: Any) -> None:
    first = {"HeatTemplateFormatVersion": "2012-12-12", "Resources": {"a": {"Type": "OS::Heat::None"}}}
    id = create(cloudformation, "cancelled", first)
    wait(cloudformation, "stack_create_complete", id)
    second = {**first, "Resources": {**first["Resources"], "slow": SLOW}}  # type: ignore[dict-item]
    cloudformation.update_stack(StackName=id, TemplateBody=json.dumps(second))

    cloudformation.cancel_update_stack(StackName=id)

    until(lambda: described(cloudformation, id)["StackStatus"] == "ROLLBACK_COMPLETE")
    cloudformation.delete_stack(StackName=id)


class TestTemplates:
    def test_one_is_validated(self, cloudformation: Any) -> None:
        found = cloudformation.validate_template(TemplateBody=json.dumps(TEMPLATE))
        assert found["Description"] == "Two values"
        declared = {one["ParameterKey"]: one for one in found["Parameters"]}
        assert declared["Key"]["NoEcho"] is True
        assert declared["Length"]["DefaultValue"] == "8"
        assert "DefaultValue" not in declared["Name"]

    def test_a_wrong_one_is_refused(self, cloudformation: Any) -> None:
        with pytest.raises(errors.ClientError, match="there is no property `lenght`") as refused:
            cloudformation.validate_template(
                TemplateBody=json.dumps(
                    {
                        "AWSTemplateFormatVersion": "2010-09-09",
                        "Resources": {"a": {"Type": "OS::Heat::RandomString", "Properties": {"lenght": 1}}},
                    }
                )
            )
        assert refused.value.response["Error"]["Code"] == "InvalidParameterValue"

    def test_costs_are_estimated(self, cloudformation: Any) -> None:
        template = {
            "heat_template_version": "2021-04-16",
            "parameters": {"size": {"type": "number"}},
            "resources": {
                "servers": {
                    "type": "OS::Heat::ResourceGroup",
                    "properties": {
                        "count": 3,
                        "resource_def": {
                            "type": "OS::Nova::Server",
                            "properties": {"flavor": "m1.tiny", "image": "cirros"},
                        },
                    },
                },
                "disk": {"type": "OS::Cinder::Volume", "properties": {"size": {"get_param": "size"}}},
            },
        }
        url = cloudformation.estimate_template_cost(
            TemplateBody=json.dumps(template), Parameters=parameters(size="20")
        )["Url"]

        page = httpx.get(url)

        assert page.status_code == 200
        assert "default-src 'none'" in page.headers["Content-Security-Policy"]
        cells = re.findall("<t[dh]>(.*?)</t[dh]>", page.text)
        assert cells == [
            *("Resource", "Amount", "Per month (EUR)"),
            *("OS::Nova::Server m1.tiny", "3", "21.90"),
            *("OS::Cinder::Volume", "20 GB", "2.00"),
            *("Total", "", "23.90"),
        ]
        middle = len(url) - 20
        wrong = url[:middle] + ("A" if url[middle] != "A" else "B") + url[middle + 1 :]
        assert httpx.get(wrong).status_code == 404


class TestErrors:
    def code(self, call: Any, **given: Any) -> Any:
        with pytest.raises(errors.ClientError) as refused:
            call(**given)
        return refused.value.response["Error"]["Code"]

    def test_of_stacks_that_exist_already(self, cloudformation: Any) -> None:
        id = create(cloudformation, "twice")
        with pytest.raises(cloudformation.exceptions.ClientError) as refused:
            create(cloudformation, "twice")
        assert refused.value.response["Error"]["Code"] == "AlreadyExists"
        cloudformation.delete_stack(StackName=id)

    def test_of_parameters(self, cloudformation: Any) -> None:
        body = json.dumps(TEMPLATE)
        new = cloudformation.create_stack
        assert self.code(new, StackName="p", TemplateBody=body) == "InvalidParameterValue"
        assert self.code(new, StackName="p") == "MissingParameter"
        both = {"DisableRollback": True, "OnFailure": "DELETE"}
        assert self.code(new, StackName="p", TemplateBody=body, **both) == "InvalidParameterCombination"

    def test_of_actions_that_there_are_not(self, cloudformation: Any) -> None:
        assert self.code(cloudformation.list_exports) == "InvalidAction"

    def test_of_forged_signatures(self, server: Server, cloudformation: Any) -> None:
        forger = boto3.client(
            "cloudformation",
            endpoint_url=cloudformation.meta.endpoint_url,
            region_name="RegionOne",
            aws_access_key_id=new_keys(server).access,
            aws_secret_access_key="guessed",
        )
        assert self.code(forger.list_stacks) == "AccessDenied"


class TestTemplatesAtUrls:
    @pytest.fixture
    def url(self, tmp_path: Path) -> Iterator[str]:
        (tmp_path / "template").write_text(json.dumps(TEMPLATE))
        handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
        with ThreadingHTTPServer(("127.0.0.1", 0), handler) as served:
            Thread(target=served.serve_forever).start()
            yield f"http://127.0.0.1:{served.server_port}/template"
            served.shutdown()

    def test_they_are_fetched(self, cloudformation: Any, url: str) -> None:
        id = cloudformation.create_stack(
            StackName="fetched", TemplateURL=url, Parameters=parameters(Name="x")
        )["StackId"]
        wait(cloudformation, "stack_create_complete", id)
        assert cloudformation.get_template(StackName=id)["TemplateBody"] == TEMPLATE
        cloudformation.delete_stack(StackName=id)

    def test_from_allowed_addresses_only(self, cloudformation: Any) -> None:
        with pytest.raises(errors.ClientError, match="not at a public address"):
            cloudformation.create_stack(StackName="u", TemplateURL="http://169.254.169.254/template")
