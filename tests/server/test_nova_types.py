"""Stacks of servers and what belongs to them, against the embedded cloud."""

from __future__ import annotations

import json
from typing import Any

import httpx2 as httpx

from calor.server.settings import EMBEDDED_POLLING_INTERVAL
from tests.server.orchestrator import Orchestrator


def server(**properties: Any) -> dict[str, Any]:
    given = {
        "flavor": "m1.tiny",
        "image": "cirros",
        "networks": [{"network": "heat-net"}],
        "user_data_format": "RAW",
        **properties,
    }
    return {"type": "OS::Nova::Server", "properties": given}


def shown(demo: Orchestrator, id: str) -> dict[str, Any]:
    headers = {"X-OpenStack-Nova-API-Version": "2.26"}
    answer = demo.ask("compute", "GET", f"/servers/{id}", headers=headers)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()["server"]
    return found


def left_over(demo: Orchestrator) -> dict[str, list[Any]]:
    """What there is of a project's own."""
    servers = demo.ask("compute", "GET", "/servers").json()["servers"]
    ports = demo.ask("network", "GET", "/v2.0/ports").json()["ports"]
    return {
        "servers": servers,
        "ports": [port for port in ports if not port["device_owner"].startswith("network:")],
    }


def test_a_server_comes_changes_and_goes(demo: Orchestrator) -> None:
    outputs = {
        "addresses": {"value": {"get_attr": ["server", "networks", "heat-net"]}},
        "consoles": {"value": {"get_attr": ["server", "console_urls", "novnc"]}},
    }
    path = demo.create("coming", {"server": server(tags=["a"], metadata={"k": 1})}, outputs=outputs)
    id = demo.id_of(path, "server")

    made = shown(demo, id)
    assert made["status"] == "ACTIVE"
    assert made["tags"] == ["a"]
    assert made["metadata"] == {"k": "1"}
    [address] = demo.outputs(path)["addresses"]
    assert address in [one["addr"] for one in made["addresses"]["heat-net"]]

    changed = server(
        name="renamed",
        flavor="m1.small",
        image="debian-12",
        tags=["b"],
        metadata={"k": "2"},
        networks=[{"network": "heat-net"}, {"network": "test-net"}],
    )
    demo.update(path, {"server": changed}, outputs=outputs)

    assert demo.id_of(path, "server") == id
    now = shown(demo, id)
    assert (now["name"], now["status"], now["tags"], now["metadata"]) == (
        "renamed",
        "ACTIVE",
        ["b"],
        {"k": "2"},
    )
    assert now["flavor"]["id"] != made["flavor"]["id"]
    assert now["image"]["id"] != made["image"]["id"]
    assert set(now["addresses"]) == {"heat-net", "test-net"}
    assert demo.outputs(path)["addresses"] == [address]

    demo.delete(path)
    assert left_over(demo) == {"servers": [], "ports": []}


def test_one_that_is_replaced_keeps_the_ports_of_the_template(demo: Orchestrator) -> None:
    port = {"type": "OS::Neutron::Port", "properties": {"network": "heat-net"}}
    networks = [{"port": {"get_resource": "port"}}]
    first = server(networks=networks, user_data="one")
    path = demo.create("replacing", {"port": port, "server": first})
    before, held = demo.id_of(path, "server"), demo.id_of(path, "port")

    demo.update(path, {"port": port, "server": server(networks=networks, user_data="two")})

    after = demo.id_of(path, "server")
    assert after != before
    found = demo.shown("network", f"/v2.0/ports/{held}")
    assert found is not None
    assert found["device_id"] == after
    demo.delete(path)
    assert left_over(demo) == {"servers": [], "ports": []}


def test_one_that_cannot_be_replaced_gets_its_ports_back(demo: Orchestrator) -> None:
    port = {"type": "OS::Neutron::Port", "properties": {"network": "heat-net"}}
    networks = [{"port": {"get_resource": "port"}}]
    path = demo.create("returning", {"port": port, "server": server(networks=networks, user_data="one")})
    before, held = demo.id_of(path, "server"), demo.id_of(path, "port")
    too_large = server(networks=networks, user_data="two", availability_zone="nowhere")

    template = {"heat_template_version": "2018-08-31", "resources": {"port": port, "server": too_large}}
    demo.api.put(path, json={"template": template, "disable_rollback": False})
    demo.wait(path, "ROLLBACK_COMPLETE")

    assert demo.id_of(path, "server") == before
    found = demo.shown("network", f"/v2.0/ports/{held}")
    assert found is not None
    assert found["device_id"] == before
    demo.delete(path)
    assert left_over(demo) == {"servers": [], "ports": []}


def test_one_rests_is_looked_at_and_wakes(demo: Orchestrator) -> None:
    path = demo.create("resting", {"server": server()})
    id = demo.id_of(path, "server")

    demo.act(path, "suspend")
    assert shown(demo, id)["status"] == "SUSPENDED"
    demo.act(path, "resume")
    assert shown(demo, id)["status"] == "ACTIVE"
    demo.act(path, "check")
    demo.delete(path)


def images(demo: Orchestrator) -> set[str]:
    return {image["id"] for image in demo.ask("image", "GET", "/v2/images").json()["images"]}


def test_a_snapshot_leads_back_to_what_was_on_the_server(demo: Orchestrator) -> None:
    before = images(demo)
    path = demo.create("kept", {"server": server()})
    id = demo.id_of(path, "server")
    snapshot = demo.api.post(f"{path}/snapshots", json={"name": "first"}).json()["id"]
    demo.wait(path, "SNAPSHOT_COMPLETE")
    [image] = images(demo) - before

    demo.api.post(f"{path}/snapshots/{snapshot}/restore")
    demo.wait(path, "RESTORE_COMPLETE")

    assert shown(demo, id)["image"]["id"] == image
    assert demo.api.delete(f"{path}/snapshots/{snapshot}").status_code == 204
    assert images(demo) == before
    demo.delete(path)


def test_a_server_can_be_kept_as_an_image_when_its_stack_goes(demo: Orchestrator) -> None:
    before = images(demo)
    path = demo.create("parting", {"server": {**server(), "deletion_policy": "Snapshot"}})

    demo.delete(path)

    [image] = images(demo) - before
    assert left_over(demo) == {"servers": [], "ports": []}
    demo.ask("image", "DELETE", f"/v2/images/{image}")


def test_agents_find_their_deployments(demo: Orchestrator) -> None:
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
    path = demo.create("deploying", resources)

    metadata = demo.api.get(f"{path}/resources/server/metadata").json()["metadata"]

    settings = metadata["os-collect-config"]
    assert settings["collectors"] == ["ec2", "heat", "local"]
    assert settings["polling_interval"] == EMBEDDED_POLLING_INTERVAL
    assert [one["config"] for one in metadata["deployments"]] == ["date"]
    demo.delete(path)


def test_agents_may_read_in_the_object_store(demo: Orchestrator) -> None:
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
    path = demo.create("storing", {"server": machine, **deployment("date")}, outputs=outputs)
    url = demo.outputs(path)["settings"]["request"]["metadata_url"]

    def read() -> Any:
        answer = httpx.get(url)
        assert answer.status_code == 200, answer.text
        return answer.json()

    assert read()["os-collect-config"]["collectors"] == ["ec2", "request", "local"]
    assert [one["config"] for one in read()["deployments"]] == ["date"]

    demo.update(path, {"server": machine, **deployment("uptime")}, outputs=outputs)
    assert [one["config"] for one in read()["deployments"]] == ["uptime"]
    demo.update(path, {"server": machine}, outputs=outputs)
    assert read()["deployments"] == []

    demo.delete(path)
    assert httpx.get(url).status_code == 404


class TestWhatIsNotThere:
    def refused(self, demo: Orchestrator, resources: dict[str, Any], **sections: Any) -> Any:
        template = {"heat_template_version": "2018-08-31", "resources": resources, **sections}
        answer = demo.api.post("/stacks", json={"stack_name": "wrong", "template": template})
        assert answer.status_code == 400, answer.text
        return answer.json()

    def test_is_reported_before_anything_is_made(self, demo: Orchestrator) -> None:
        reported = self.refused(demo, {"server": server(flavor="m1.mega", image="windows")})

        words = json.dumps(reported)
        assert "resources.server.properties.flavor" in words
        assert "Error validating value 'm1.mega': The flavor (m1.mega) could not be found." in words
        assert "Error validating value 'windows': The image (windows) could not be found." in words

    def test_also_for_parameters(self, demo: Orchestrator) -> None:
        key = {"type": "string", "default": "lost", "constraints": [{"custom_constraint": "nova.keypair"}]}

        reported = self.refused(demo, {}, parameters={"key": key})

        assert "The key pair (lost) could not be found." in json.dumps(reported)

    def test_is_reported_by_previews(self, demo: Orchestrator) -> None:
        template = {"heat_template_version": "2018-08-31", "resources": {"server": server(flavor="m1.mega")}}

        answer = demo.api.post("/stacks/preview", json={"stack_name": "wrong", "template": template})

        assert answer.status_code == 400
        assert "m1.mega" in answer.text


def test_many_servers_are_validated_quickly(demo: Orchestrator) -> None:
    resources = {f"server{number}": server() for number in range(300)}
    template = {"heat_template_version": "2018-08-31", "resources": resources}

    answer = demo.api.post("/stacks/preview", json={"stack_name": "many", "template": template})

    assert answer.status_code == 200, answer.text


def test_what_belongs_to_servers(admin: Orchestrator) -> None:
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
