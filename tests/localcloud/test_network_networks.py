"""Networks, subnets and ports."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.cloud import Cloud
from tests.support.network import Networks, addresses, problem


class TestNetworks:
    def test_a_network_is_active_at_once(self, networks: Networks) -> None:
        made = networks.make("network", name="mine", description="for tests")
        assert made["status"] == "ACTIVE"
        assert made["admin_state_up"] is True
        assert made["shared"] is False
        assert made["subnets"] == []
        assert made["tenant_id"] == made["project_id"]
        assert networks.show("network", made["id"]) == made

    def test_updates_increment_the_revision(self, networks: Networks) -> None:
        made = networks.make("network")
        changed = networks.change("network", made["id"], name="other").json()["network"]
        assert changed["name"] == "other"
        assert changed["revision_number"] > made["revision_number"]

    def test_if_match_revision(self, networks: Networks) -> None:
        made = networks.make("network")
        body = {"network": {"name": "other"}}
        stale = networks.call(
            "PUT", f"networks/{made['id']}", body, headers={"If-Match": "revision_number=99"}
        )
        assert problem(stale) == (412, "RevisionNumberConstraintFailed")
        fresh = f"revision_number={made['revision_number']}"
        answer = networks.call("PUT", f"networks/{made['id']}", body, headers={"If-Match": fresh})
        assert answer.status_code == 200

    @pytest.mark.parametrize(
        "attribute",
        [
            {"shared": True},
            {"router:external": True},
            {"provider:network_type": "vlan"},
            {"is_default": True},
            {"project_id": "f" * 32},
        ],
    )
    def test_admin_only_attributes(self, networks: Networks, attribute: dict[str, Any]) -> None:
        assert problem(networks.try_to_make("network", **attribute)) == (403, "PolicyNotAuthorized")

    def test_defaults_of_admin_only_attributes_are_allowed(self, networks: Networks) -> None:
        assert networks.make("network", shared=False)["shared"] is False

    def test_only_admins_see_provider_attributes(self, networks: Networks) -> None:
        made = networks.make("network")
        assert not any(name.startswith("provider:") for name in made)
        assert networks.show("network", made["id"], "admin")["provider:network_type"] == "vxlan"

    @pytest.mark.parametrize(
        "attributes", [{"colour": "red"}, {"status": "DOWN"}, {"admin_state_up": "maybe"}, {"name": 7}]
    )
    def test_invalid_requests_are_rejected(self, networks: Networks, attributes: dict[str, Any]) -> None:
        assert problem(networks.try_to_make("network", **attributes)) == (400, "HTTPBadRequest")

    def test_bulk_create_is_atomic(self, networks: Networks) -> None:
        before = len(networks.get("networks")["networks"])
        wrong = networks.call("POST", "networks", {"networks": [{"name": "a"}, {"qos_policy_id": "f" * 32}]})
        assert wrong.status_code == 404
        assert len(networks.get("networks")["networks"]) == before
        answer = networks.call("POST", "networks", {"networks": [{"name": "a"}, {"name": "b"}]})
        assert [each["name"] for each in answer.json()["networks"]] == ["a", "b"]

    def test_a_network_with_ports_cannot_be_deleted(self, networks: Networks) -> None:
        subnet = networks.subnet()
        port = networks.make("port", network_id=subnet["network_id"])
        assert problem(networks.delete("network", subnet["network_id"])) == (409, "NetworkInUse")
        assert networks.delete("port", port["id"]).status_code == 204
        assert networks.delete("network", subnet["network_id"]).status_code == 204
        assert problem(networks.call("GET", f"subnets/{subnet['id']}")) == (404, "SubnetNotFound")

    def test_without_a_token_the_identity_service_answers(self, cloud: Cloud) -> None:
        answer = cloud.client.get("/network/v2.0/networks")
        assert answer.status_code == 401
        assert answer.json()["error"]["code"] == 401


class TestTenancy:
    def test_objects_of_others_are_not_found(self, networks: Networks, stranger: str) -> None:
        subnet = networks.subnet()
        port = networks.make("port", network_id=subnet["network_id"])
        for path in (
            f"networks/{subnet['network_id']}",
            f"subnets/{subnet['id']}",
            f"ports/{port['id']}",
        ):
            for method in ("GET", "DELETE"):
                assert networks.call(method, path, user=stranger).status_code == 404
        assert networks.get("ports", stranger)["ports"] == []

    def test_shared_objects_cannot_be_changed(self, networks: Networks) -> None:
        public = networks.named("networks", "public")
        assert problem(networks.change("network", public["id"], name="mine")) == (403, "PolicyNotAuthorized")
        assert problem(networks.delete("network", public["id"])) == (403, "PolicyNotAuthorized")

    def test_a_shared_network_can_be_used_with_any_address(self, networks: Networks, stranger: str) -> None:
        subnet = networks.subnet()
        networks.change("network", subnet["network_id"], "admin", shared=True)
        port = networks.make("port", stranger, network_id=subnet["network_id"])
        assert len(port["fixed_ips"]) == 1
        chosen = [{"ip_address": "10.5.0.77"}]
        wish = networks.try_to_make("port", stranger, network_id=subnet["network_id"], fixed_ips=chosen)
        assert problem(wish) == (403, "PolicyNotAuthorized")
        assert problem(networks.change("network", subnet["network_id"], "admin", shared=False)) == (
            409,
            "InvalidSharedSetting",
        )

    def test_admins_see_everything_and_can_choose_a_project(self, networks: Networks) -> None:
        made = networks.make("network", name="mine")
        project = made["project_id"]
        assert networks.named("networks", "mine", "admin")["id"] == made["id"]
        ids = [each["id"] for each in networks.get(f"networks?project_id={project}", "admin")["networks"]]
        assert made["id"] in ids
        assert networks.make("network", "admin", project_id=project)["project_id"] == project


class TestSubnets:
    def test_host_bits_are_dropped(self, networks: Networks) -> None:
        subnet = networks.subnet("10.5.0.7/24")
        assert subnet["cidr"] == "10.5.0.0/24"
        assert subnet["gateway_ip"] == "10.5.0.1"
        assert subnet["allocation_pools"] == [{"start": "10.5.0.2", "end": "10.5.0.254"}]

    def test_a_null_gateway(self, networks: Networks) -> None:
        assert networks.subnet(gateway_ip=None)["gateway_ip"] is None

    def test_ranges_on_one_network_do_not_overlap(self, networks: Networks) -> None:
        first = networks.subnet()
        answer = networks.try_to_make(
            "subnet", network_id=first["network_id"], cidr="10.5.0.128/25", ip_version=4
        )
        assert problem(answer) == (400, "InvalidInput")
        assert networks.subnet("10.5.0.0/24")["cidr"] == first["cidr"]

    @pytest.mark.parametrize(
        "members",
        [
            {"cidr": "10.5.0.0/24", "ip_version": 6},
            {"cidr": "10.5.0.0/24", "ip_version": 4, "gateway_ip": "10.5.0.255"},
            {"cidr": "10.5.0.0/24", "ip_version": 4, "ipv6_address_mode": "slaac"},
            {"cidr": "2001:db8::/72", "ip_version": 6, "ipv6_address_mode": "slaac"},
            {"cidr": "nonsense", "ip_version": 4},
            {"ip_version": 4},
        ],
    )
    def test_inconsistent_requests_are_rejected(self, networks: Networks, members: dict[str, Any]) -> None:
        network = networks.make("network")
        assert networks.try_to_make("subnet", network_id=network["id"], **members).status_code == 400

    def test_a_subnet_in_use_cannot_be_deleted(self, networks: Networks) -> None:
        subnet = networks.subnet()
        port = networks.make("port", network_id=subnet["network_id"])
        assert problem(networks.delete("subnet", subnet["id"])) == (409, "SubnetInUse")
        networks.change("port", port["id"], fixed_ips=[])
        assert networks.delete("subnet", subnet["id"]).status_code == 204

    def test_a_network_shows_its_subnets(self, networks: Networks) -> None:
        subnet = networks.subnet()
        assert networks.show("network", subnet["network_id"])["subnets"] == [subnet["id"]]


class TestPorts:
    def test_a_port_gets_an_address_and_the_default_group(self, networks: Networks) -> None:
        subnet = networks.subnet()
        port = networks.make("port", network_id=subnet["network_id"])
        assert addresses(port) == ["10.5.0.2"]
        assert port["status"] == "DOWN"
        assert port["mac_address"].startswith("fa:16:3e:")
        assert port["security_groups"] == [networks.named("security-groups", "default")["id"]]
        assert "binding:host_id" not in port

    def test_addresses_are_allocated_once_and_released(self, networks: Networks) -> None:
        pools = [{"start": "10.5.0.10", "end": "10.5.0.12"}]
        network = networks.subnet(allocation_pools=pools)["network_id"]
        ports = [networks.make("port", network_id=network) for _ in range(3)]
        assert sorted(address for port in ports for address in addresses(port)) == [
            "10.5.0.10",
            "10.5.0.11",
            "10.5.0.12",
        ]
        full = networks.try_to_make("port", network_id=network)
        assert problem(full) == (409, "IpAddressGenerationFailure")
        networks.delete("port", ports[1]["id"])
        assert addresses(networks.make("port", network_id=network)) == ["10.5.0.11"]

    def test_failed_requests_release_addresses(self, networks: Networks) -> None:
        pools = [{"start": "10.5.0.10", "end": "10.5.0.10"}]
        network = networks.subnet(allocation_pools=pools)["network_id"]
        wanted = {"network_id": network}
        assert networks.call("POST", "ports", {"ports": [wanted, wanted]}).status_code == 409
        assert addresses(networks.make("port", network_id=network)) == ["10.5.0.10"]

    def test_allocations_survive_a_restart(self, networks: Networks) -> None:
        network = networks.subnet()["network_id"]
        first = networks.make("port", network_id=network)
        networks.cloud.restart()
        assert addresses(networks.make("port", network_id=network)) != addresses(first)

    def test_a_chosen_address_must_be_free(self, networks: Networks) -> None:
        subnet = networks.subnet()
        wish = {"network_id": subnet["network_id"], "fixed_ips": [{"ip_address": "10.5.0.99"}]}
        port = networks.make("port", **wish)
        assert port["fixed_ips"] == [{"subnet_id": subnet["id"], "ip_address": "10.5.0.99"}]
        assert problem(networks.try_to_make("port", **wish)) == (409, "IpAddressAlreadyAllocated")
        for wrong, kind in (
            ({"ip_address": "10.6.0.1"}, "InvalidIpForNetwork"),
            ({"subnet_id": subnet["id"], "ip_address": "10.6.0.1"}, "InvalidIpForSubnet"),
        ):
            answer = networks.try_to_make("port", network_id=subnet["network_id"], fixed_ips=[wrong])
            assert problem(answer) == (400, kind)

    def test_updating_fixed_ips_keeps_unchanged_ones(self, networks: Networks) -> None:
        subnet = networks.subnet()
        port = networks.make("port", network_id=subnet["network_id"])
        more = [{"subnet_id": subnet["id"]}, {"ip_address": "10.5.0.50"}]
        changed = networks.change("port", port["id"], fixed_ips=more).json()["port"]
        assert set(addresses(changed)) == {"10.5.0.50", *addresses(port)}

    def test_automatic_addresses_are_added_to_requested_ones(self, networks: Networks) -> None:
        four = networks.subnet()
        network = four["network_id"]
        six = networks.subnet("2001:db8:1::/64", network, ipv6_address_mode="slaac", ipv6_ra_mode="slaac")
        wish = {"network_id": network, "mac_address": "fa:16:3e:12:34:56"}
        own = "2001:db8:1:0:f816:3eff:fe12:3456"
        port = networks.make("port", **wish, fixed_ips=[{"ip_address": "10.5.0.50"}])
        assert addresses(port) == ["10.5.0.50", own]
        moved = networks.change("port", port["id"], fixed_ips=[{"ip_address": "10.5.0.51"}])
        assert addresses(moved.json()["port"]) == ["10.5.0.51", own]
        networks.delete("port", port["id"])
        both = [{"subnet_id": six["id"]}, {"ip_address": "10.5.0.50"}]
        assert set(addresses(networks.make("port", **wish, fixed_ips=both))) == {"10.5.0.50", own}
        assert addresses(networks.make("port", network_id=network, fixed_ips=[])) == []

    def test_ipv6_address_modes(self, networks: Networks) -> None:
        network = networks.subnet()["network_id"]
        networks.subnet("2001:db8:1::/64", network, ipv6_address_mode="slaac", ipv6_ra_mode="slaac")
        networks.subnet("2001:db8:2::/64", network, ipv6_address_mode="dhcpv6-stateful")
        port = networks.make("port", network_id=network, mac_address="fa:16:3e:12:34:56")
        assert addresses(port) == ["10.5.0.2", "2001:db8:2::2", "2001:db8:1:0:f816:3eff:fe12:3456"]

    def test_existing_ports_get_addresses_of_a_new_automatic_subnet(self, networks: Networks) -> None:
        network = networks.subnet()["network_id"]
        port = networks.make("port", network_id=network, mac_address="fa:16:3e:12:34:56")
        subnet = networks.subnet("2001:db8:1::/64", network, ipv6_address_mode="slaac")
        assert "2001:db8:1:0:f816:3eff:fe12:3456" in addresses(networks.show("port", port["id"]))
        assert networks.delete("subnet", subnet["id"]).status_code == 204
        assert addresses(networks.show("port", port["id"])) == addresses(port)

    def test_mac_addresses_are_unique_on_a_network(self, networks: Networks) -> None:
        wish = {"network_id": networks.subnet()["network_id"], "mac_address": "fa:16:3e:00:00:01"}
        networks.make("port", **wish)
        assert problem(networks.try_to_make("port", **wish)) == (409, "MacAddressInUse")

    def test_a_port_without_security_has_no_groups(self, networks: Networks) -> None:
        network = networks.subnet()["network_id"]
        port = networks.make("port", network_id=network, port_security_enabled=False)
        assert port["security_groups"] == []
        guarded = networks.make("port", network_id=network)
        refused = networks.change("port", guarded["id"], port_security_enabled=False)
        assert problem(refused) == (409, "PortSecurityPortHasSecurityGroup")
        answer = networks.change("port", guarded["id"], port_security_enabled=False, security_groups=[])
        assert answer.json()["port"]["port_security_enabled"] is False

    def test_address_pairs_default_to_the_mac_address_of_the_port(self, networks: Networks) -> None:
        network = networks.subnet()["network_id"]
        port = networks.make(
            "port", network_id=network, allowed_address_pairs=[{"ip_address": "10.9.0.0/24"}]
        )
        assert port["allowed_address_pairs"] == [
            {"ip_address": "10.9.0.0/24", "mac_address": port["mac_address"]}
        ]

    def test_binding_attributes_are_for_admins(self, networks: Networks) -> None:
        port = networks.make("port", network_id=networks.subnet()["network_id"])
        assert networks.change("port", port["id"], **{"binding:host_id": "here"}).status_code == 403
        changed = networks.change("port", port["id"], "admin", **{"binding:host_id": "here"})
        assert changed.json()["port"]["binding:vif_type"] == "ovs"


class TestLists:
    @pytest.fixture
    def network_id(self, networks: Networks) -> str:
        network = str(networks.subnet()["network_id"])
        for name in ("b", "c", "a"):
            networks.make("port", network_id=network, name=name)
        return network

    def names(self, networks: Networks, query: str) -> list[str]:
        return [port["name"] for port in networks.get(f"ports?{query}")["ports"]]

    def test_any_attribute_is_a_filter(self, networks: Networks, network_id: str) -> None:
        on = f"network_id={network_id}"
        assert self.names(networks, on) == ["b", "c", "a"]
        assert self.names(networks, f"{on}&name=a&name=b") == ["b", "a"]
        assert self.names(networks, f"{on}&admin_state_up=False") == []
        assert self.names(networks, f"{on}&fixed_ips=ip_address=10.5.0.3") == ["c"]
        assert self.names(networks, f"{on}&fixed_ips=ip_address_substr=5.0.4") == ["a"]

    def test_an_unknown_filter_is_refused(self, networks: Networks) -> None:
        assert networks.call("GET", "ports?colour=red").status_code == 400

    def test_lists_are_sorted_as_asked(self, networks: Networks, network_id: str) -> None:
        on = f"network_id={network_id}"
        assert self.names(networks, f"{on}&sort_key=name&sort_dir=desc") == ["c", "b", "a"]
        assert networks.call("GET", "ports?sort_key=fixed_ips").status_code == 400

    def test_fields(self, networks: Networks, network_id: str) -> None:
        found = networks.get(f"ports?network_id={network_id}&fields=name")["ports"]
        assert found == [{"name": "b"}, {"name": "c"}, {"name": "a"}]

    def test_pagination(self, networks: Networks, network_id: str) -> None:
        page = networks.get(f"ports?network_id={network_id}&limit=2")
        assert [port["name"] for port in page["ports"]] == ["b", "c"]
        [following] = [link["href"] for link in page["ports_links"] if link["rel"] == "next"]
        rest = networks.get(f"ports?{following.partition('?')[2]}")
        assert [port["name"] for port in rest["ports"]] == ["a"]
        [back] = [link["href"] for link in rest["ports_links"] if link["rel"] == "previous"]
        before = networks.get(f"ports?{back.partition('?')[2]}")
        assert [port["name"] for port in before["ports"]] == ["b", "c"]


class TestTags:
    def test_tags_are_set_added_and_removed(self, networks: Networks) -> None:
        path = f"networks/{networks.make('network')['id']}"
        assert networks.call("PUT", f"{path}/tags", {"tags": ["b", "a"]}).json() == {"tags": ["a", "b"]}
        assert networks.call("PUT", f"{path}/tags/c").status_code == 201
        assert networks.call("GET", f"{path}/tags/c").status_code == 204
        assert networks.call("DELETE", f"{path}/tags/a").status_code == 204
        assert problem(networks.call("DELETE", f"{path}/tags/a")) == (404, "TagNotFound")
        assert networks.get(path)["network"]["tags"] == ["b", "c"]
        assert networks.call("DELETE", f"{path}/tags").status_code == 204
        assert networks.get(f"{path}/tags") == {"tags": []}

    def test_lists_are_filtered_by_tags(self, networks: Networks) -> None:
        for name, tags in (("one", ["x", "y"]), ("two", ["x"])):
            made = networks.make("network", name=name)
            networks.call("PUT", f"networks/{made['id']}/tags", {"tags": tags})

        def names(query: str) -> set[str]:
            return {each["name"] for each in networks.get(f"networks?{query}")["networks"]}

        assert names("tags=x,y") == {"one"}
        assert names("tags-any=x,y") == {"one", "two"}
        assert "two" in names("not-tags=x,y")
        assert names("not-tags=x,y") & {"one"} == set()
        assert names("not-tags-any=x") & {"one", "two"} == set()
