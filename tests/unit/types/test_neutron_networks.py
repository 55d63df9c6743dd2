"""Networks, subnets, ports and routers at work."""

from __future__ import annotations

from typing import Any

import pytest

from calor.clouds.errors import Conflict, NotFound, Permanent, Transient
from calor.resources.outcomes import ResourceFailed
from calor.testing import FakeCloud, run
from calor.types.neutron.networks.net import Net
from calor.types.neutron.networks.provider_net import ProviderNet
from calor.types.neutron.networks.segment import Segment
from calor.types.neutron.networks.subnet import Subnet
from calor.types.neutron.ports.port import Port
from calor.types.neutron.routers.router import Router
from calor.types.neutron.routers.router_gateway import RouterGateway
from calor.types.neutron.routers.router_interface import RouterInterface
from tests.unit.types.neutron_work import attribute, deleted, found, intended, made, updated

NETWORK = "0d6f4bbe-7d4c-4c3e-9c35-333333333333"
SUBNET = "0d6f4bbe-7d4c-4c3e-9c35-444444444444"
GUARD = "0d6f4bbe-7d4c-4c3e-9c35-555555555555"

# Networks.


def test_a_network_is_created_from_its_properties() -> None:
    context = made(Net, qos_policy="gold", dns_domain="example.org.", value_specs={"mtu": 1400})

    [request] = context.services.requests
    assert (request.service, request.line) == ("network", "POST /networks")
    assert request.body == {
        "network": {
            "name": context.physical_name(),
            "admin_state_up": True,
            "shared": False,
            "qos_policy_id": "q-gold",
            "dns_domain": "example.org.",
            "mtu": 1400,
        }
    }
    assert context.physical_id == "networks-1"
    assert attribute(context, "mtu") == 1400


def test_a_network_is_complete_when_it_is_no_longer_being_built() -> None:
    cloud = FakeCloud(statuses={"networks": "BUILD"}, next_status={"BUILD": "ACTIVE"})

    assert attribute(made(Net, cloud), "status") == "ACTIVE"


def test_a_network_that_goes_to_error_fails() -> None:
    with pytest.raises(ResourceFailed, match="ERROR"):
        made(Net, FakeCloud(statuses={"networks": "BUILD"}, next_status={"BUILD": "ERROR"}))


def test_tags_are_set_apart_from_the_object() -> None:
    context = made(Net, tags=["a", "b"])

    assert "tags" not in context.services.body("POST /networks")["network"]
    assert context.services.body("PUT /networks/networks-1/tags") == {"tags": ["a", "b"]}
    assert attribute(context, "show")["tags"] == ["a", "b"]
    updated(context, tags=None)
    assert context.services.body("PUT /networks/networks-1/tags") == {"tags": []}


def test_a_network_changes_in_place() -> None:
    context = made(Net, name="one", qos_policy="gold", dns_domain="example.org.", port_security_enabled=True)
    updated(
        context, name=None, qos_policy=None, dns_domain=None, port_security_enabled=None, admin_state_up=False
    )

    # What cannot be unset keeps its value.
    assert context.services.body("PUT /networks/networks-1") == {
        "network": {
            "name": context.physical_name(),
            "qos_policy_id": None,
            "dns_domain": "",
            "admin_state_up": False,
        }
    }
    assert attribute(context, "admin_state_up") is False


def test_only_the_agents_that_are_named_serve_a_network() -> None:
    cloud = FakeCloud()
    cloud.responses["GET /networks/networks-1/dhcp-agents"] = {"agents": [{"id": "a"}, {"id": "b"}]}
    cloud.responses["DELETE /agents/a/dhcp-networks/networks-1"] = {}
    made(Net, cloud, dhcp_agent_ids=["b", "c"])

    assert cloud.lines(without="GET") == [
        "POST /networks",
        "DELETE /agents/a/dhcp-networks/networks-1",
        "POST /agents/c/dhcp-networks",
    ]
    assert cloud.body("POST /agents/c/dhcp-networks") == {"network_id": "networks-1"}


def test_segments_are_asked_for_where_the_template_reads_them() -> None:
    cloud = FakeCloud()
    cloud.place("/segments/x", network_id="networks-3", name="named")
    cloud.place("/segments/y", network_id="networks-3", name=None)
    context = intended(Net, cloud)
    context.attributes_read = frozenset({"segments"})
    run(Net.create(context, context.properties))

    assert [segment["id"] for segment in attribute(context, "segments")] == ["y", "x"]


def test_a_network_in_use_is_deleted_when_it_is_free() -> None:
    context = made(Net)
    context.services.responses["DELETE /networks/networks-1"] = [Conflict("in use", status=409)] * 3
    deleted(context)

    assert context.services.lines(without=("GET", "POST")) == ["DELETE /networks/networks-1"] * 4
    assert context.services.objects == {}
    assert context.slept == sorted(context.slept)


def test_a_network_that_stays_in_use_is_not_deleted() -> None:
    context = made(Net)
    context.services.responses["DELETE /networks/networks-1"] = Conflict("in use by a port", status=409)

    with pytest.raises(Conflict, match="in use by a port"):
        deleted(context)
    assert 30 < sum(context.slept) < 300


def test_what_is_gone_already_is_deleted() -> None:
    context = made(Net)
    context.services.objects.clear()
    deleted(context)

    assert context.services.lines()[-1] == "DELETE /networks/networks-1"


def test_a_network_whose_creation_was_interrupted_is_found_by_its_name() -> None:
    cloud = FakeCloud()
    context = intended(Net, cloud)
    assert not found(context)
    cloud.place("/networks/n", name=context.physical_name(), status="ACTIVE")

    assert found(context)
    assert context.physical_id == "n"


def test_a_network_of_another_resource_is_not_taken_for_an_orphan() -> None:
    cloud = FakeCloud()
    cloud.place("/networks/n", name="shared name", status="ACTIVE")
    context = intended(Net, cloud, name="shared name")
    context.claimed_ids = frozenset({"n"})

    assert not found(context)


def test_a_list_that_the_service_does_not_filter_is_read_whole() -> None:
    cloud = FakeCloud()
    segment = {"network_id": NETWORK, "network_type": "vxlan", "segmentation_id": 7}

    def segments(request: Any) -> Any:
        if request.params:
            return Permanent("['segmentation_id'] is invalid attribute for filtering", status=400)
        return {"segments": [{"id": "other", **segment, "segmentation_id": 8}, {"id": "mine", **segment}]}

    cloud.responses["GET /segments"] = segments
    context = intended(Segment, cloud, network=NETWORK, network_type="vxlan", segmentation_id=7)

    assert found(context)
    assert context.physical_id == "mine"


def test_a_subnet_that_was_asked_for_otherwise_is_not_taken_for_an_orphan() -> None:
    cloud = FakeCloud()
    cloud.place("/subnets/range", name="alike", network_id="n1", cidr="10.0.9.0/24")
    cloud.place("/subnets/network", name="alike", network_id="n2", cidr="10.0.1.0/24")
    context = intended(Subnet, cloud, name="alike", network=NETWORK, cidr="10.0.1.7/24")
    assert not found(context)
    cloud.place("/subnets/own", name="alike", network_id=NETWORK, cidr="10.0.1.0/24")

    assert found(context)
    assert context.physical_id == "own"


def test_a_port_that_was_asked_for_otherwise_is_not_taken_for_an_orphan() -> None:
    cloud = FakeCloud()
    alike = {"name": "alike", "status": "ACTIVE", "network_id": NETWORK, "security_groups": [GUARD]}
    here = {"subnet_id": SUBNET, "ip_address": "10.0.0.5"}
    cloud.place("/ports/subnet", **alike, fixed_ips=[{**here, "subnet_id": "s2"}])
    cloud.place("/ports/guard", **{**alike, "security_groups": ["g2"]}, fixed_ips=[here])
    given = {"network": NETWORK, "fixed_ips": [{"subnet": SUBNET}], "security_groups": [GUARD]}
    context = intended(Port, cloud, name="alike", **given)
    assert not found(context)
    cloud.place("/ports/own", **alike, fixed_ips=[here])

    assert found(context)
    assert context.physical_id == "own"


def test_a_check_shows_whether_a_network_exists_and_is_healthy() -> None:
    context = made(Net, FakeCloud(statuses={"networks": "ACTIVE"}))
    run(Net.check(context))
    context.services.objects["/networks/networks-1"]["status"] = "ERROR"
    with pytest.raises(ResourceFailed, match="ERROR"):
        run(Net.check(context))
    context.services.objects.clear()
    with pytest.raises(ResourceFailed, match="gone"):
        run(Net.check(context))


def test_a_provider_network_has_members_of_the_extension() -> None:
    context = made(
        ProviderNet,
        name="flat",
        network_type="vlan",
        physical_network="physnet1",
        segmentation_id="101",
        router_external=True,
    )

    assert context.services.body("POST /networks")["network"] == {
        "name": "flat",
        "provider:network_type": "vlan",
        "provider:physical_network": "physnet1",
        "provider:segmentation_id": "101",
        "router:external": True,
        "admin_state_up": True,
        "shared": True,
    }
    updated(context, segmentation_id="102")
    assert context.services.body("PUT /networks/networks-1") == {
        "network": {"provider:segmentation_id": "102"}
    }


def test_a_network_that_somebody_has_changed_shows_that() -> None:
    context = made(Net, name="one", tags=["b", "a"], dns_domain=None)
    shown = context.services.objects["/networks/networks-1"]
    shown.update(name="two", tags=["a", "b"], dns_domain="x.")

    assert run(Net.live_state(context)) == {
        "name": "two",
        "admin_state_up": True,
        "shared": False,
        "tags": ["b", "a"],
    }
    context.services.objects.clear()
    assert run(Net.live_state(context)) is None


# Subnets.


def test_a_subnet_is_made_on_its_network() -> None:
    context = made(
        Subnet,
        network="private",
        cidr="10.0.0.0/24",
        allocation_pools=[{"start": "10.0.0.10", "end": "10.0.0.20"}],
        segment="rack",
    )

    assert context.services.body("POST /subnets")["subnet"] == {
        "network_id": "n-private",
        "cidr": "10.0.0.0/24",
        "ip_version": 4,
        "name": context.physical_name(),
        "dns_nameservers": [],
        "enable_dhcp": True,
        "allocation_pools": [{"start": "10.0.0.10", "end": "10.0.0.20"}],
        "segment_id": "seg-1",
    }


def test_a_subnet_takes_its_range_from_a_pool() -> None:
    context = made(Subnet, network="private", subnetpool="pool", prefixlen=26, ip_version=6)

    body = context.services.body("POST /subnets")["subnet"]
    assert (body["subnetpool_id"], body["prefixlen"], body["ip_version"]) == ("sp-1", 26, 6)
    assert "cidr" not in body


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        (None, {}),
        ("auto", {}),
        ("", {"gateway_ip": None}),
        ("~", {"gateway_ip": None}),
        ("10.0.0.9", {"gateway_ip": "10.0.0.9"}),
    ],
)
def test_the_gateway_of_a_subnet_is_chosen_given_or_none(given: str | None, sent: dict[str, str]) -> None:
    context = made(Subnet, network="private", cidr="10.0.0.0/24", gateway_ip=given)
    body = context.services.body("POST /subnets")["subnet"]
    assert {name: body[name] for name in body if name == "gateway_ip"} == sent


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        (None, {"gateway_ip": None}),
        ("auto", {}),
        ("", {"gateway_ip": None}),
        ("~", {"gateway_ip": None}),
        ("10.0.0.9", {"gateway_ip": "10.0.0.9"}),
    ],
)
def test_the_gateway_of_a_subnet_is_changed_or_taken_away(given: str | None, sent: dict[str, str]) -> None:
    context = made(Subnet, network="private", cidr="10.0.0.0/24", gateway_ip="10.0.0.1")

    updated(context, gateway_ip=given, name="new")

    assert context.services.body("PUT /subnets/subnets-1") == {"subnet": {"name": "new", **sent}}


def test_a_subnet_changes_in_place() -> None:
    routes = [{"destination": "10.9.0.0/16", "nexthop": "10.0.0.9"}]
    context = made(Subnet, network="private", cidr="10.0.0.0/24", host_routes=routes)
    updated(context, host_routes=None, dns_nameservers=["1.1.1.1"], enable_dhcp=False)

    assert context.services.body("PUT /subnets/subnets-1") == {
        "subnet": {"host_routes": [], "dns_nameservers": ["1.1.1.1"], "enable_dhcp": False}
    }


# Ports.


def test_a_port_is_made_with_addresses_and_groups() -> None:
    cloud = FakeCloud()
    cloud.responses["POST /ports"] = {"port": {"id": "p", "status": "DOWN"}}
    context = made(
        Port,
        cloud,
        network="private",
        fixed_ips=[
            {"subnet": "left"},
            {"ip_address": "10.0.1.7"},
        ],
        security_groups=["web", "0b7e2cd6-9f9c-4a35-9e1b-000000000001"],
        allowed_address_pairs=[{"ip_address": "10.0.0.100"}],
        qos_policy="gold",
    )

    assert context.services.body("POST /ports")["port"] == {
        "name": context.physical_name(),
        "network_id": "n-private",
        "device_id": "",
        "device_owner": "",
        "fixed_ips": [{"subnet_id": "s-left"}, {"ip_address": "10.0.1.7"}],
        "security_groups": ["sg-web", "0b7e2cd6-9f9c-4a35-9e1b-000000000001"],
        "allowed_address_pairs": [{"ip_address": "10.0.0.100"}],
        "admin_state_up": True,
        "binding:vnic_type": "normal",
        "qos_policy_id": "q-gold",
    }


@pytest.mark.parametrize("given", [None, []])
def test_a_port_without_a_word_about_addresses_gets_one(given: list[dict[str, str]] | None) -> None:
    context = made(Port, network="private", fixed_ips=given)
    assert "fixed_ips" not in context.services.body("POST /ports")["port"]

    other = made(Port, network="private", fixed_ips=[{"subnet": "left"}])
    updated(other, fixed_ips=given)
    assert "PUT /ports/ports-1" not in other.services.lines()


def test_a_port_can_be_without_addresses() -> None:
    context = made(Port, network="private", no_fixed_ips=True)
    assert context.services.body("POST /ports")["port"]["fixed_ips"] == []

    updated(context, no_fixed_ips=False, fixed_ips=[{"subnet": "left", "ip_address": "10.0.0.4"}])
    assert context.services.body("PUT /ports/ports-1") == {
        "port": {"fixed_ips": [{"subnet_id": "s-left", "ip_address": "10.0.0.4"}]}
    }
    updated(context, no_fixed_ips=True, fixed_ips=None)
    assert context.services.body("PUT /ports/ports-1") == {"port": {"fixed_ips": []}}


def test_a_port_has_the_default_group_unless_groups_are_given() -> None:
    context = made(Port, network="private")
    assert "security_groups" not in context.services.body("POST /ports")["port"]

    updated(context, security_groups=[])
    assert context.services.body("PUT /ports/ports-1") == {"port": {"security_groups": []}}
    updated(context, security_groups=None)
    assert context.services.body("PUT /ports/ports-1") == {"port": {"security_groups": ["sg-default"]}}


def test_a_port_shows_its_network_and_subnets() -> None:
    cloud = FakeCloud()
    cloud.place("/networks/n-private", mtu=1450)
    cloud.place("/subnets/s-left", cidr="10.0.0.0/24")
    address = {"subnet_id": "s-left", "ip_address": "10.0.0.4"}
    cloud.responses["POST /ports"] = {
        "port": {"id": "p", "network_id": "n-private", "status": "DOWN", "fixed_ips": [address]}
    }
    cloud.place("/ports/p", network_id="n-private", status="DOWN", fixed_ips=[address])
    context = made(Port, cloud, network="private")
    assert not any(line.startswith(("GET /networks/", "GET /subnets/")) for line in cloud.lines())

    context.attributes_read = frozenset({"network", "subnets"})
    run(Port.refresh(context))

    assert attribute(context, "fixed_ips") == [address]
    assert attribute(context, "network")["mtu"] == 1450
    assert [subnet["cidr"] for subnet in attribute(context, "subnets")] == ["10.0.0.0/24"]


def test_a_port_in_use_is_as_it_was_made() -> None:
    fixed = [{"subnet": "left"}]
    cloud = FakeCloud()
    cloud.responses["POST /ports"] = {"port": {"id": "p", "status": "DOWN"}}
    context = made(Port, cloud, network="private", fixed_ips=fixed, security_groups=["web"])
    cloud.place(
        "/ports/p",
        name=context.physical_name(),
        device_id="server",
        device_owner="compute:nova",
        fixed_ips=[{"subnet_id": "s-left", "ip_address": "10.0.0.4"}],
        security_groups=["sg-web"],
        admin_state_up=True,
    )

    assert run(Port.live_state(context)) == {"admin_state_up": True}


def test_a_port_lends_its_addresses_to_its_replacement_and_takes_them_back() -> None:
    address = {"subnet_id": "s-left", "ip_address": "10.0.0.4"}
    cloud = FakeCloud()
    old = made(Port, cloud, network="private")
    cloud.objects["/ports/ports-1"].update(fixed_ips=[address])
    run(Port.before_replace(old))
    assert cloud.objects["/ports/ports-1"]["fixed_ips"] == []

    # An interrupted replacement begins again.
    run(Port.before_replace(old))
    made(Port, cloud, network="private", fixed_ips=[{"subnet": "left", "ip_address": "10.0.0.4"}])
    run(Port.revert_replace(old))
    assert cloud.objects["/ports/ports-1"]["fixed_ips"] == [address]
    assert cloud.objects["/ports/ports-2"]["fixed_ips"] == []


def test_a_port_may_be_replaced_by_every_update() -> None:
    properties = made(Port, network="private").properties

    assert not Port.is_always_replaced(properties)
    assert Port.is_always_replaced({**properties, "replacement_policy": "REPLACE_ALWAYS"})


def test_a_failed_port_is_well_unless_it_is_gone_or_in_error() -> None:
    context = made(Port, FakeCloud(statuses={"ports": "DOWN"}), network="private")
    assert run(Port.is_healthy(context))
    context.services.objects["/ports/ports-1"]["status"] = "ERROR"
    assert not run(Port.is_healthy(context))
    context.services.objects.clear()
    assert not run(Port.is_healthy(context))


# Routers.


def test_a_router_leads_out_through_its_gateway() -> None:
    context = made(
        Router,
        external_gateway_info={
            "network": "public",
            "enable_snat": False,
            "external_fixed_ips": [{"subnet": "left", "ip_address": "203.0.113.7"}],
        },
        ha=True,
    )

    assert context.services.body("POST /routers")["router"] == {
        "name": context.physical_name(),
        "admin_state_up": True,
        "ha": True,
        "external_gateway_info": {
            "network_id": "n-public",
            "enable_snat": False,
            "external_fixed_ips": [{"subnet_id": "s-left", "ip_address": "203.0.113.7"}],
        },
    }
    updated(context, external_gateway_info=None)
    assert context.services.body("PUT /routers/routers-1") == {"router": {"external_gateway_info": {}}}


def test_what_a_gateway_leaves_open_the_service_chooses() -> None:
    context = made(
        Router,
        external_gateway_info={"network": "public"},
    )

    body = context.services.body("POST /routers")["router"]
    assert body["external_gateway_info"] == {"network_id": "n-public"}


@pytest.mark.parametrize("given", [{"l3_agent_ids": ["a"]}, {"l3_agent_id": "a"}])
def test_a_router_runs_on_the_agents_that_are_named(given: dict[str, object]) -> None:
    cloud = FakeCloud()
    cloud.responses["GET /routers/routers-1/l3-agents"] = [
        {"agents": [{"id": "b"}]},
        {"agents": [{"id": "a"}]},
    ]
    cloud.responses["DELETE /agents/a/l3-routers/routers-1"] = {}
    cloud.responses["DELETE /agents/b/l3-routers/routers-1"] = {}
    context = made(Router, cloud, **given)

    assert cloud.body("POST /agents/a/l3-routers") == {"router_id": "routers-1"}
    assert "DELETE /agents/b/l3-routers/routers-1" in cloud.lines()
    assert not {"l3_agent_id", "l3_agent_ids"} & set(cloud.body("POST /routers")["router"])
    updated(context, l3_agent_ids=["b"], l3_agent_id=None)
    assert cloud.lines(without="GET")[-2:] == [
        "DELETE /agents/a/l3-routers/routers-1",
        "POST /agents/b/l3-routers",
    ]


def test_an_agent_that_has_been_given_the_router_meanwhile_is_fine() -> None:
    cloud = FakeCloud()
    cloud.responses["GET /routers/routers-1/l3-agents"] = [{"agents": []}, {"agents": [{"id": "a"}]}]
    cloud.responses["POST /agents/a/l3-routers"] = Conflict("hosted already", status=409)

    assert made(Router, cloud, l3_agent_ids=["a"]).physical_id == "routers-1"


# Interfaces and gateways of routers.


@pytest.mark.parametrize(
    ("given", "body"), [({"subnet": "left"}, {"subnet_id": "s-left"}), ({"port": "eth0"}, {"port_id": "p-0"})]
)
def test_an_interface_joins_a_router_to_a_subnet_or_a_port(
    given: dict[str, str], body: dict[str, str]
) -> None:
    context = made(RouterInterface, router="edge", **given)
    [(what, id)] = body.items()

    assert context.services.body("PUT /routers/r-edge/add_router_interface") == body
    assert context.physical_id == f"r-edge:{what}={id}"
    deleted(context)
    assert context.services.body("PUT /routers/r-edge/remove_router_interface") == body


def test_an_interface_that_a_replacement_has_joined_again_stays() -> None:
    context = made(RouterInterface, router="edge", subnet="left")
    context.claimed_ids = frozenset({str(context.physical_id)})
    deleted(context)

    assert "PUT /routers/r-edge/remove_router_interface" not in context.services.lines()


def test_interfaces_of_old_stacks_are_of_subnets() -> None:
    context = intended(RouterInterface, router="edge", subnet="left")
    context.physical_id = "r-edge:s-left"
    deleted(context)

    assert context.services.body("PUT /routers/r-edge/remove_router_interface") == {"subnet_id": "s-left"}


def test_an_interface_that_floating_ips_need_goes_after_them() -> None:
    context = made(RouterInterface, router="edge", subnet="left")
    remove = "PUT /routers/r-edge/remove_router_interface"
    context.services.responses[remove] = [Conflict("needed", status=409), Conflict("needed", status=409)]
    deleted(context)

    assert context.services.lines().count(remove) == 3


@pytest.mark.parametrize("kind", [RouterInterface, RouterGateway])
def test_what_belonged_to_a_router_that_is_gone_is_deleted(kind: type) -> None:
    given = {"subnet": "left", "router": "edge"} if kind is RouterInterface else {"router_id": "r-edge"}
    context = made(kind, **given, **({"network": "public"} if kind is RouterGateway else {}))
    gone = NotFound("no such router", status=404)
    context.services.responses.update(
        {"PUT /routers/r-edge/remove_router_interface": gone, "PUT /routers/r-edge": gone}
    )
    deleted(context)

    assert context.services.requests[-1].path.startswith("/routers/r-edge")


def test_an_interface_is_joined_once_although_the_answer_is_lost() -> None:
    cloud = FakeCloud()
    cloud.responses["PUT /routers/r-edge/add_router_interface"] = [Transient("away", status=502)]
    cloud.place("/ports/if", device_id="r-edge", fixed_ips=[{"subnet_id": "s-left"}])
    context = made(RouterInterface, cloud, router="edge", subnet="left")

    assert cloud.lines(without="GET") == ["PUT /routers/r-edge/add_router_interface"]
    assert context.physical_id == "r-edge:subnet_id=s-left"


def test_an_interface_whose_creation_was_interrupted_is_found() -> None:
    cloud = FakeCloud()
    context = intended(RouterInterface, cloud, router="edge", subnet="left")
    assert not found(context)
    port = cloud.place("/ports/if", device_id="r-edge", fixed_ips=[{"subnet_id": "s-left"}])
    port["created_at"] = "1970-01-01T00:00:00Z"
    assert not found(context)
    port["created_at"] = "2099-01-01T00:00:00Z"

    assert found(context)
    assert context.physical_id == "r-edge:subnet_id=s-left"


def test_a_check_shows_whether_an_interface_is_there() -> None:
    context = made(RouterInterface, router="edge", subnet="left")
    with pytest.raises(ResourceFailed, match="gone"):
        run(RouterInterface.check(context))
    context.services.place("/ports/if", device_id="r-edge", fixed_ips=[{"subnet_id": "s-left"}])

    assert run(RouterInterface.check(context)) is None


def test_a_gateway_is_set_and_taken_away() -> None:
    cloud = FakeCloud()
    cloud.place("/routers/r-edge")
    context = made(RouterGateway, cloud, router_id="r-edge", network="public")
    assert context.physical_id == "r-edge:n-public"
    assert cloud.objects["/routers/r-edge"]["external_gateway_info"] == {"network_id": "n-public"}
    assert found(intended(RouterGateway, cloud, router_id="r-edge", network="public"))
    deleted(context)

    assert cloud.objects["/routers/r-edge"]["external_gateway_info"] == {}


def test_a_gateway_to_elsewhere_is_left_alone() -> None:
    cloud = FakeCloud()
    cloud.place("/routers/r-edge")
    context = made(RouterGateway, cloud, router_id="r-edge", network="public")
    made(RouterGateway, cloud, router_id="r-edge", network="private")
    deleted(context)

    assert cloud.objects["/routers/r-edge"]["external_gateway_info"] == {"network_id": "n-private"}
    with pytest.raises(ResourceFailed, match="does not lead"):
        run(RouterGateway.check(context))
