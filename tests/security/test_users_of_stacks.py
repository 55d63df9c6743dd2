"""With the keys that a stack has put on its server, nothing can be done but what they are for: every route of the REST
API and every action of the CFN API is tried."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from calor.api.cfn.actions.table import ACTIONS
from calor.api.heat.actions import ACTIONS as VERBS
from calor.api.heat.routes import ROUTES
from calor.api.web import Route
from calor.clouds.ec2 import ReceivedRequest, Signer
from calor.store import tables
from tests.security.tenants import rows
from tests.support.api import PROJECT, Door, Stage, token
from tests.support.cfn import cfn_app, signer

USERS = "9" * 32
HANDLE = "OS::Heat::WaitConditionHandle"
AGENT = "id-of-agent"
TEMPLATE = {"heat_template_version": "2021-04-16", "resources": {"mine": {"type": HANDLE}}}
SIGNED = {
    "AWSAccessKeyId": "key",
    "Signature": "s",
    "SignatureVersion": "2",
    "Expires": "2999-01-01T00:00:00Z",
}


@pytest.fixture
def stack(stage: Stage) -> str:
    id = stage.add_stack("s", user_project=USERS, template=TEMPLATE)
    stage.add_resource(id, "mine", type=HANDLE, data={"user_id": AGENT}, metadata={"own": 1})
    stage.add_resource(id, "other", type=HANDLE, data={"user_id": "id-of-another"}, metadata={"not": "own"})
    stage.add_event(id, "other")
    return id


@pytest.fixture(params=[USERS, PROJECT], ids=["project of users", "project of the stack"])
def home(request: pytest.FixtureRequest) -> str:
    """Where the user is: in a domain for users or, if there is none, in the project of the stack."""
    return str(request.param)


def changed(stage: Stage) -> Any:
    """What only others may change."""
    return [
        [tuple(row) for row in rows(stage, table)] for table in (tables.stack, tables.resource, tables.inbox)
    ]


@pytest.fixture(autouse=True)
def unchanged(stage: Stage, stack: str) -> Iterator[None]:
    before = changed(stage)
    yield
    assert changed(stage) == before


def bodies(route: Route) -> list[Any]:
    if route.path.endswith("/actions"):
        return [{verb: None} for verb in VERBS]
    return [
        {"stack_name": "n", "template": TEMPLATE, "mark_unhealthy": True, "config_id": "c", "server_id": "s"}
    ]


def path_of(route: Route, **given: str) -> str:
    return re.sub(r"\{(\w+)(?::arn)?\}", lambda name: given.get(name[1], "physical-other"), route.path)


MAY = {
    ("GET", "/stacks/{stack_name}/{stack_id}/resources/{resource_name}/metadata"),
    ("POST", "/stacks/{stack_name}/{stack_id}/resources/{resource_name}/signal"),
    ("GET", "/software_deployments/metadata/{server_id}"),
}
LOOKUP = "stacks:lookup"


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_routes_of_the_rest_api(door: Door, stack: str, home: str, route: Route) -> None:
    agent = door.by(token("agent", home, "heat_stack_user"), home)
    arn = f"arn:openstack:heat::{PROJECT}:stacks/s/{stack}"
    name = arn if ":arn}" in route.path else "s"
    path = path_of(route, stack_name=name, stack_id=stack, resource_name="other")
    for body in bodies(route) if route.method in ("POST", "PUT", "PATCH") else [None]:
        answer = agent(route.method, path, body)
        if route.rule == LOOKUP:
            # The address of a stack is all that this answers: it is not followed here.
            assert answer.status_code in (302, 303, 307, 308), answer.text
        elif (route.method, route.path) == ("GET", "/software_deployments/metadata/{server_id}"):
            assert answer.json() == {"metadata": []}
        else:
            assert answer.status_code == 403, (answer.status_code, answer.text)
            assert "not" not in answer.json().get("metadata", {})


@pytest.mark.parametrize("action", ACTIONS)
def test_actions_of_the_cfn_api(stage: Stage, stack: str, home: str, action: str) -> None:
    def verify(received: ReceivedRequest) -> Signer:
        return signer(AGENT, home, "heat_stack_user")

    client = TestClient(cfn_app(stage, verify), base_url="http://cfn.test")
    for name in ("s", stack, f"arn:openstack:heat::{PROJECT}:stacks/s/{stack}"):
        given = {
            "StackName": name,
            "LogicalResourceId": "other",
            "TemplateBody": "{}",
            "UsePreviousTemplate": "true",
        }
        answer = client.post("/v1/", data={"Action": action, **given, **SIGNED})
        assert (answer.status_code, "<Code>AccessDenied</Code>" in answer.text) == (403, True), answer.text
    for way, verb in (("signal", "POST"), ("waitcondition", "PUT")):
        arn = quote(f"arn:openstack:heat::{PROJECT}:stacks/s/{stack}/resources/other", safe="")
        assert client.request(verb, f"/v1/{way}/{arn}", params=SIGNED, content=b"{}").status_code == 403


def test_what_is_left_is_its_own(door: Door, stage: Stage, stack: str, home: str) -> None:
    """The other resources that are tried above are refused for whose they are, not for another reason."""
    assert {(route.method, route.path) for route in ROUTES} >= MAY
    agent = door.by(token("agent", home, "heat_stack_user"), home)
    assert agent.get(f"/stacks/s/{stack}/resources/mine/metadata") == {"metadata": {"own": 1}}

    client = TestClient(cfn_app(stage, lambda received: signer(AGENT, home, "heat_stack_user")))
    given = {
        "Action": "DescribeStackResource",
        "StackName": "s",
        "LogicalResourceId": "mine",
        "ContentType": "JSON",
    }
    answer = client.get("/v1/", params={**given, **SIGNED}).json()
    detail = answer["DescribeStackResourceResponse"]["DescribeStackResourceResult"]["StackResourceDetail"]
    assert detail["Metadata"] == {"own": 1}
