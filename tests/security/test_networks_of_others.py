"""What a project does to the networks of others in the embedded cloud: servers, routers and floating IPs of a project
are moved, fed and read by that project alone, even where a network is shared."""

from __future__ import annotations

import shutil
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from computing import Computing
from networking import Networks, addresses, problem
from watching import Watched

from calor.localcloud.machinery import MetadataQuestion
from calor.localcloud.network.plans import Planner
from calor.localcloud.network.records import Records
from clouds import Cloud

STRANGER = "mallory"
NOT_OWNED = (409, "DeviceIDNotOwnedByTenant")
FORBIDDEN = (403, "PolicyNotAuthorized")


@pytest.fixture
def machinery() -> Watched:
    return Watched()


@pytest.fixture
def cloud(furnished: tuple[Path, dict[str, str]], tmp_path: Path, machinery: Watched) -> Iterator[Cloud]:
    database, passwords = furnished
    made = Cloud(Path(shutil.copy(database, tmp_path / "cloud.db")), dict(passwords), machinery=machinery)
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
        self, compute: Computing, stranger: Networks, machinery: Watched
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
            question = MetadataQuestion(network_id, address, "GET", "/openstack/latest/user_data", {}, b"")
            assert machinery.answer(question).status == 404

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
