"""Keys from inside a server reach the resource they were made for, and nothing else of the stack."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from calor.clouds.ec2 import ReceivedRequest, Signer
from calor.stacks.keys import HOOK
from tests.support.api import PROJECT, Door, Stage, error, token
from tests.support.cfn import cfn_app, signer

USERS = "9" * 32
HANDLE = "OS::Heat::WaitConditionHandle"


@pytest.fixture
def stack(stage: Stage) -> str:
    id = stage.add_stack("s", user_project=USERS)
    stage.add_resource(id, "mine", type=HANDLE, data={"user_id": "id-of-agent", HOOK: "pre-create"})
    stage.add_resource(id, "other", type=HANDLE, data={"user_id": "id-of-another", HOOK: "pre-create"})
    stage.add_resource(id, "nobodys", type=HANDLE)
    return id


@pytest.fixture
def agent(door: Door) -> Door:
    return door.by(token("agent", USERS, "heat_stack_user"), USERS)


def signal(door: Door, stack: str, name: str, details: Any = None) -> Any:
    return door("POST", f"/stacks/s/{stack}/resources/{name}/signal", details or {})


class TestSignals:
    @pytest.mark.parametrize(("name", "status"), [("mine", 200), ("other", 403), ("nobodys", 403)])
    def test_only_the_own_resource_is_signalled(
        self, agent: Door, stack: str, name: str, status: int
    ) -> None:
        assert signal(agent, stack, name).status_code == status

    @pytest.mark.parametrize(("name", "status"), [("mine", 200), ("other", 403), ("nobodys", 403)])
    @pytest.mark.parametrize("project", [USERS, PROJECT])
    def test_nor_with_signed_urls(
        self, stage: Stage, stack: str, name: str, status: int, project: str
    ) -> None:
        def verify(received: ReceivedRequest) -> Signer:
            return signer("id-of-agent", project, "heat_stack_user")

        client = TestClient(cfn_app(stage, verify), base_url="http://cfn.test")
        arn = f"arn:openstack:heat::{PROJECT}:stacks/s/{stack}/resources/{name}"
        signed = {"AWSAccessKeyId": "key", "Signature": "s", "SignatureVersion": "2"}

        assert client.post(f"/v1/signal/{arn}", params=signed, content=b"{}").status_code == status

    @pytest.mark.parametrize("name", ["mine", "other"])
    def test_hooks_are_cleared_by_members(self, door: Door, agent: Door, stack: str, name: str) -> None:
        error(signal(agent, stack, name, {"unset_hook": "pre-create"}), 403)

        assert signal(door, stack, name, {"unset_hook": "pre-create"}).status_code == 200

    def test_a_user_of_iam_signals_what_its_policies_allow(self, door: Door, stack: str) -> None:
        add = door.stage.add_resource
        add(stack, "p", type="OS::Heat::AccessPolicy", properties={"AllowedResources": ["other"]})
        add(stack, "u", type="AWS::IAM::User", properties={"Policies": ["p"]}, data={"user_id": "id-of-iam"})
        iam = door.by(token("iam", USERS, "heat_stack_user"), USERS)

        assert signal(iam, stack, "other").status_code == 200
        error(signal(iam, stack, "mine"), 403)

    def test_the_url_of_a_resource_that_is_being_replaced_still_signals(
        self, stage: Stage, agent: Door, stack: str
    ) -> None:
        stage.add_resource(stack, "mine", type=HANDLE, data={"user_id": "id-of-the-new-one"})

        assert signal(agent, stack, "mine").status_code == 200


class TestDeployments:
    @pytest.fixture(autouse=True)
    def deployed(self, door: Door, stack: str) -> None:
        for server in ("physical-mine", "physical-other"):
            config = {"name": server, "config": "#!", "inputs": [{"name": "i", "value": f"for {server}"}]}
            id = door("POST", "/software_configs", config).json()["software_config"]["id"]
            body = {"server_id": server, "config_id": id, "stack_user_project_id": USERS}
            made = door("POST", "/software_deployments", body).json()["software_deployment"]
            data = {"user_id": f"id-of-deployment-to-{server}"}
            kind = "OS::Heat::SoftwareDeployment"
            door.stage.add_resource(stack, f"d-{server}", type=kind, physical_id=made["id"], data=data)

    def names(self, door: Door, server: str) -> list[str]:
        return [one["name"] for one in door.get(f"/software_deployments/metadata/{server}")["metadata"]]

    def test_a_server_reads_its_own(self, agent: Door) -> None:
        assert self.names(agent, "physical-mine") == ["physical-mine"]

    def test_not_those_of_another_server(self, agent: Door) -> None:
        assert self.names(agent, "physical-other") == []

    def test_nor_where_users_are_in_the_project_of_the_stack(self, door: Door) -> None:
        agent = door.by(token("agent", roles="heat_stack_user"))

        assert self.names(agent, "physical-mine") == ["physical-mine"]
        assert self.names(agent, "physical-other") == []

    def test_the_user_of_a_deployment_reads_those_of_its_server(self, door: Door) -> None:
        user = door.by(token("deployment-to-physical-mine", USERS, "heat_stack_user"), USERS)

        assert self.names(user, "physical-mine") == ["physical-mine"]
        assert self.names(user, "physical-other") == []

    def test_members_read_all(self, door: Door) -> None:
        assert self.names(door, "physical-other") == ["physical-other"]
