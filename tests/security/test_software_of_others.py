"""Nobody has software run on another project's servers, or touches another's configs and deployments."""

from __future__ import annotations

from typing import Any

import pytest

from calor.store import tables
from tests.security.tenants import adopted, attacker, made, rows, template, victim
from tests.support.api import Door, Stage, error, token

USERS = "9" * 32
"""The project of the users of the victim's stack."""
SERVER = "the-victims-server"


@pytest.fixture
def owner(running: Stage) -> Door:
    return victim(running)


@pytest.fixture
def mallory(running: Stage) -> Door:
    return attacker(running)


@pytest.fixture
def agent(running: Stage, owner: Door) -> Door:
    """What runs on the victim's server."""
    stack = running.add_stack("servers", user_project=USERS)
    running.add_resource(stack, "server", physical_id=SERVER, data={"user_id": "id-of-agent"})
    return owner.by(token("agent", USERS, "heat_stack_user"), USERS)


def config_of(door: Door, text: str = "#!/bin/sh") -> str:
    answer = door("POST", "/software_configs", {"name": "c", "config": text})
    return str(answer.json()["software_config"]["id"])


def deploy(door: Door, config: str, **more: Any) -> Any:
    return door("POST", "/software_deployments", {"server_id": SERVER, "config_id": config, **more})


class TestDeployments:
    def test_the_users_of_anothers_stack_are_not_named_as_readers(
        self, owner: Door, mallory: Door, agent: Door
    ) -> None:
        config = config_of(mallory, "rm -rf /")

        error(deploy(mallory, config, stack_user_project_id=USERS), 403)

        assert agent.get(f"/software_deployments/metadata/{SERVER}")["metadata"] == []

    def test_and_such_a_deployment_is_not_read(self, running: Stage, mallory: Door, agent: Door) -> None:
        """As it may be in the database from before it was refused."""
        made = deploy(mallory, config_of(mallory, "rm -rf /")).json()["software_deployment"]
        running.change(tables.software_deployment, made["id"], stack_user_project=USERS)

        assert agent.get(f"/software_deployments/metadata/{SERVER}")["metadata"] == []
        error(agent.by(agent.token)("GET", f"/software_deployments/{made['id']}"), 403)

    def test_the_owner_deploys_to_servers_of_the_stack(self, owner: Door, agent: Door) -> None:
        assert deploy(owner, config_of(owner), stack_user_project_id=USERS).status_code == 200

        assert len(agent.get(f"/software_deployments/metadata/{SERVER}")["metadata"]) == 1

    def test_anothers_config_is_not_deployed(self, owner: Door, mallory: Door) -> None:
        error(deploy(mallory, config_of(owner)), 404)


KINDS = ["OS::Heat::SoftwareConfig", "OS::Heat::SoftwareDeployment"]


class TestStacks:
    @pytest.fixture
    def ids(self, owner: Door) -> dict[str, str]:
        """The ids of what the victim has, by type."""
        config = config_of(owner)
        deployment = deploy(owner, config).json()["software_deployment"]["id"]
        return {KINDS[0]: config, KINDS[1]: deployment}

    @pytest.mark.parametrize("kind", KINDS)
    def test_an_object_of_another_project_is_not_an_external_resource(
        self, mallory: Door, ids: dict[str, str], kind: str
    ) -> None:
        for id in (ids[kind], "made-up"):
            body = {"stack_name": "t", "template": template(r={"type": kind, "external_id": id})}
            assert error(mallory("POST", "/stacks", body), 400)["type"] == "StackValidationFailed"

    def test_an_id_that_is_known_only_later_is_looked_up_then(
        self, mallory: Door, ids: dict[str, str]
    ) -> None:
        value = {"type": "OS::Heat::Value", "properties": {"value": ids[KINDS[0]]}}
        below = {"heat_template_version": "2021-04-16", "parameters": {"id": {"type": "string"}}}
        external = {"type": KINDS[0], "external_id": {"get_param": "id"}}
        below["resources"] = {"r": external}
        nested = {"type": "below.yaml", "properties": {"id": {"get_attr": ["v", "value"]}}}
        path = mallory.create("t", template(v=value, n=nested), files={"below.yaml": below})

        stack = mallory.settled(path)

        assert stack["stack_status"] == "CREATE_FAILED"
        assert "could not be found" in stack["stack_status_reason"]
        own = {**value, "properties": {"value": config_of(mallory)}}
        body = {"template": template(v=own, n=nested), "files": {"below.yaml": below}}
        assert mallory("PUT", path, body).status_code == 202
        assert mallory.settled(path)["stack_status"] == "UPDATE_COMPLETE"

    @pytest.mark.parametrize("kind", KINDS)
    def test_nothing_is_done_to_an_external_resource(
        self, owner: Door, ids: dict[str, str], kind: str
    ) -> None:
        before = rows(owner.stage, tables.software_config), rows(owner.stage, tables.software_deployment)
        actions = {"actions": ["SUSPEND", "RESUME", "DELETE"], "server": SERVER, "config": ids[KINDS[0]]}
        properties = {"properties": actions} if kind == KINDS[1] else {}
        path = made(owner, {"r": {"type": kind, "external_id": ids[kind], **properties}})

        for action in ("suspend", "resume", "check"):
            assert owner.act(path, action)["stack_status"] == f"{action.upper()}_COMPLETE"
        error(owner("POST", f"{path}/resources/r/signal", {}), 400)
        owner.deleted(path)

        after = rows(owner.stage, tables.software_config), rows(owner.stage, tables.software_deployment)
        assert after == before

    def test_a_check_shows_that_it_is_gone(self, owner: Door) -> None:
        config = config_of(owner)
        path = made(owner, {"r": {"type": KINDS[0], "external_id": config}})
        assert owner("DELETE", f"/software_configs/{config}").status_code == 204

        assert owner.act(path, "check")["stack_status"] == "CHECK_FAILED"

    @pytest.mark.parametrize("kind", KINDS)
    def test_what_is_anothers_is_not_adopted(
        self, owner: Door, mallory: Door, ids: dict[str, str], kind: str
    ) -> None:
        before = rows(owner.stage, tables.software_config), rows(owner.stage, tables.software_deployment)
        properties = {"properties": {"server": SERVER}} if kind == KINDS[1] else {}
        path, stack = adopted(mallory, {"r": {"type": kind, **properties}}, {"r": {"resource_id": ids[kind]}})
        mallory.deleted(path)

        assert stack["stack_status"] == "ADOPT_FAILED"
        after = rows(owner.stage, tables.software_config), rows(owner.stage, tables.software_deployment)
        assert after == before

    def test_what_another_stack_has_is_not_adopted(self, owner: Door) -> None:
        path = made(owner, {"r": {"type": KINDS[0]}})
        id = owner.get(f"{path}/resources/r")["resource"]["physical_resource_id"]

        second, stack = adopted(owner, {"r": {"type": KINDS[0]}}, {"r": {"resource_id": id}})
        owner.deleted(second)

        assert stack["stack_status"] == "ADOPT_FAILED"
        assert owner("GET", f"/software_configs/{id}").status_code == 200

    def test_what_a_stack_has_left_is_adopted(self, owner: Door) -> None:
        path = made(owner, {"r": {"type": KINDS[0]}})
        data = owner("DELETE", f"{path}/abandon").json()
        owner.settled(path)

        _, stack = adopted(owner, {"r": {"type": KINDS[0]}}, data["resources"])

        assert stack["stack_status"] == "ADOPT_COMPLETE"
