"""Readers see what a stack is like, but nothing with which they could do more than read."""

from __future__ import annotations

import json
import time
from typing import Any
from uuid import uuid4

import pytest

from calor.language.values import MASK
from calor.store import tables
from calor.types.heat.software.agent_settings import SETTINGS
from tests.security.tenants import VERSION
from tests.support.api import Door, Stage, token

PASSWORD = "a-password-of-a-user"
URL = "http://cfn/v1/signal/arn?Signature=signed"
POLICY = "OS::Heat::ScalingPolicy"
UP = {
    "type": POLICY,
    "properties": {
        "auto_scaling_group_id": "g",
        "adjustment_type": "change_in_capacity",
        "scaling_adjustment": 1,
    },
}


@pytest.fixture
def reader(door: Door) -> Door:
    return door.by(token("rita", roles="reader"))


class TestAttributes:
    @pytest.fixture
    def path(self, stage: Stage) -> str:
        id = stage.add_stack("s", template={**VERSION, "resources": {"up": UP}})
        stage.add_resource(id, "up", type=POLICY, attributes={"alarm_url": URL, "signal_url": "plain"})
        # Of a resource that the definition no longer has, only the type is known.
        stage.add_resource(id, "going", type=POLICY, attributes={"alarm_url": URL})
        return f"/stacks/s/{id}"

    @pytest.mark.parametrize("name", ["up", "going"])
    def test_secret_ones_are_masked_for_readers(self, door: Door, reader: Door, path: str, name: str) -> None:
        for query in ({}, {"with_attr": "alarm_url"}):
            seen = reader.get(f"{path}/resources/{name}", **query)["resource"]["attributes"]
            assert seen["alarm_url"] == MASK
        assert door.get(f"{path}/resources/{name}")["resource"]["attributes"]["alarm_url"] == URL

    def test_others_are_shown(self, reader: Door, path: str) -> None:
        assert reader.get(f"{path}/resources/up")["resource"]["attributes"]["signal_url"] == "plain"

    def test_in_lists_as_well(self, door: Door, reader: Door, path: str) -> None:
        assert URL not in json.dumps(reader.get(f"{path}/resources", with_detail="true"))
        assert URL in json.dumps(door.get(f"{path}/resources", with_detail="true"))

    def test_those_of_members_below_are_masked(self, running: Stage, door: Door, reader: Door) -> None:
        group = {
            "type": "OS::Heat::ResourceGroup",
            "properties": {"count": 1, "resource_def": {"type": "OS::Heat::RandomString"}},
        }
        path = door.create("s", {**VERSION, "resources": {"g": group}})
        assert door.settled(path)["stack_status"] == "CREATE_COMPLETE"
        secret = door.get(f"{path}/resources/g", with_attr="resource.0.value")["resource"]["attributes"]

        for wanted in ("resource.0.value", "value"):
            seen = reader.get(f"{path}/resources/g", with_attr=wanted)["resource"]["attributes"]
            assert seen[wanted] == MASK
        assert len(secret["resource.0.value"]) == 32


class TestMetadata:
    @pytest.fixture
    def path(self, stage: Stage) -> str:
        id = stage.add_stack("s")
        heat = {"user_id": "u", "password": PASSWORD, "auth_url": "http://identity", "stack_id": "s/1"}
        settings = {"collectors": ["ec2", "heat"], "heat": heat, "cfn": None}
        data = {"user_id": "id-of-agent"}
        metadata = {SETTINGS: settings, "own": 1}
        stage.add_resource(id, "s1", type="OS::Nova::Server", metadata=metadata, data=data)
        return f"/stacks/s/{id}/resources/s1/metadata"

    def test_credentials_of_agents_are_masked_for_readers(self, reader: Door, path: str) -> None:
        seen = reader.get(path)["metadata"]

        assert seen["own"] == 1
        assert seen[SETTINGS]["heat"] == {
            "user_id": "u",
            "password": MASK,
            "auth_url": "http://identity",
            "stack_id": "s/1",
        }

    def test_members_and_the_agent_get_them(self, door: Door, path: str) -> None:
        agent = door.by(token("agent", roles="heat_stack_user"))

        for who in (door, agent):
            assert who.get(path)["metadata"][SETTINGS]["heat"]["password"] == PASSWORD


def test_defaults_of_hidden_parameters_of_nested_stacks_are_masked(door: Door, reader: Door) -> None:
    below = {**VERSION, "parameters": {"pw": {"type": "string", "hidden": True}}, "resources": {}}
    template = {**VERSION, "resources": {"n": {"type": "below.yaml"}}}
    environment = {"parameter_defaults": {"pw": PASSWORD, "open": "plain"}}
    path = door.create("s", template, files={"below.yaml": json.dumps(below)}, environment=environment)

    for who in (door, reader):
        shown = who.get(f"{path}/environment")["parameter_defaults"]
        assert shown == {"pw": MASK, "open": "plain"}


class TestMetadataMadeOfSecrets:
    """It is stored as it was evaluated, without marks."""

    HIDDEN = "SUPERSECRET"

    def described(self, value: Any) -> dict[str, Any]:
        return {"type": "OS::Heat::Value", "properties": {"value": "plain"}, "metadata": {"m": value}}

    def create(self, door: Door, resources: dict[str, Any], **files: Any) -> str:
        template = {
            **VERSION,
            "parameters": {"pw": {"type": "string", "hidden": True}},
            "resources": resources,
        }
        written = {f"{name}.yaml": json.dumps(content) for name, content in files.items()}
        path = door.create("s", template, files=written, parameters={"pw": self.HIDDEN})
        assert door.settled(path)["stack_status"] == "CREATE_COMPLETE"
        return path

    def test_attributes_of_other_resources_are_masked(self, running: Stage, door: Door, reader: Door) -> None:
        drawn = {"type": "OS::Heat::RandomString"}
        path = self.create(door, {"r": drawn, "w": self.described({"get_attr": ["r", "value"]})})

        assert reader.get(f"{path}/resources/w/metadata")["metadata"] == {"m": MASK}
        assert len(door.get(f"{path}/resources/w/metadata")["metadata"]["m"]) == 32

    @pytest.mark.parametrize("kind", ["template", "group"])
    def test_secrets_of_the_stack_above_are_masked(
        self, running: Stage, door: Door, reader: Door, kind: str
    ) -> None:
        secret = {"get_param": "pw"}
        member = self.described({"get_param": "p"})
        below = {**VERSION, "parameters": {"p": {"type": "string"}}, "resources": {"w": member}}
        group = {
            "type": "OS::Heat::ResourceGroup",
            "properties": {"count": 1, "resource_def": self.described(secret)},
        }
        nested = {"type": "below.yaml", "properties": {"p": secret}}
        path = self.create(door, {"n": nested if kind == "template" else group}, below=below)
        links = door.get(f"{path}/resources/n")["resource"]["links"]
        [name, id] = next(one["href"] for one in links if one["rel"] == "nested").split("/")[-2:]
        there = f"/stacks/{name}/{id}/resources/{'w' if kind == 'template' else '0'}/metadata"

        assert reader.get(there)["metadata"] == {"m": MASK}
        assert door.get(there)["metadata"] == {"m": self.HIDDEN}

    def test_values_from_before_a_failed_update_are_masked(
        self, running: Stage, door: Door, reader: Door
    ) -> None:
        described = self.described({"get_param": "pw"})
        shown = {"type": "OS::Heat::TestResource", "properties": {"value": {"get_param": "pw"}}}
        path = self.create(door, {"w": described, "t": shown})
        failing = {"type": "OS::Heat::TestResource", "properties": {"fail": True}}
        later = {
            "first": failing,
            "w": {**described, "depends_on": "first"},
            "t": {**shown, "depends_on": "first"},
        }
        template = {**VERSION, "parameters": {"pw": {"type": "string", "hidden": True}}, "resources": later}
        door("PUT", path, {"template": template, "parameters": {"pw": "ANOTHER"}})
        assert door.settled(path)["stack_status"] == "UPDATE_FAILED"

        assert reader.get(f"{path}/resources/w/metadata")["metadata"] == {"m": MASK}
        for who in (door, reader):
            assert who.get(f"{path}/resources/t")["resource"]["attributes"]["output"] == MASK


def test_what_reports_for_a_server_is_masked_for_readers(door: Door, reader: Door) -> None:
    inputs = [
        {"name": "deploy_signal_id", "value": URL},
        {"name": "deploy_password", "value": PASSWORD},
        {"name": "own", "value": "v"},
    ]
    config = {"name": "c", "config": "#!", "inputs": inputs}
    id = door("POST", "/software_configs", config).json()["software_config"]["id"]
    door("POST", "/software_deployments", {"server_id": "server", "config_id": id})

    shown = reader.get(f"/software_configs/{id}")["software_config"]["inputs"]
    [applied] = reader.get("/software_deployments/metadata/server")["metadata"]

    assert [one["value"] for one in shown] == [MASK, MASK, "v"]
    assert applied["inputs"] == shown
    assert URL in json.dumps(door.get("/software_deployments/metadata/server"))


class TestSnapshots:
    HIDDEN = "SUPERSECRET"

    @pytest.fixture
    def stack(self, running: Stage, door: Door) -> str:
        parameters = {
            "pw": {"type": "string", "hidden": True},
            "pin": {"type": "number", "hidden": True, "default": 7},
            "open": {"type": "string", "default": "plain"},
        }
        value = {"type": "OS::Heat::Value", "properties": {"value": {"get_param": "pw"}}}
        below = {**VERSION, "parameters": {"p": {"type": "string"}}, "resources": {"v": value}}
        below["resources"] = {"v": {"type": "OS::Heat::Value", "properties": {"value": {"get_param": "p"}}}}
        nested = {"type": "below.yaml", "properties": {"p": {"get_param": "pw"}}}
        template = {**VERSION, "parameters": parameters, "resources": {"v": value, "n": nested}}
        given = {"pw": self.HIDDEN, "pin": 9, "open": "plain"}
        path = door.create("s", template, files={"below.yaml": json.dumps(below)}, parameters=given)
        assert door.settled(path)["stack_status"] == "CREATE_COMPLETE"
        return path

    def snapshot(self, door: Door, path: str) -> str:
        made = door("POST", f"{path}/snapshots", {"name": "n"}).json()
        assert door.settled(path)["stack_status"] == "SNAPSHOT_COMPLETE"
        return f"{path}/snapshots/{made['id']}"

    def test_hidden_parameters_are_masked_for_readers(self, door: Door, reader: Door, stack: str) -> None:
        path = self.snapshot(door, stack)

        seen = reader.get(path)["snapshot"]

        assert self.HIDDEN not in json.dumps(seen)
        assert seen["data"]["environment"]["parameters"] == {"pw": MASK, "pin": MASK, "open": "plain"}
        assert self.HIDDEN not in json.dumps(reader.get(f"{stack}/snapshots"))
        assert door.get(path)["snapshot"]["data"]["environment"]["parameters"]["pw"] == self.HIDDEN

    def test_a_stack_is_restored_with_them(self, door: Door, reader: Door, stack: str) -> None:
        path = self.snapshot(door, stack)
        reader.get(path)

        assert door("POST", f"{path}/restore").status_code == 202
        assert door.settled(stack)["stack_status"] == "RESTORE_COMPLETE"
        assert door.get(f"{self.snapshot(door, stack)}")["snapshot"]["data"]["environment"]["parameters"] == {
            "pw": self.HIDDEN,
            "pin": 9,
            "open": "plain",
        }

    def test_secrets_that_nested_stacks_were_given_are_left_out(
        self, running: Stage, door: Door, reader: Door
    ) -> None:
        drawn = {"get_attr": ["r", "value"]}
        inner = {"type": "OS::Heat::Value", "properties": {"value": {"get_param": "p"}}}
        below = {**VERSION, "parameters": {"p": {"type": "string"}}, "resources": {"w": inner}}
        member = {**inner, "properties": {"value": drawn}, "metadata": {"m": drawn}}
        group = {"type": "OS::Heat::ResourceGroup", "properties": {"count": 1, "resource_def": member}}
        nested = {"type": "below.yaml", "properties": {"p": drawn}}
        resources = {"r": {"type": "OS::Heat::RandomString"}, "g": group, "n": nested}
        files = {"below.yaml": json.dumps(below)}
        stack = door.create("t", {**VERSION, "resources": resources}, files=files)
        assert door.settled(stack)["stack_status"] == "CREATE_COMPLETE"
        secret = door.get(f"{stack}/resources/r")["resource"]["attributes"]["value"]
        path = self.snapshot(door, stack)

        assert secret not in json.dumps(reader.get(path))
        assert secret in json.dumps(door.get(path))

    def test_credentials_of_resources_are_left_out(self, stage: Stage, door: Door, reader: Door) -> None:
        id = stage.add_stack("s")
        [row] = [one for one in _definitions(stage) if one.id == id]
        metadata = {SETTINGS: {"heat": {"password": PASSWORD}}}
        member = {"type": POLICY, "resource_data": {"access": URL}, "metadata": metadata}
        resources = {"g": {**member, "resources": {"m": member}}}
        data = {"environment": {}, "resources": resources, "_definition": row.definition}
        snapshot = {"id": str(uuid4()), "stack": id, "project": door.project, "name": "n", "action": "CREATE"}
        snapshot |= {"status": "COMPLETE", "reason": "", "created_at": time.time(), "data": data}
        stage.insert(tables.snapshot, **snapshot)

        seen = json.dumps(reader.get(f"/stacks/s/{id}/snapshots/{snapshot['id']}"))

        assert URL not in seen
        assert PASSWORD not in seen
        assert URL in json.dumps(door.get(f"/stacks/s/{id}/snapshots/{snapshot['id']}"))


def _definitions(stage: Stage) -> list[Any]:
    with stage.database.connect() as connection:
        return list(connection.execute(tables.stack.select()))
