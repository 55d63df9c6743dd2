"""Security groups that are made as large as they can be, to keep the holder of all servers busy."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

import pytest

from calor.localcloud.backend import Address, Permission, PortPlan
from calor.localcloud.linux import rules, server_ports
from calor.localcloud.linux.permissions import merged_traffic
from calor.localcloud.linux.wiring import HostSettings
from calor.localcloud.network import plans, security_group_rules
from calor.localcloud.network.records import Records
from tests.localcloud.linux.test_networks import serves
from tests.support.cloud import Cloud
from tests.support.linux import EVERYTHING_OUT, Machine, eventually
from tests.support.network import Networks, problem

MEMBERS = tuple(f"10.{number >> 8}.{number & 255}.7" for number in range(2000))
_PORT = PortPlan("p", "net", "fa:16:3e:00:00:01", (Address("10.0.0.5", 24, "10.0.0.1"),))


def size(*permissions: Permission, **more: object) -> int:
    """How many messages the rules of a port are for the kernel."""
    port = replace(_PORT, permissions=permissions, **more)
    return len(rules.port_rules({"eth0": port}, [], fresh=True)._messages)


SMALL = 40


def test_the_members_of_a_remote_group_are_not_a_rule_each() -> None:
    of_members = [Permission("ingress", 4, "tcp", (port, port), MEMBERS) for port in range(1, 21)]
    assert size(*of_members) < SMALL


def test_ports_are_not_a_rule_each() -> None:
    assert size(*(Permission("ingress", 4, "tcp", (port, port)) for port in range(1, 2001, 2))) < SMALL


def test_rules_are_not_repeated_for_each_address_of_the_port() -> None:
    out = [Permission("egress", 4, "tcp", (port, port)) for port in range(1, 201, 2)]
    assert size(*out, further_sources=MEMBERS) < SMALL


def test_the_rules_of_one_port_are_limited(caplog: pytest.LogCaptureFixture) -> None:
    different = [
        Permission("ingress", 4, "tcp", (port, port), (f"10.0.{port >> 8}.{port & 255}",))
        for port in range(1, 3001)
    ]
    assert size(*different) < SMALL + rules.MOST_TRAFFIC
    assert "only 1000 apply" in caplog.text


def test_merged_rules_permit_the_same() -> None:
    found = merged_traffic(
        [
            Permission("ingress", 4, "tcp", (80, 90), ("10.0.0.1",)),
            Permission("ingress", 4, "6", (85, 100), ("10.0.0.1",)),
            Permission("ingress", 4, "tcp", (443, 443), ("10.0.0.1",)),
            Permission("ingress", 4, "tcp", (22, 22), None),
            Permission("ingress", 4, "tcp", (22, 22), ("10.0.0.1",)),
            Permission("ingress", 4, "udp", (53, 53), ()),
            Permission("ingress", 4, "icmp", (8, 0)),
            Permission("ingress", 6, "icmp", None),
        ]
    )
    said = {
        (one.family, one.protocol, one.icmp, one.ports, one.remotes and str(one.remotes[0])) for one in found
    }
    assert said == {
        (4, 6, None, ((80, 100), (443, 443)), "10.0.0.1/32"),
        (4, 6, None, ((22, 22),), None),
        (4, 1, (8, 0), None, None),
        (6, 58, None, None, None),
    }


def test_sets_of_remotes_and_ports_permit_what_is_in_them_only(machine: Machine) -> None:
    machine.network()

    def port(remotes: tuple[str, ...], ports: tuple[int, ...]) -> PortPlan:
        permitted = (Permission("ingress", 4, "tcp", (one, one), remotes) for one in ports)
        return machine.port("10.0.0.11", permissions=(*EVERYTHING_OUT, *permitted))

    machine.boot("web", port((*MEMBERS, "10.0.0.12", "255.255.255.0/24"), (8080, 65535)), script=serves(8080))
    for last in (12, 13):
        machine.boot(f"client{last}", machine.port(f"10.0.0.{last}", permissions=EVERYTHING_OUT))
    ask = "curl -s -m 2 http://10.0.0.11:8080/name"
    eventually(lambda: machine.run("client12", ask).stdout == "web\n", "a member is answered")
    assert machine.run("client13", ask).returncode == 28
    machine.do(machine.linux.set_port(port(("10.0.0.13", "10.0.0.15"), (80, 8080, 65535))))
    assert machine.out("client13", ask) == "web\n"
    assert machine.run("client12", ask).returncode == 28
    machine.do(machine.linux.set_port(port(("10.0.0.12/31", "10.0.0.20"), (80, 443))))
    assert machine.run("client12", ask).returncode == 28


@pytest.mark.parametrize("works", [True, False])
def test_nothing_is_permitted_if_the_kernel_refuses_the_rules(
    monkeypatch: pytest.MonkeyPatch, works: bool
) -> None:
    """Rules that were permitted before must not stay."""
    applied: list[PortPlan] = []

    class Rules:
        def __init__(self, ports: dict[str, PortPlan], *rest: object, fresh: bool) -> None:
            self._port = ports["eth0"]

        def commit(self) -> None:
            if self._port.permissions and not works:
                raise OSError(90, "Message too long")
            applied.append(self._port)

    monkeypatch.setattr(server_ports, "port_rules", Rules)
    permitting = replace(_PORT, permissions=EVERYTHING_OUT)
    ports = server_ports.ServerPorts.__new__(server_ports.ServerPorts)
    ports._is_fresh = True
    with nullcontext() if works else pytest.raises(OSError):
        ports._set_rules({"eth0": permitting}, HostSettings((), "", "", None))
    assert applied == [permitting if works else _PORT]


@pytest.fixture
def networks(cloud: Cloud) -> Networks:
    return Networks(cloud)


def test_the_rules_of_a_group_are_limited(networks: Networks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(security_group_rules, "_MOST_RULES", 3)
    group = networks.make("security_group", name="web")["id"]
    rule = {"security_group_id": group, "direction": "ingress", "protocol": "tcp"}
    networks.make("security_group_rule", **rule, port_range_min=80, port_range_max=80)
    answer = networks.try_to_make("security_group_rule", **rule, port_range_min=81, port_range_max=81)
    assert problem(answer) == (409, "OverQuota")


def test_the_addresses_of_a_group_are_limited(networks: Networks) -> None:
    addresses = [f"10.{number >> 8}.{number & 255}.0/24" for number in range(1000)]
    group = networks.make("address_group", name="many", addresses=addresses)["id"]
    answer = networks.call("PUT", f"address-groups/{group}/add_addresses", {"addresses": ["11.0.0.0/24"]})
    assert answer.status_code == 400
    assert "at most 1000" in answer.text


def test_the_address_pairs_of_a_port_are_limited(networks: Networks) -> None:
    network = networks.subnet()["network_id"]
    pairs = [{"ip_address": f"10.0.{number}.0/24"} for number in range(11)]
    answer = networks.try_to_make("port", network_id=network, allowed_address_pairs=pairs)
    assert answer.status_code == 400


def test_remote_addresses_of_a_port_are_limited(
    monkeypatch: pytest.MonkeyPatch, cloud: Cloud, networks: Networks
) -> None:
    monkeypatch.setattr(plans, "_MOST_REMOTES", 5)
    group = networks.make("security_group", name="web")["id"]
    network = networks.subnet()["network_id"]
    for port in (80, 81, 82):
        networks.make(
            "security_group_rule", security_group_id=group, direction="ingress", protocol="tcp",
            port_range_min=port, port_range_max=port, remote_group_id=group,
        )  # fmt: skip
    made = [networks.make("port", network_id=network, security_groups=[group])["id"] for _ in range(2)]
    records = Records(cloud.store)
    port = records.ports.get(made[0])
    assert port is not None
    named = [each for each in plans.Planner(records).port(port).permissions if each.remotes]
    assert [each.ports for each in named] == [(80, 80), (81, 81)]
