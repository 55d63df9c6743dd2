"""Stacks of servers and what belongs to them, against the embedded cloud."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from orchestrating import Orchestrator
from running import Server, free_port


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(Path(tmp_path_factory.mktemp("server")) / "state", free_port())
    server.ready()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def user(place: Server) -> Orchestrator:
    return Orchestrator(place)


def server(**properties: Any) -> dict[str, Any]:
    given = {
        "flavor": "m1.tiny",
        "image": "cirros",
        "networks": [{"network": "heat-net"}],
        "user_data_format": "RAW",
        **properties,
    }
    return {"type": "OS::Nova::Server", "properties": given}


def shown(user: Orchestrator, id: str) -> dict[str, Any]:
    headers = {"X-OpenStack-Nova-API-Version": "2.26"}
    answer = user.ask("compute", "GET", f"/servers/{id}", headers=headers)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()["server"]
    return found


def left_over(user: Orchestrator) -> dict[str, list[Any]]:
    """What there is of a project's own."""
    servers = user.ask("compute", "GET", "/servers").json()["servers"]
    ports = user.ask("network", "GET", "/v2.0/ports").json()["ports"]
    return {
        "servers": servers,
        "ports": [port for port in ports if not port["device_owner"].startswith("network:")],
    }


def test_a_server_comes_changes_and_goes(user: Orchestrator) -> None:
    outputs = {
        "addresses": {"value": {"get_attr": ["server", "networks", "heat-net"]}},
        "consoles": {"value": {"get_attr": ["server", "console_urls", "novnc"]}},
    }
    path = user.create("coming", {"server": server(tags=["a"], metadata={"k": 1})}, outputs=outputs)
    id = user.id_of(path, "server")

    made = shown(user, id)
    assert made["status"] == "ACTIVE"
    assert made["tags"] == ["a"]
    assert made["metadata"] == {"k": "1"}
    [address] = user.outputs(path)["addresses"]
    assert address in [one["addr"] for one in made["addresses"]["heat-net"]]

    changed = server(
        name="renamed",
        flavor="m1.small",
        image="debian-12",
        tags=["b"],
        metadata={"k": "2"},
        networks=[{"network": "heat-net"}, {"network": "test-net"}],
    )
    user.update(path, {"server": changed}, outputs=outputs)

    assert user.id_of(path, "server") == id
    now = shown(user, id)
    assert (now["name"], now["status"], now["tags"], now["metadata"]) == (
        "renamed",
        "ACTIVE",
        ["b"],
        {"k": "2"},
    )
    assert now["flavor"]["id"] != made["flavor"]["id"]
    assert now["image"]["id"] != made["image"]["id"]
    assert set(now["addresses"]) == {"heat-net", "test-net"}
    assert user.outputs(path)["addresses"] == [address]

    user.delete(path)
    assert left_over(user) == {"servers": [], "ports": []}


def test_one_that_is_replaced_keeps_the_ports_of_the_template(user: Orchestrator) -> None:
    port = {"type": "OS::Neutron::Port", "properties": {"network": "heat-net"}}
    networks = [{"port": {"get_resource": "port"}}]
    first = server(networks=networks, user_data="one")
    path = user.create("replacing", {"port": port, "server": first})
    before, held = user.id_of(path, "server"), user.id_of(path, "port")

    user.update(path, {"port": port, "server": server(networks=networks, user_data="two")})

    after = user.id_of(path, "server")
    assert after != before
    found = user.shown("network", f"/v2.0/ports/{held}")
    assert found is not None
    assert found["device_id"] == after
    user.delete(path)
    assert left_over(user) == {"servers": [], "ports": []}


def test_one_that_cannot_be_replaced_gets_its_ports_back(user: Orchestrator) -> None:
    port = {"type": "OS::Neutron::Port", "properties": {"network": "heat-net"}}
    networks = [{"port": {"get_resource": "port"}}]
    path = user.create("returning", {"port": port, "server": server(networks=networks, user_data="one")})
    before, held = user.id_of(path, "server"), user.id_of(path, "port")
    too_large = server(networks=networks, user_data="two", availability_zone="nowhere")

    template = {"heat_template_version": "2018-08-31", "resources": {"port": port, "server": too_large}}
    user.api.put(path, json={"template": template, "disable_rollback": False})
    user.wait(path, "ROLLBACK_COMPLETE")

    assert user.id_of(path, "server") == before
    found = user.shown("network", f"/v2.0/ports/{held}")
    assert found is not None
    assert found["device_id"] == before
    user.delete(path)
    assert left_over(user) == {"servers": [], "ports": []}


def test_one_rests_is_looked_at_and_wakes(user: Orchestrator) -> None:
    path = user.create("resting", {"server": server()})
    id = user.id_of(path, "server")

    user.act(path, "suspend")
    assert shown(user, id)["status"] == "SUSPENDED"
    user.act(path, "resume")
    assert shown(user, id)["status"] == "ACTIVE"
    user.act(path, "check")
    user.delete(path)


def images(user: Orchestrator) -> set[str]:
    return {image["id"] for image in user.ask("image", "GET", "/v2/images").json()["images"]}


def test_a_snapshot_leads_back_to_what_was_on_the_server(user: Orchestrator) -> None:
    before = images(user)
    path = user.create("kept", {"server": server()})
    id = user.id_of(path, "server")
    snapshot = user.api.post(f"{path}/snapshots", json={"name": "first"}).json()["id"]
    user.wait(path, "SNAPSHOT_COMPLETE")
    [image] = images(user) - before

    user.api.post(f"{path}/snapshots/{snapshot}/restore")
    user.wait(path, "RESTORE_COMPLETE")

    assert shown(user, id)["image"]["id"] == image
    assert user.api.delete(f"{path}/snapshots/{snapshot}").status_code == 204
    assert images(user) == before
    user.delete(path)


def test_a_server_can_be_kept_as_an_image_when_its_stack_goes(user: Orchestrator) -> None:
    before = images(user)
    path = user.create("parting", {"server": {**server(), "deletion_policy": "Snapshot"}})

    user.delete(path)

    [image] = images(user) - before
    assert left_over(user) == {"servers": [], "ports": []}
    user.ask("image", "DELETE", f"/v2/images/{image}")


def test_agents_find_their_deployments(user: Orchestrator) -> None:
    resources = {
        "config": {"type": "OS::Heat::SoftwareConfig", "properties": {"group": "script", "config": "date"}},
        "server": server(user_data_format="SOFTWARE_CONFIG", software_config_transport="POLL_SERVER_HEAT"),
        "deployment": {
            "type": "OS::Heat::SoftwareDeployment",
            "properties": {
                "config": {"get_resource": "config"},
                "server": {"get_resource": "server"},
                "signal_transport": "NO_SIGNAL",
            },
        },
    }
    path = user.create("deploying", resources)

    metadata = user.api.get(f"{path}/resources/server/metadata").json()["metadata"]

    assert metadata["os-collect-config"]["collectors"] == ["ec2", "heat", "local"]
    assert [one["config"] for one in metadata["deployments"]] == ["date"]
    user.delete(path)


def test_agents_may_read_in_the_object_store(user: Orchestrator) -> None:
    def deployment(command: str) -> dict[str, Any]:
        return {
            "config": {
                "type": "OS::Heat::SoftwareConfig",
                "properties": {"group": "script", "config": command},
            },
            "deployment": {
                "type": "OS::Heat::SoftwareDeployment",
                "properties": {
                    "config": {"get_resource": "config"},
                    "server": {"get_resource": "server"},
                    "signal_transport": "NO_SIGNAL",
                },
            },
        }

    machine = {
        "type": "OS::Heat::DeployedServer",
        "properties": {"software_config_transport": "POLL_TEMP_URL"},
    }
    outputs = {"settings": {"value": {"get_attr": ["server", "os_collect_config"]}}}
    path = user.create("storing", {"server": machine, **deployment("date")}, outputs=outputs)
    url = user.outputs(path)["settings"]["request"]["metadata_url"]

    def read() -> Any:
        answer = httpx.get(url)
        assert answer.status_code == 200, answer.text
        return answer.json()

    assert read()["os-collect-config"]["collectors"] == ["ec2", "request", "local"]
    assert [one["config"] for one in read()["deployments"]] == ["date"]

    user.update(path, {"server": machine, **deployment("uptime")}, outputs=outputs)
    assert [one["config"] for one in read()["deployments"]] == ["uptime"]
    user.update(path, {"server": machine}, outputs=outputs)
    assert read()["deployments"] == []

    user.delete(path)
    assert httpx.get(url).status_code == 404


class TestWhatIsNotThere:
    def refused(self, user: Orchestrator, resources: dict[str, Any], **sections: Any) -> Any:
        template = {"heat_template_version": "2018-08-31", "resources": resources, **sections}
        answer = user.api.post("/stacks", json={"stack_name": "wrong", "template": template})
        assert answer.status_code == 400, answer.text
        return answer.json()

    def test_is_told_before_anything_is_made(self, user: Orchestrator) -> None:
        told = self.refused(user, {"server": server(flavor="m1.mega", image="windows")})

        words = json.dumps(told)
        assert "resources.server.properties.flavor" in words
        assert "Error validating value 'm1.mega': The flavor (m1.mega) could not be found." in words
        assert "Error validating value 'windows': The image (windows) could not be found." in words

    def test_also_for_parameters(self, user: Orchestrator) -> None:
        key = {"type": "string", "default": "lost", "constraints": [{"custom_constraint": "nova.keypair"}]}

        told = self.refused(user, {}, parameters={"key": key})

        assert "The key pair (lost) could not be found." in json.dumps(told)

    def test_is_told_by_previews(self, user: Orchestrator) -> None:
        template = {"heat_template_version": "2018-08-31", "resources": {"server": server(flavor="m1.mega")}}

        answer = user.api.post("/stacks/preview", json={"stack_name": "wrong", "template": template})

        assert answer.status_code == 400
        assert "m1.mega" in answer.text


def test_many_servers_are_validated_quickly(user: Orchestrator, place: Server) -> None:
    resources = {f"server{number}": server() for number in range(300)}
    template = {"heat_template_version": "2018-08-31", "resources": resources}

    answer = user.api.post("/stacks/preview", json={"stack_name": "many", "template": template})

    assert answer.status_code == 200, answer.text


def test_what_belongs_to_servers(place: Server) -> None:
    admin = Orchestrator(place, "calor-admin")
    resources = {
        "key": {"type": "OS::Nova::KeyPair", "properties": {"name": "made", "save_private_key": True}},
        "flavor": {
            "type": "OS::Nova::Flavor",
            "properties": {"ram": 64, "vcpus": 1, "disk": 1, "extra_specs": {"a": "b"}, "is_public": False},
        },
        "group": {"type": "OS::Nova::ServerGroup", "properties": {"policies": ["affinity"]}},
        "aggregate": {
            "type": "OS::Nova::HostAggregate",
            "properties": {"name": "fast", "metadata": {"x": "y"}},
        },
        "server": server(
            flavor={"get_resource": "flavor"},
            key_name={"get_resource": "key"},
            scheduler_hints={"group": {"get_resource": "group"}},
        ),
    }
    outputs = {"private": {"value": {"get_attr": ["key", "private_key"]}}}
    path = admin.create("belongings", resources, outputs=outputs)

    assert "PRIVATE KEY" in admin.outputs(path)["private"]
    group = admin.shown("compute", f"/os-server-groups/{admin.id_of(path, 'group')}")
    assert group is not None
    assert group["members"] == [admin.id_of(path, "server")]
    flavor = admin.id_of(path, "flavor")
    specs = admin.ask("compute", "GET", f"/flavors/{flavor}/os-extra_specs").json()
    assert specs == {"extra_specs": {"a": "b"}}

    resources["flavor"]["properties"]["extra_specs"] = {"c": "d"}
    resources["aggregate"]["properties"]["metadata"] = {"z": "1"}
    admin.update(path, resources, outputs=outputs)
    specs = admin.ask("compute", "GET", f"/flavors/{flavor}/os-extra_specs").json()
    assert specs == {"extra_specs": {"c": "d"}}

    admin.delete(path)
    assert admin.shown("compute", "/os-keypairs/made") is None
    assert admin.shown("compute", f"/flavors/{flavor}") is None
