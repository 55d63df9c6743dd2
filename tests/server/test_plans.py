"""Plans about real objects of the embedded cloud."""

from __future__ import annotations

from typing import Any

from tests.server.orchestrator import Orchestrator
from tests.support.server import until


def preview(who: Orchestrator, path: str, resources: dict[str, Any], **more: Any) -> dict[str, str]:
    """What would be done, by name."""
    template = {"heat_template_version": "2021-04-16", "resources": resources}
    answer = who.api.put(f"{path}/preview", json={"template": template, **more})
    assert answer.status_code == 200, answer.text
    plan = answer.json()["plan"]
    return {one["resource_name"]: one["action"] for one in reversed(plan)}


def test_a_smaller_volume_is_refused_before_anything_is_done(demo: Orchestrator) -> None:
    def resources(size: int, name: str) -> dict[str, Any]:
        return {
            "disk": {"type": "OS::Cinder::Volume", "properties": {"size": size}},
            "net": {"type": "OS::Neutron::Net", "properties": {"name": name}},
        }

    path = demo.create("shrinking", resources(2, "before"))

    body = {"template": {"heat_template_version": "2021-04-16", "resources": resources(1, "after")}}
    answer = demo.api.put(path, json=body)

    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]["message"] == (
        "resources.disk.properties.size: Shrinking volume is not supported."
    )
    assert demo.api.get(path).json()["stack"]["stack_status"] == "CREATE_COMPLETE"
    assert (demo.shown("network", f"/v2.0/networks/{demo.id_of(path, 'net')}") or {})["name"] == "before"
    demo.delete(path)


def test_a_plan_that_converges_reads_what_there_is(demo: Orchestrator) -> None:
    resources: dict[str, Any] = {
        "disk": {"type": "OS::Cinder::Volume", "properties": {"size": 1}},
        "net": {"type": "OS::Neutron::Net", "properties": {"name": "mine"}},
    }
    path = demo.create("converging", resources)
    disk, net = demo.id_of(path, "disk"), demo.id_of(path, "net")
    kept = {"disk": "keep", "net": "keep"}
    assert preview(demo, path, resources, converge=True) == kept
    demo.ask("network", "PUT", f"/v2.0/networks/{net}", json={"network": {"name": "theirs"}})
    demo.ask("block-storage", "DELETE", f"/volumes/{disk}")
    until(lambda: demo.shown("block-storage", f"/volumes/{disk}") is None)

    assert preview(demo, path, resources) == kept
    assert preview(demo, path, resources, converge=True) == {"disk": "replace", "net": "update"}
    assert preview(demo, path, resources) == kept, "a plan changes nothing"
    demo.delete(path)


def test_what_reads_a_config_that_is_replaced_is_decided(demo: Orchestrator) -> None:
    def resources(text: str, policy: str) -> dict[str, Any]:
        server = {
            "image": "debian-12",
            "flavor": "m1.tiny",
            "networks": [{"network": {"get_resource": "net"}}],
            "user_data_format": "RAW",
            "user_data": {"get_resource": "config"},
            "user_data_update_policy": policy,
        }
        return {
            "net": {"type": "OS::Neutron::Net"},
            "subnet": {
                "type": "OS::Neutron::Subnet",
                "properties": {"network": {"get_resource": "net"}, "cidr": "10.77.0.0/24"},
            },
            "config": {"type": "OS::Heat::SoftwareConfig", "properties": {"config": text}},
            "server": {"type": "OS::Nova::Server", "properties": server, "depends_on": "subnet"},
        }

    path = demo.create("decided", resources("one", "REPLACE"))
    before = demo.id_of(path, "server")

    assert preview(demo, path, resources("two", "REPLACE"))["server"] == "replace"
    assert preview(demo, path, resources("two", "IGNORE"))["server"] == "update"
    demo.update(path, resources("two", "REPLACE"))
    assert demo.id_of(path, "server") != before
    demo.delete(path)
