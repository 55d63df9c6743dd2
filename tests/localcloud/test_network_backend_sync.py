"""What the backend is told about networks."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from calor.localcloud.backend import BackendError, NetworkPlan, PortPlan, RouterPlan
from calor.localcloud.simulated import Simulated
from tests.support.cloud import Cloud
from tests.support.compute import Computing
from tests.support.network import Networks, addresses

PATIENCE = 30.0


class Recorder(Simulated):
    """Backend that remembers what it was told last of each object."""

    needs_network_plans = True

    def __init__(self) -> None:
        super().__init__()
        self.networks: dict[str, NetworkPlan] = {}
        self.routers: dict[str, RouterPlan] = {}
        self.ports: dict[str, PortPlan] = {}
        self.failing: set[str] = set()

    async def set_network(self, plan: NetworkPlan) -> None:
        if plan.id in self.failing:
            raise BackendError("It was told to fail.")
        self.networks[plan.id] = plan

    async def drop_network(self, id: str) -> None:
        self.networks.pop(id, None)

    async def set_router(self, plan: RouterPlan) -> None:
        self.routers[plan.id] = plan

    async def drop_router(self, id: str) -> None:
        self.routers.pop(id, None)

    async def set_port(self, plan: PortPlan) -> None:
        self.ports[plan.id] = plan


def until(look: Callable[[], Any]) -> Any:
    """What is found as soon as there is something."""
    end = time.monotonic() + PATIENCE
    while not (found := look()):
        assert time.monotonic() < end, "It did not come."
        time.sleep(0.01)
    return found


@pytest.fixture
def backend() -> Recorder:
    return Recorder()


@pytest.fixture
def cloud(furnished: tuple[Path, dict[str, str]], tmp_path: Path, backend: Recorder) -> Iterator[Cloud]:
    database, passwords = furnished
    made = Cloud(Path(shutil.copy(database, tmp_path / "cloud.db")), dict(passwords), backend=backend)
    yield made
    made.stop()


def test_plans_of_networks_and_routers(networks: Networks, backend: Recorder) -> None:
    port, router = networks.routed_port()
    public = networks.named("networks", "public")["id"]
    floating = networks.make("floatingip", floating_network_id=public, port_id=port["id"])
    pair = (floating["floating_ip_address"], addresses(port)[0])
    plan = until(lambda: (found := backend.routers.get(router["id"])) and found.floating == (pair,) and found)
    assert [(leg.network_id, leg.address, leg.prefix) for leg in plan.legs] == [
        (port["network_id"], "10.5.0.1", 24)
    ]
    assert plan.gateway.network_id == public
    assert plan.next_hop == "172.24.4.1"
    assert plan.masquerades
    reported = backend.networks[port["network_id"]]
    assert [(subnet.cidr, subnet.gateway) for subnet in reported.subnets] == [("10.5.0.0/24", "10.5.0.1")]
    assert backend.networks[public].external

    networks.delete("floatingip", floating["id"])
    until(lambda: backend.routers[router["id"]].floating == ())
    networks.call("PUT", f"routers/{router['id']}/remove_router_interface", {"port_id": plan.legs[0].port_id})
    networks.delete("router", router["id"])
    networks.delete("port", port["id"])
    networks.delete("network", port["network_id"])
    until(lambda: router["id"] not in backend.routers and port["network_id"] not in backend.networks)


def test_all_plans_are_sent_after_a_restart(networks: Networks, backend: Recorder) -> None:
    heat, router = (
        networks.named("networks", "heat-net")["id"],
        networks.named("routers", "heat-router")["id"],
    )
    until(lambda: heat in backend.networks and router in backend.routers)
    backend.networks.clear()
    backend.routers.clear()
    networks.cloud.restart()
    until(lambda: heat in backend.networks and router in backend.routers)


def test_a_failed_plan_does_not_affect_others(networks: Networks, backend: Recorder) -> None:
    wrong = networks.make("network")["id"]
    backend.failing.add(wrong)
    networks.change("network", wrong, name="other")
    right = networks.make("network")["id"]
    until(lambda: right in backend.networks)


class TestPermissions:
    @pytest.fixture
    def server_port(self, cloud: Cloud, networks: Networks) -> str:
        """The port of a running server, in a group of its own."""
        computing = Computing(cloud)
        network = networks.subnet()["network_id"]
        group = networks.make("security_group", name="web")["id"]
        port = networks.make("port", network_id=network, security_groups=[group])
        computing.server(networks=[{"port": port["id"]}])
        return str(port["id"])

    def remotes(self, backend: Recorder, port: str) -> set[tuple[str, ...] | None]:
        plan = backend.ports.get(port)
        return {each.remotes for each in plan.permissions if each.direction == "ingress"} if plan else set()

    def test_a_new_rule_reaches_running_servers(
        self, networks: Networks, backend: Recorder, server_port: str
    ) -> None:
        [group] = networks.show("port", server_port)["security_groups"]
        networks.make(
            "security_group_rule",
            security_group_id=group,
            direction="ingress",
            protocol="tcp",
            port_range_min=80,
            port_range_max=81,
            remote_ip_prefix="10.0.0.0/8",
        )
        until(lambda: self.remotes(backend, server_port) == {("10.0.0.0/8",)})
        [permission] = [
            each for each in backend.ports[server_port].permissions if each.direction == "ingress"
        ]
        assert (permission.family, permission.protocol, permission.ports) == (4, "tcp", (80, 81))

    def test_changes_of_remote_group_members_are_sent(
        self, networks: Networks, backend: Recorder, server_port: str
    ) -> None:
        [group] = networks.show("port", server_port)["security_groups"]
        friends = networks.make("security_group", name="friends")["id"]
        networks.make(
            "security_group_rule", security_group_id=group, direction="ingress", remote_group_id=friends
        )
        until(lambda: self.remotes(backend, server_port) == {()})
        network = networks.show("port", server_port)["network_id"]
        friend = networks.make("port", network_id=network, security_groups=[friends])
        until(lambda: self.remotes(backend, server_port) == {tuple(addresses(friend))})
        networks.change("port", friend["id"], fixed_ips=[{"ip_address": "10.5.0.99"}])
        until(lambda: self.remotes(backend, server_port) == {("10.5.0.99",)})
        networks.delete("port", friend["id"])
        until(lambda: self.remotes(backend, server_port) == {()})

    def test_changes_of_address_groups_are_sent(
        self, networks: Networks, backend: Recorder, server_port: str
    ) -> None:
        [group] = networks.show("port", server_port)["security_groups"]
        offices = networks.make("address_group", addresses=["10.1.0.0/16"])["id"]
        networks.make(
            "security_group_rule",
            security_group_id=group,
            direction="ingress",
            remote_address_group_id=offices,
        )
        until(lambda: self.remotes(backend, server_port) == {("10.1.0.0/16",)})
        networks.call("PUT", f"address-groups/{offices}/add_addresses", {"addresses": ["10.2.0.0/16"]})
        until(lambda: self.remotes(backend, server_port) == {("10.1.0.0/16", "10.2.0.0/16")})

    def test_a_port_without_port_security_is_not_guarded(
        self, networks: Networks, backend: Recorder, server_port: str
    ) -> None:
        networks.change("port", server_port, security_groups=[], port_security_enabled=False)
        until(lambda: (plan := backend.ports.get(server_port)) and not plan.guarded)
