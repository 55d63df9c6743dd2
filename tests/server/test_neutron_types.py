"""Stacks of network objects, against the network service of the embedded cloud."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.server.orchestrator import Orchestrator

Resources = dict[str, Any]


COLLECTIONS = (
    "networks",
    "subnets",
    "ports",
    "routers",
    "floatingips",
    "security-groups",
    "subnetpools",
    "address-scopes",
    "trunks",
    "qos/policies",
    "rbac-policies",
)


def inventory(demo: Orchestrator) -> dict[str, list[str]]:
    """All that the network service holds for a user, by collection."""
    found = {}
    for collection in COLLECTIONS:
        answer = demo.ask("network", "GET", f"/v2.0/{collection}")
        assert answer.status_code == 200, answer.text
        [objects] = answer.json().values()
        found[collection] = sorted(each["id"] for each in objects)
    return found


def shown(demo: Orchestrator, collection: str, id: str) -> dict[str, Any]:
    found = demo.shown("network", f"/v2.0/{collection}/{id}")
    assert found is not None
    return found


def resource(type_name: str, **properties: Any) -> dict[str, Any]:
    return {"type": f"OS::Neutron::{type_name}", "properties": properties}


def ref(name: str) -> dict[str, str]:
    return {"get_resource": name}


def attr(*path: Any) -> dict[str, list[Any]]:
    return {"get_attr": list(path)}


def site(**changed: Any) -> Resources:
    """A network behind a router, with a port that is reached from outside."""
    return {
        "net": resource("Net", **{"name": "site", "tags": ["a"], **changed.get("net", {})}),
        "subnet": resource(
            "Subnet",
            **{"network": ref("net"), "cidr": "10.77.0.0/24", "name": "site", **changed.get("subnet", {})},
        ),
        "router": resource(
            "Router", **{"external_gateway_info": {"network": "public"}, **changed.get("router", {})}
        ),
        "inner": resource("RouterInterface", router=ref("router"), subnet=ref("subnet")),
        "group": resource("SecurityGroup", rules=changed.get("rules", [{"protocol": "icmp"}])),
        "port": resource(
            "Port", **{"network": ref("net"), "security_groups": [ref("group")], **changed.get("port", {})}
        ),
        "outer": resource("FloatingIP", floating_network="public"),
        "way": resource("FloatingIPAssociation", floatingip_id=ref("outer"), port_id=ref("port")),
    }


OUTPUTS = {
    "address": {"value": attr("port", "fixed_ips", 0, "ip_address")},
    "cidr": {"value": attr("port", "subnets", 0, "cidr")},
    "mtu": {"value": attr("port", "network", "mtu")},
    "subnets": {"value": attr("net", "subnets")},
    "outside": {"value": attr("outer", "floating_ip_address")},
    "leads_to": {"value": attr("outer", "port_id")},
    "status": {"value": attr("router", "status")},
}


def test_a_site_comes_changes_and_goes(demo: Orchestrator) -> None:
    before = inventory(demo)
    path = demo.create("site", site(), outputs=OUTPUTS)
    net, subnet, router, port, group, outer = (
        demo.id_of(path, name) for name in ("net", "subnet", "router", "port", "group", "outer")
    )

    said = demo.outputs(path)
    assert said["address"].startswith("10.77.0.")
    assert (said["cidr"], said["subnets"], said["leads_to"]) == ("10.77.0.0/24", [subnet], port)
    assert said["mtu"] == shown(demo, "networks", net)["mtu"]
    assert said["outside"] == shown(demo, "floatingips", outer)["floating_ip_address"]
    assert said["status"] == "ACTIVE"
    assert shown(demo, "networks", net)["tags"] == ["a"]
    assert shown(demo, "ports", port)["security_groups"] == [group]
    assert demo.id_of(path, "inner") == f"{router}:subnet_id={subnet}"
    assert demo.id_of(path, "way") != port

    demo.act(path, "check")
    demo.update(
        path,
        site(
            net={"name": "place", "tags": ["b", "c"]},
            subnet={"dns_nameservers": ["192.0.2.53"], "enable_dhcp": False},
            port={"fixed_ips": [{"subnet": "site", "ip_address": "10.77.0.50"}], "name": "door"},
            rules=[{"protocol": "tcp", "port_range_min": 80, "port_range_max": 80}],
        ),
        outputs=OUTPUTS,
    )

    assert [demo.id_of(path, name) for name in ("net", "subnet", "port")] == [net, subnet, port]
    assert (shown(demo, "networks", net)["name"], sorted(shown(demo, "networks", net)["tags"])) == (
        "place",
        ["b", "c"],
    )
    assert shown(demo, "subnets", subnet)["dns_nameservers"] == ["192.0.2.53"]
    assert demo.outputs(path)["address"] == "10.77.0.50"
    inward = [
        rule["protocol"]
        for rule in shown(demo, "security-groups", group)["security_group_rules"]
        if rule["direction"] == "ingress"
    ]
    assert inward == ["tcp"]

    demo.delete(path)

    assert inventory(demo) == before


@pytest.fixture
def trouble(admin: Orchestrator) -> Iterator[Callable[..., None]]:
    """Has the cloud fail in some way; it is well again afterwards."""
    faults = admin.endpoints["identity"].removesuffix("/identity/v3") + "/faults"

    def begin(**fault: Any) -> None:
        answer = admin.cloud.post(faults, json={"fault": fault})
        assert answer.status_code in (200, 201), answer.text

    yield begin
    admin.cloud.delete(faults)


def test_lost_answers_make_nothing_twice(demo: Orchestrator, trouble: Callable[..., None]) -> None:
    before = inventory(demo)
    collections = ("networks", "subnets", "ports", "routers", "floatingips", "security-groups")
    for path in (*collections, "security-group-rules"):
        trouble(method="POST", path=f".*/v2.0/{path}", times=1, drop=True, carried_out=True)
    for path in ("routers/.*/add_router_interface", "networks/.*/tags"):
        trouble(method="PUT", path=f".*/v2.0/{path}", times=1, status=502, carried_out=True)
    path = demo.create("hardly", site(), outputs=OUTPUTS)

    added = {name: len(ids) - len(before[name]) for name, ids in inventory(demo).items()}
    # Besides its own, there is the router's inner port; the outer one belongs to nobody.
    assert {name: number for name, number in added.items() if number} == {
        "networks": 1,
        "subnets": 1,
        "ports": 2,
        "routers": 1,
        "floatingips": 1,
        "security-groups": 1,
    }
    for path_of in (*collections, "routers/.*/remove_router_interface"):
        trouble(method=None, path=f".*/v2.0/{path_of}(/[^/]*)?", times=1, status=503, carried_out=True)
    demo.delete(path)
    assert inventory(demo) == before


def test_what_was_created_elsewhere_shows_its_origin(demo: Orchestrator) -> None:
    public = demo.ask("network", "GET", "/v2.0/networks?name=public").json()["networks"][0]
    resources = {"outside": {"type": "OS::Neutron::Net", "external_id": public["id"]}}
    path = demo.create("pointing", resources, outputs={"name": {"value": attr("outside", "name")}})

    assert demo.outputs(path) == {"name": "public"}
    demo.delete(path)
    assert demo.shown("network", f"/v2.0/networks/{public['id']}") is not None


def test_a_site_changes_hands(demo: Orchestrator) -> None:
    before = inventory(demo)
    path = demo.create("first", site(), outputs=OUTPUTS)
    said, port = demo.outputs(path), demo.id_of(path, "port")
    data = demo.api.delete(f"{path}/abandon").json()
    answer = demo.api.post(
        "/stacks",
        json={"stack_name": "second", "template": data["template"], "adopt_stack_data": json.dumps(data)},
    )
    assert answer.status_code == 201, answer.text
    path = f"/stacks/second/{answer.json()['stack']['id']}"
    demo.wait(path, "ADOPT_COMPLETE")

    assert (demo.outputs(path), demo.id_of(path, "port")) == (said, port)
    demo.update(path, site(port={"name": "door"}), outputs=OUTPUTS)
    assert shown(demo, "ports", port)["name"] == "door"
    demo.delete(path)
    assert inventory(demo) == before


def test_what_is_marked_unhealthy_is_recreated(demo: Orchestrator) -> None:
    before = inventory(demo)
    path = demo.create("ill", site(), outputs=OUTPUTS)
    port = demo.id_of(path, "port")
    for name in ("way", "port"):
        body = {"mark_unhealthy": True, "resource_status_reason": "it does not answer"}
        answer = demo.api.patch(f"{path}/resources/{name}", json=body)
        assert answer.status_code in (200, 204), answer.text
    demo.update(path, site(), outputs=OUTPUTS)

    anew = demo.id_of(path, "port")
    assert anew != port
    assert demo.outputs(path)["leads_to"] == anew
    demo.delete(path)
    assert inventory(demo) == before


def test_ports_and_routers_move_to_a_subnet_of_another_range(demo: Orchestrator) -> None:
    before = inventory(demo)
    on_it = {"fixed_ips": [{"subnet": ref("subnet")}]}
    resources = {name: one for name, one in site(port=on_it).items() if name not in ("outer", "way")}
    path = demo.create("moving", resources)
    net, subnet, port, inner = (demo.id_of(path, name) for name in ("net", "subnet", "port", "inner"))

    resources["subnet"]["properties"]["cidr"] = "10.78.0.0/24"
    demo.update(path, resources)

    assert (demo.id_of(path, "net"), demo.id_of(path, "port")) == (net, port)
    assert demo.id_of(path, "subnet") != subnet
    assert demo.id_of(path, "inner") != inner
    assert demo.shown("network", f"/v2.0/subnets/{subnet}") is None
    assert shown(demo, "ports", port)["fixed_ips"][0]["ip_address"].startswith("10.78.0.")
    demo.delete(path)
    assert inventory(demo) == before


def test_a_port_keeps_its_address_when_it_is_replaced_and_when_that_is_undone(demo: Orchestrator) -> None:
    before = inventory(demo)

    def doors(mac: str, fails: bool = False) -> Resources:
        address = [{"subnet": ref("subnet"), "ip_address": "10.80.0.7"}]
        return {
            "net": resource("Net"),
            "subnet": resource("Subnet", network=ref("net"), cidr="10.80.0.0/24"),
            "port": resource("Port", network=ref("net"), fixed_ips=address, mac_address=mac),
            "last": {
                "type": "OS::Heat::TestResource",
                "properties": {"value": attr("port", "mac_address"), "fail": fails},
            },
        }

    path = demo.create("doors", doors("fa:16:3e:00:00:01"))
    first = demo.id_of(path, "port")
    demo.update(path, doors("fa:16:3e:00:00:02"))
    second = demo.id_of(path, "port")
    assert second != first
    assert shown(demo, "ports", second)["fixed_ips"][0]["ip_address"] == "10.80.0.7"

    body = {
        "template": {"heat_template_version": "2018-08-31", "resources": doors("fa:16:3e:00:00:03", True)}
    }
    answer = demo.api.put(path, json={**body, "disable_rollback": False})
    assert answer.status_code == 202, answer.text
    demo.wait(path, "ROLLBACK_COMPLETE")

    assert demo.id_of(path, "port") == second
    assert shown(demo, "ports", second)["fixed_ips"][0]["ip_address"] == "10.80.0.7"
    demo.delete(path)
    assert inventory(demo) == before


def test_a_port_may_be_new_with_every_update(demo: Orchestrator) -> None:
    resources = {"port": resource("Port", network="heat-net", replacement_policy="REPLACE_ALWAYS")}
    path = demo.create("renewed", resources)
    port = demo.id_of(path, "port")
    demo.update(path, resources)

    assert demo.id_of(path, "port") != port
    assert demo.shown("network", f"/v2.0/ports/{port}") is None
    demo.delete(path)


def test_a_router_gets_its_gateway_apart_and_routes(demo: Orchestrator) -> None:
    before = inventory(demo)
    resources = {
        "net": resource("Net"),
        "subnet": resource("Subnet", network=ref("net"), cidr="10.79.0.0/24", gateway_ip="10.79.0.1"),
        "router": resource("Router"),
        "inner": resource("RouterInterface", router=ref("router"), subnet=ref("subnet")),
        "gateway": resource("RouterGateway", router_id=ref("router"), network="public"),
        "one": resource(
            "ExtraRoute", router_id=ref("router"), destination="10.1.0.0/16", nexthop="10.79.0.9"
        ),
        "many": resource(
            "ExtraRouteSet",
            router=ref("router"),
            routes=[{"destination": "10.2.0.0/16", "nexthop": "10.79.0.9"}],
        ),
    }
    path = demo.create("routing", resources)
    router = shown(demo, "routers", demo.id_of(path, "router"))

    assert demo.id_of(path, "gateway") == f"{router['id']}:{router['external_gateway_info']['network_id']}"
    assert demo.id_of(path, "many") == router["id"]
    assert {route["destination"] for route in router["routes"]} == {"10.1.0.0/16", "10.2.0.0/16"}

    demo.act(path, "check")
    resources["many"]["properties"]["routes"] = [{"destination": "10.3.0.0/16", "nexthop": "10.79.0.9"}]
    demo.update(path, resources)

    router = shown(demo, "routers", router["id"])
    assert {route["destination"] for route in router["routes"]} == {"10.1.0.0/16", "10.3.0.0/16"}
    demo.delete(path)
    assert inventory(demo) == before


def test_groups_may_be_about_each_other(demo: Orchestrator) -> None:
    before = inventory(demo)
    resources = {
        "web": resource("SecurityGroup", rules=[{"remote_mode": "remote_group_id"}]),
        "db": resource("SecurityGroup", rules=[{"direction": "egress", "protocol": "udp"}]),
        "in": resource(
            "SecurityGroupRule",
            security_group=ref("db"),
            remote_group=ref("web"),
            port_range_min=5432,
            port_range_max=5432,
        ),
        "back": resource("SecurityGroupRule", security_group=ref("web"), remote_group=ref("db")),
    }
    path = demo.create("groups", resources)
    web, db = demo.id_of(path, "web"), demo.id_of(path, "db")

    def rules(group: str) -> set[tuple[str, str | None, str | None]]:
        listed = shown(demo, "security-groups", group)["security_group_rules"]
        return {(rule["direction"], rule["protocol"], rule["remote_group_id"]) for rule in listed}

    assert rules(db) == {("egress", "udp", None), ("ingress", "tcp", web)}
    assert rules(web) == {("egress", None, None), ("ingress", None, web), ("ingress", "tcp", db)}
    resources["db"]["properties"]["rules"] = []
    demo.update(path, resources)
    assert rules(db) == {("egress", None, None), ("ingress", "tcp", web)}
    demo.delete(path)
    assert inventory(demo) == before


def test_what_an_administrator_has_to_give(admin: Orchestrator, demo: Orchestrator) -> None:
    before = inventory(admin)
    resources = {
        "scope": resource("AddressScope"),
        "pool": resource(
            "SubnetPool", prefixes=["10.96.0.0/16"], address_scope=ref("scope"), default_prefixlen=26
        ),
        "policy": resource("QoSPolicy", shared=False),
        "limit": resource("QoSBandwidthLimitRule", policy=ref("policy"), max_kbps=1000),
        "mark": resource("QoSDscpMarkingRule", policy=ref("policy"), dscp_mark=46),
        "least": resource("QoSMinimumBandwidthRule", policy=ref("policy"), min_kbps=10),
        "net": resource("ProviderNet", network_type="vlan", physical_network="physnet1", shared=False),
        "subnet": resource("Subnet", network=ref("net"), subnetpool=ref("pool")),
        "shared": resource(
            "RBACPolicy",
            object_type="network",
            object_id=ref("net"),
            action="access_as_shared",
            target_tenant=demo.project,
        ),
        "quota": resource("Quota", project=demo.project, network=77),
    }
    path = admin.create(
        "giving",
        resources,
        outputs={
            "cidr": {"value": attr("subnet", "cidr")},
            "rules": {"value": attr("policy", "rules")},
        },
    )

    said = admin.outputs(path)
    assert said["cidr"].startswith("10.96.")
    assert said["cidr"].endswith("/26")
    assert len(said["rules"]) == 3
    assert demo.shown("network", f"/v2.0/networks/{admin.id_of(path, 'net')}") is not None
    assert shown(demo, "quotas", demo.project)["network"] == 77
    assert admin.id_of(path, "quota") == demo.project

    admin.act(path, "check")
    resources["limit"]["properties"]["max_kbps"] = 2000
    resources["quota"]["properties"]["network"] = 78
    resources["pool"]["properties"]["prefixes"] = ["10.96.0.0/16", "10.98.0.0/16"]
    admin.update(path, resources)

    policy = shown(admin, "qos/policies", admin.id_of(path, "policy"))
    assert {rule.get("max_kbps") for rule in policy["rules"]} == {2000, None}
    assert shown(demo, "quotas", demo.project)["network"] == 78
    admin.delete(path)
    assert inventory(admin) == before
    assert shown(demo, "quotas", demo.project)["network"] != 78


def test_a_trunk_carries_ports_and_a_floating_ip_forwards(demo: Orchestrator) -> None:
    before = inventory(demo)
    resources = {
        **{name: one for name, one in site().items() if name not in ("way", "group")},
        "port": resource("Port", network=ref("net"), fixed_ips=[{"subnet": ref("subnet")}]),
        "parent": resource("Port", network=ref("net")),
        "child": resource("Port", network=ref("net")),
        "trunk": resource(
            "Trunk",
            port=ref("parent"),
            sub_ports=[{"port": ref("child"), "segmentation_type": "vlan", "segmentation_id": 7}],
        ),
        "forward": resource(
            "FloatingIPPortForward",
            floating_ip=ref("outer"),
            internal_port=ref("port"),
            internal_ip_address=attr("port", "fixed_ips", 0, "ip_address"),
            internal_port_number=80,
            external_port=8080,
            protocol="tcp",
        ),
    }
    path = demo.create("carrying", resources)
    trunk, outer = demo.id_of(path, "trunk"), demo.id_of(path, "outer")
    forward = f"floatingips/{outer}/port_forwardings"

    assert [one["segmentation_id"] for one in shown(demo, "trunks", trunk)["sub_ports"]] == [7]
    assert shown(demo, forward, demo.id_of(path, "forward"))["external_port"] == 8080

    demo.act(path, "check")
    resources["trunk"]["properties"]["sub_ports"][0]["segmentation_id"] = 8
    resources["forward"]["properties"]["external_port"] = 8081
    demo.update(path, resources)

    assert [one["segmentation_id"] for one in shown(demo, "trunks", trunk)["sub_ports"]] == [8]
    assert shown(demo, forward, demo.id_of(path, "forward"))["external_port"] == 8081
    demo.delete(path)
    assert inventory(demo) == before


def test_a_stack_that_names_what_there_is_not_fails_and_can_be_deleted(demo: Orchestrator) -> None:
    before = inventory(demo)
    resources = {
        "net": resource("Net"),
        "port": resource("Port", network=ref("net"), security_groups=["no-such-group"]),
        "joined": resource("RouterInterface", router=attr("net", "name"), subnet=attr("net", "name")),
    }
    path = demo.begin("misnamed", resources)
    demo.wait(path, "CREATE_FAILED")

    demo.delete(path)
    assert inventory(demo) == before


def test_what_the_network_service_has_no_extension_for_is_refused_before_anything_is_made(
    demo: Orchestrator,
) -> None:
    resources = {
        "net": {"type": "OS::Neutron::Net"},
        "policy": {"type": "OS::Neutron::IKEPolicy", "properties": {"name": "p"}},
    }
    template = {"heat_template_version": "2018-08-31", "resources": resources}

    answer = demo.api.post("/stacks", json={"stack_name": "vpn", "template": template})

    assert answer.status_code == 400
    assert answer.json()["error"]["message"].endswith(
        "Service neutron is not available for resource type OS::Neutron::IKEPolicy, reason: Required extension "
        "vpnaas in neutron service is not available."
    )


def test_types_are_not_offered_that_the_network_service_has_no_extension_for(demo: Orchestrator) -> None:
    offered = demo.api.get("/resource_types").json()["resource_types"]
    shown = demo.api.get("/resource_types/OS::Neutron::IKEPolicy")
    sampled = demo.api.get("/resource_types/OS::Neutron::IKEPolicy/template")

    assert "OS::Neutron::Router" in offered
    assert "OS::Neutron::IKEPolicy" not in offered
    assert (shown.status_code, sampled.status_code) == (400, 400)
    assert "Required extension vpnaas" in shown.json()["error"]["message"]
