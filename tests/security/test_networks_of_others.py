"""What a project does to the networks of others in the embedded cloud: servers, routers and floating IPs of a project
are moved, fed and read by that project alone, even where a network is shared."""

from __future__ import annotations

import shutil
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from calor.localcloud.backend import MetadataRequest
from calor.localcloud.network.plans import Planner
from calor.localcloud.network.records import Records
from tests.support.cloud import Cloud
from tests.support.compute import Computing
from tests.support.machinery import Watched
from tests.support.network import Networks, addresses, problem

STRANGER = "mallory"
NOT_OWNED = (409, "DeviceIDNotOwnedByTenant")
FORBIDDEN = (403, "PolicyNotAuthorized")


@pytest.fixture
def backend() -> Watched:
    return Watched()


@pytest.fixture
def cloud(furnished: tuple[Path, dict[str, str]], tmp_path: Path, backend: Watched) -> Iterator[Cloud]:
    database, passwords = furnished
    made = Cloud(Path(shutil.copy(database, tmp_path / "cloud.db")), dict(passwords), backend=backend)
    made.make("/projects", "project", name="elsewhere", domain_id="default")
    made.user(STRANGER, "member", project="elsewhere")
    yield made
    made.stop()


@pytest.fixture
def owner(cloud: Cloud) -> Networks:
    """The victim, of the project demo."""
    return Networks(cloud)


@pytest.fixture
def stranger(cloud: Cloud) -> Networks:
    return Networks(cloud, STRANGER)


@pytest.fixture
def compute(cloud: Cloud) -> Computing:
    return Computing(cloud)


def add_interface(networks: Networks, router: dict[str, Any], **what: str) -> Any:
    return networks.call("PUT", f"routers/{router['id']}/add_router_interface", what)


class TestDevices:
    @pytest.fixture
    def server(self, compute: Computing) -> dict[str, Any]:
        network = compute.network()
        secret = b64encode(b"secret").decode()
        return compute.server(networks=[{"uuid": network["id"]}], user_data=secret)

    def test_a_port_cannot_name_a_server_of_others(
        self, compute: Computing, stranger: Networks, server: dict[str, Any]
    ) -> None:
        network_id = stranger.subnet()["network_id"]
        answer = stranger.try_to_make(
            "port", network_id=network_id, device_id=server["id"], device_owner="compute:nova"
        )
        assert problem(answer) == NOT_OWNED
        port = stranger.make("port", network_id=network_id)
        assert problem(stranger.change("port", port["id"], device_id=server["id"])) == NOT_OWNED
        assert compute.show(server["id"])["addresses"] == server["addresses"]

    def test_a_port_that_only_names_a_server_is_not_attached_to_it(
        self, compute: Computing, stranger: Networks, backend: Watched
    ) -> None:
        """Servers without a port are not known to the network service."""
        server = compute.server(user_data=b64encode(b"secret").decode())
        mallory = Computing(compute.cloud, STRANGER)
        network_id = stranger.subnet()["network_id"]
        held = stranger.make("port", network_id=network_id)
        mallory.server(networks=[{"port": held["id"]}])
        port = stranger.make(
            "port", network_id=network_id, device_id=server["id"], device_owner="compute:nova"
        )
        assert stranger.change("port", held["id"], device_id=server["id"]).status_code == 200
        assert compute.show(server["id"])["addresses"] == {}
        for address in (*addresses(port), *addresses(held)):
            question = MetadataRequest(network_id, address, "GET", "/openstack/latest/user_data", {}, b"")
            assert backend.answer(question).status == 404

    def test_a_port_cannot_name_a_router_of_others(self, owner: Networks, stranger: Networks) -> None:
        _, router = owner.routed_port()
        leg = {"device_id": router["id"], "device_owner": "network:router_interface"}
        network_id = stranger.subnet("10.77.0.0/24")["network_id"]
        assert problem(stranger.try_to_make("port", network_id=network_id, **leg)) == NOT_OWNED
        port = stranger.make("port", network_id=network_id)
        assert problem(stranger.change("port", port["id"], **leg)) == NOT_OWNED
        plan = Planner(Records(owner.cloud.store)).router(router["id"])
        assert plan
        assert len(plan.legs) == 1

    def test_a_port_may_name_a_server_of_its_project(
        self, compute: Computing, owner: Networks, server: dict[str, Any]
    ) -> None:
        port = owner.make("port", network_id=owner.subnet()["network_id"])
        assert owner.change("port", port["id"], device_id=server["id"]).status_code == 200

    def test_an_admin_attaches_ports_of_another_project(self, compute: Computing, owner: Networks) -> None:
        """What counts is who attached a port, not whose it is."""
        subnet = owner.subnet()
        ports = [owner.make("port", "admin", network_id=subnet["network_id"]) for _ in range(2)]
        server = compute.server()
        path, body = f"/servers/{server['id']}/os-interface", {"port_id": ports[0]["id"]}
        assert compute.post(path, {"interfaceAttachment": body}, user="admin").status_code == 200
        assert compute.show(server["id"])["addresses"]
        router = owner.make("router")
        answer = owner.call(
            "PUT", f"routers/{router['id']}/add_router_interface", {"port_id": ports[1]["id"]}, "admin"
        )
        assert answer.status_code == 200
        assert problem(owner.delete("router", router["id"])) == (409, "RouterInUse")


class TestRoles:
    """Whoever has a token may not yet use the network service."""

    def test_readers_change_nothing(self, cloud: Cloud, owner: Networks) -> None:
        cloud.user("ronald", "reader")
        reader = Networks(cloud, "ronald")
        port, router = owner.routed_port()
        before = owner.show("port", port["id"])
        assert reader.show("port", port["id"])["id"] == port["id"]
        public = owner.named("networks", "public")["id"]
        floating = owner.make("floatingip", floating_network_id=public)
        forwarding = {"protocol": "tcp", "internal_port_id": port["id"]}
        forwarding |= {"internal_port": 1, "external_port": 1}
        for method, path, body in (
            ("POST", "networks", {"network": {}}),
            ("POST", "floatingips", {"floatingip": {"floating_network_id": public}}),
            ("PUT", f"ports/{port['id']}", {"port": {"name": "x"}}),
            ("DELETE", f"ports/{port['id']}", None),
            ("PUT", f"ports/{port['id']}/tags/x", None),
            ("PUT", f"routers/{router['id']}/add_extraroutes", {"router": {"routes": []}}),
            ("POST", f"floatingips/{floating['id']}/port_forwardings", {"port_forwarding": forwarding}),
        ):
            assert problem(reader.call(method, path, body)) == FORBIDDEN, path
        assert owner.show("port", port["id"]) == before

    def test_users_of_stacks_have_no_access(self, cloud: Cloud) -> None:
        cloud.user("signaller", "heat_stack_user")
        signaller = Networks(cloud, "signaller")
        for method, body in (("GET", None), ("POST", {"network": {}})):
            assert problem(signaller.call(method, "networks", body)) == FORBIDDEN

    def test_a_token_without_a_project_gives_no_access(self, cloud: Cloud, owner: Networks) -> None:
        token = cloud.log_in("demo", "unscoped").headers["X-Subject-Token"]
        public = owner.named("networks", "public")["id"]
        for method, path, body in (
            ("GET", "networks", None),
            ("POST", "networks", {"network": {}}),
            ("POST", "floatingips", {"floatingip": {"floating_network_id": public}}),
        ):
            answer = owner.call(method, path, body, headers={"X-Auth-Token": token})
            assert problem(answer) == FORBIDDEN, path


class TestSharedNetworks:
    @pytest.fixture
    def subnet(self, cloud: Cloud, stranger: Networks) -> dict[str, Any]:
        """Of the stranger, who lets the victim use it."""
        subnet = stranger.subnet("10.7.0.0/24")
        share(stranger, subnet, cloud.id_of("projects", "demo"))
        return subnet

    @pytest.fixture
    def own_subnet(self, cloud: Cloud, owner: Networks) -> dict[str, Any]:
        """Of the victim, who lets the stranger use it."""
        subnet = owner.subnet("10.8.0.0/24")
        share(owner, subnet, cloud.id_of("projects", "elsewhere"))
        return subnet

    def test_a_port_of_others_is_not_made_a_sub_port(
        self, owner: Networks, stranger: Networks, subnet: dict[str, Any]
    ) -> None:
        port = owner.make("port", network_id=subnet["network_id"])
        parent = stranger.make("port", network_id=subnet["network_id"])
        sub_port = {"port_id": port["id"], "segmentation_type": "vlan", "segmentation_id": 5}
        assert problem(stranger.try_to_make("trunk", port_id=parent["id"], sub_ports=[sub_port])) == FORBIDDEN
        assert problem(stranger.try_to_make("trunk", port_id=port["id"])) == FORBIDDEN
        trunk = stranger.make("trunk", port_id=parent["id"])
        answer = stranger.call("PUT", f"trunks/{trunk['id']}/add_subports", {"sub_ports": [sub_port]})
        assert problem(answer) == FORBIDDEN
        assert owner.show("port", port["id"])["device_owner"] == ""

    def test_a_port_in_use_is_not_made_a_sub_port(self, compute: Computing, owner: Networks) -> None:
        network_id = owner.subnet()["network_id"]
        port, parent = (owner.make("port", network_id=network_id) for _ in range(2))
        server = compute.server(networks=[{"port": port["id"]}])
        sub_port = {"port_id": port["id"], "segmentation_type": "vlan", "segmentation_id": 5}
        answer = owner.try_to_make("trunk", port_id=parent["id"], sub_ports=[sub_port])
        assert problem(answer) == (409, "PortInUse")
        assert compute.show(server["id"])["addresses"] == server["addresses"]

    def test_a_server_does_not_start_with_a_port_of_others(
        self, cloud: Cloud, owner: Networks, subnet: dict[str, Any]
    ) -> None:
        port = owner.make("port", network_id=subnet["network_id"])
        answer = Computing(cloud, STRANGER).create(networks=[{"port": port["id"]}])
        assert answer.status_code == 403
        assert owner.show("port", port["id"])["device_id"] == ""

    def test_no_floating_ip_leads_to_a_port_of_others(
        self, owner: Networks, stranger: Networks, subnet: dict[str, Any]
    ) -> None:
        port = owner.make("port", network_id=subnet["network_id"])
        public = stranger.named("networks", "public")["id"]
        router = stranger.make("router", external_gateway_info={"network_id": public})
        assert add_interface(stranger, router, subnet_id=subnet["id"]).status_code == 200
        answer = stranger.try_to_make("floatingip", floating_network_id=public, port_id=port["id"])
        assert problem(answer) == FORBIDDEN
        floating = stranger.make("floatingip", floating_network_id=public)
        assert problem(stranger.change("floatingip", floating["id"], port_id=port["id"])) == FORBIDDEN
        wanted = {
            "protocol": "tcp",
            "internal_port_id": port["id"],
            "internal_port": 22,
            "external_port": 22,
        }
        path = f"floatingips/{floating['id']}/port_forwardings"
        assert problem(stranger.call("POST", path, {"port_forwarding": wanted})) == FORBIDDEN
        # Their owner's does, through the router of the network's owner.
        made = owner.make("floatingip", floating_network_id=public, port_id=port["id"])
        assert made["router_id"] == router["id"]

    def test_a_port_of_others_is_not_added_to_a_router(
        self, owner: Networks, stranger: Networks, subnet: dict[str, Any]
    ) -> None:
        port = owner.make("port", network_id=subnet["network_id"])
        router = stranger.make("router")
        assert problem(add_interface(stranger, router, port_id=port["id"])) == FORBIDDEN
        assert owner.delete("port", port["id"]).status_code == 204

    def test_guests_do_not_take_the_gateway_address(
        self, owner: Networks, stranger: Networks, own_subnet: dict[str, Any]
    ) -> None:
        router = stranger.make("router")
        assert problem(add_interface(stranger, router, subnet_id=own_subnet["id"])) == (400, "BadRequest")
        port = stranger.make("port", network_id=own_subnet["network_id"])
        assert add_interface(stranger, router, port_id=port["id"]).status_code == 200
        assert own_subnet["gateway_ip"] not in addresses(port)
        own = owner.make("router")
        assert add_interface(owner, own, subnet_id=own_subnet["id"]).status_code == 200

    def test_floating_ips_go_through_the_router_of_their_owner(
        self, owner: Networks, stranger: Networks, own_subnet: dict[str, Any]
    ) -> None:
        gateway = {"network_id": owner.named("networks", "public")["id"]}
        theirs = stranger.make("router", external_gateway_info=gateway)
        leg = stranger.make("port", network_id=own_subnet["network_id"])
        assert add_interface(stranger, theirs, port_id=leg["id"]).status_code == 200
        router = owner.make("router", external_gateway_info=gateway)
        assert add_interface(owner, router, subnet_id=own_subnet["id"]).status_code == 200
        wanted = {"floating_network_id": gateway["network_id"]}
        for who, through in ((owner, router), (stranger, theirs)):
            port = who.make("port", network_id=own_subnet["network_id"])
            assert who.make("floatingip", port_id=port["id"], **wanted)["router_id"] == through["id"]


class TestExternalNetworks:
    def test_members_make_no_ports_there(self, owner: Networks) -> None:
        public = owner.named("networks", "public")["id"]
        assert problem(owner.try_to_make("port", network_id=public)) == FORBIDDEN
        assert owner.make("port", "admin", network_id=public)["fixed_ips"]

    def test_members_start_no_servers_there(self, compute: Computing, owner: Networks) -> None:
        public, project_id = owner.named("networks", "public")["id"], compute.project_id
        port = owner.make("port", "admin", network_id=public, project_id=project_id)
        assert compute.create(networks=[{"port": port["id"]}]).status_code == 403
        assert compute.create(networks=[{"uuid": public}]).status_code == 400
        assert owner.show("port", port["id"])["device_id"] == ""

    def test_members_do_not_choose_who_has_them(self, cloud: Cloud, owner: Networks) -> None:
        policy = owner.make(
            "rbac_policy",
            "admin",
            object_type="network",
            object_id=owner.make("network")["id"],
            action="access_as_external",
            target_tenant=cloud.id_of("projects", "service"),
            project_id=cloud.id_of("projects", "demo"),
        )
        target = cloud.id_of("projects", "elsewhere")
        assert problem(owner.change("rbac_policy", policy["id"], target_tenant=target)) == FORBIDDEN


class TestServersWithoutNetworks:
    """In a project that has none of its own."""

    @pytest.fixture
    def fresh(self, cloud: Cloud) -> str:
        cloud.make("/projects", "project", name="fresh")
        cloud.user("fresh", "member", project="fresh")
        return "fresh"

    def networks_of(self, cloud: Cloud, user: str) -> list[str]:
        return list(Computing(cloud, user).server(networks=[], version="2.1")["addresses"])

    def test_nobody_gets_them_into_a_network_of_theirs(
        self, cloud: Cloud, owner: Networks, fresh: str
    ) -> None:
        share(owner, owner.subnet("10.13.37.0/24"), cloud.id_of("projects", "fresh"))

        assert self.networks_of(cloud, fresh) == []

    def test_they_are_in_what_is_shared_with_everybody(
        self, cloud: Cloud, owner: Networks, fresh: str
    ) -> None:
        network = owner.make("network", "admin", name="for-all", shared=True)["id"]
        owner.make("subnet", "admin", network_id=network, cidr="10.13.38.0/24", ip_version=4)

        assert self.networks_of(cloud, fresh) == ["for-all"]


def share(networks: Networks, subnet: dict[str, Any], project_id: str) -> None:
    policy = {"object_type": "network", "action": "access_as_shared"}
    networks.make("rbac_policy", object_id=subnet["network_id"], target_tenant=project_id, **policy)
