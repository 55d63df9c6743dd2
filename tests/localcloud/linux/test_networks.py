"""Networks, routers, floating addresses, security groups: as packets see them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from calor.localcloud.backend import Permission
from calor.localcloud.config import HostService
from tests.support.linux import EVERYTHING_OUT, PING_AND, Listener, Machine, eventually, get, web

SERVES = "cd /srv; hostname >name; python3 -m http.server {} >/dev/null 2>&1 &"


def serves(*ports: int) -> str:
    return "\n".join(SERVES.format(port) for port in ports)


def test_the_host_reaches_a_server_by_its_floating_address(machine: Machine) -> None:
    machine.public()
    machine.network()
    floating = f"{machine.outside}.101"
    machine.router("net", (floating, "10.0.0.11"))
    machine.boot("web", machine.port("10.0.0.11", permissions=web(8080)), script=serves(8080))
    assert eventually(lambda: get(floating, 8080, "/name"), "the server answers") == "web\n"


@pytest.mark.extended
def test_a_removed_floating_address_is_unreachable(machine: Machine) -> None:
    machine.public()
    machine.network()
    floating = f"{machine.outside}.101"
    machine.router("net", (floating, "10.0.0.11"))
    machine.boot("web", machine.port("10.0.0.11", permissions=web(8080)), script=serves(8080))
    eventually(lambda: get(floating, 8080), "the server answers")
    machine.router("net")
    eventually(lambda: get(floating, 8080, timeout=0.5) is None, "the server does not answer any more")


@pytest.mark.extended
def test_only_permitted_ports_are_open_and_permissions_change_while_it_runs(machine: Machine) -> None:
    machine.network()
    port = machine.port("10.0.0.11", permissions=web(8080))
    machine.boot("web", port, script=serves(8080, 8081))
    machine.boot("peer", machine.port("10.0.0.12"))
    machine.finished("web")
    machine.finished("peer")
    ask = "curl -s -m 2 http://10.0.0.11:{}/name"
    eventually(lambda: machine.run("peer", ask.format(8080)).stdout == "web\n", "the open port answers")
    assert machine.run("peer", ask.format(8081)).returncode == 28
    machine.do(machine.linux.set_port(replace(port, permissions=web(8081))))
    assert machine.out("peer", ask.format(8081)) == "web\n"
    assert machine.run("peer", ask.format(8080)).returncode == 28


def test_only_permitted_remotes_can_connect(machine: Machine) -> None:
    machine.network()
    only = Permission("ingress", 4, "tcp", (8080, 8080), ("10.0.0.12/32",))
    machine.boot("web", machine.port("10.0.0.11", permissions=(*EVERYTHING_OUT, only)), script=serves(8080))
    machine.boot("friend", machine.port("10.0.0.12"))
    machine.boot("stranger", machine.port("10.0.0.13"))
    ask = "curl -s -m 2 http://10.0.0.11:8080/name"
    eventually(lambda: machine.run("friend", ask).stdout == "web\n", "the friend is answered")
    assert machine.run("stranger", ask).returncode == 28


@pytest.mark.extended
def test_egress_needs_rules(machine: Machine) -> None:
    machine.network()
    machine.boot("web", machine.port("10.0.0.11", permissions=web(8080)), script=serves(8080))
    machine.boot("mute", machine.port("10.0.0.12", permissions=()))
    machine.boot("peer", machine.port("10.0.0.13"))
    ask = "curl -s -m 2 http://10.0.0.11:8080/name"
    eventually(lambda: machine.run("peer", ask).returncode == 0, "the server answers others")
    assert machine.run("mute", ask).returncode != 0


def test_source_addresses_cannot_be_spoofed(machine: Machine) -> None:
    machine.network()
    machine.boot("one", machine.port("10.0.0.11", permissions=web(8080)), script=serves(8080))
    machine.boot("other", machine.port("10.0.0.12"))
    machine.finished("one")
    machine.finished("other")
    assert machine.run("other", "ip addr add 10.0.0.99/24 dev eth0").returncode != 0
    assert machine.run("other", "python3 -c 'import socket; socket.socket(17, 3)'").returncode != 0


@pytest.mark.extended
def test_networks_with_the_same_addresses_are_isolated(machine: Machine) -> None:
    for network in ("left", "right"):
        machine.network(network)
        port = machine.port("10.0.0.11", network, web(8080))
        machine.boot(f"web-{network}", port, script=serves(8080))
        machine.boot(f"peer-{network}", machine.port("10.0.0.12", network))
    ask = "curl -s -m 2 http://10.0.0.11:8080/name"
    for network in ("left", "right"):
        eventually(
            lambda network=network: machine.run(f"peer-{network}", ask).stdout == f"web-{network}\n",
            "each finds its own",
        )


def test_a_router_connects_networks(machine: Machine) -> None:
    from calor.localcloud.backend import Leg, RouterPlan

    machine.network("left")
    machine.network("right", "10.0.1.0/24")
    machine.boot("web", machine.port("10.0.1.11", "right", web(8080)), script=serves(8080))
    machine.boot("peer", machine.port("10.0.0.12", "left"))
    legs = (
        Leg("l", "left", "fa:16:3e:00:01:01", "10.0.0.1", 24),
        Leg("r", "right", "fa:16:3e:00:01:02", "10.0.1.1", 24),
    )
    machine.do(machine.linux.set_router(RouterPlan("router", legs)))
    ask = "curl -s -m 2 http://10.0.1.11:8080/name"
    eventually(lambda: machine.run("peer", ask).stdout == "web\n", "the other network is reached")
    machine.do(machine.linux.drop_router("router"))
    assert machine.run("peer", ask).returncode != 0


@pytest.mark.extended
def test_a_neighbour_is_reached_by_its_floating_address(machine: Machine) -> None:
    machine.public()
    machine.network()
    floating = f"{machine.outside}.101"
    machine.router("net", (floating, "10.0.0.11"))
    machine.boot("web", machine.port("10.0.0.11", permissions=web(8080)), script=serves(8080))
    machine.boot("peer", machine.port("10.0.0.12"))
    ask = f"curl -s -m 2 http://{floating}:8080/name"
    eventually(lambda: machine.run("peer", ask).stdout == "web\n", "the floating address works inside")


def test_plans_can_be_set_in_any_order_and_repeatedly(machine: Machine) -> None:
    floating = f"{machine.outside}.101"
    machine.boot("web", machine.port("10.0.0.11", permissions=web(8080)), script=serves(8080))
    machine.router("net", (floating, "10.0.0.11"))
    for _ in range(2):
        machine.network()
        machine.public()
        machine.router("net", (floating, "10.0.0.11"))
    assert eventually(lambda: get(floating, 8080, "/name"), "the server answers") == "web\n"


def test_metadata_requests_have_network_and_address(machine: Machine) -> None:
    ask = "curl -s http://169.254.169.254/openstack/latest/meta_data.json"
    for network in ("left", "right"):
        machine.network(network)
        machine.boot(f"on-{network}", machine.port("10.0.0.11", network), script=f"{ask}; echo")
        assert f"{network} 10.0.0.11" in machine.finished(f"on-{network}")
    assert {question.path for question in machine.asked} == {"/openstack/latest/meta_data.json"}


def test_a_server_without_permissions_still_gets_metadata(machine: Machine) -> None:
    machine.network()
    machine.boot("mute", machine.port("10.0.0.11", permissions=()))
    machine.finished("mute")
    assert machine.out("mute", "curl -s -m 5 http://169.254.169.254/") == "net 10.0.0.11"


def test_host_services_are_reached_at_their_own_addresses(machine: Machine, host_service: Listener) -> None:
    machine.network()
    signal = f"curl -s -m 5 -X PUT -d done http://127.0.0.1:{host_service.port}/v1/signal; echo"
    machine.boot("one", machine.port("10.0.0.11"), script=signal)
    assert "heard" in machine.finished("one")
    assert host_service.heard[0].startswith(b"PUT /v1/signal HTTP/1.1\r\n")
    assert host_service.heard[0].endswith(b"done")


@pytest.fixture
def named(_possible: None, tmp_path: Path) -> Iterator[tuple[Machine, Listener, Listener]]:
    """Services by names that only clients know, on the port of the metadata service; and one as `localhost`."""
    api, cfn = Listener(), Listener()
    host_services = (
        HostService("heat.invalid", 80, ("127.0.0.1", api.port)),
        HostService("heat.invalid", 8004, ("127.0.0.1", api.port)),
        HostService("cfn.invalid", 80, ("127.0.0.1", cfn.port)),
        HostService("tls.invalid", 443),
        HostService("localhost", cfn.port),
        HostService("::1", cfn.port),
    )
    made = Machine(tmp_path / "cloud" / "linux", host_services)
    made.network()
    yield made, api, cfn
    made.stop()
    api.close()
    cfn.close()


@pytest.mark.extended
def test_host_services_are_reached_by_name(
    named: tuple[Machine, Listener, Listener],
) -> None:
    machine, api, cfn = named
    api.answer, cfn.answer = b"api", b"cfn"
    machine.boot("one", machine.port("10.0.0.11", permissions=()))
    machine.finished("one")
    for url, answer in (
        ("http://heat.invalid/", "api"),
        ("http://heat.invalid:8004/", "api"),
        ("http://cfn.invalid/", "cfn"),
        (f"http://localhost:{cfn.port}/", "cfn"),
        ("http://169.254.169.254/", "net 10.0.0.11"),
    ):
        assert machine.out("one", f"curl -s -m 5 {url}") == answer, url
    assert b"\r\nHost: heat.invalid\r\n" in api.heard[0]
    assert set(api.peers) == {"127.0.0.254"}


def test_a_server_with_the_name_of_a_host_service_reaches_it(
    named: tuple[Machine, Listener, Listener],
) -> None:
    machine, _, _ = named
    machine.boot("heat.invalid", machine.port("10.0.0.11"))
    machine.finished("heat.invalid")
    assert machine.out("heat.invalid", "curl -s -m 5 http://heat.invalid/") == "heard"


@pytest.mark.extended
def test_an_unreachable_host_service_is_logged(
    named: tuple[Machine, Listener, Listener], caplog: pytest.LogCaptureFixture
) -> None:
    machine, _, _ = named
    machine.boot("one", machine.port("10.0.0.11"))
    machine.finished("one")
    assert machine.run(
        "one", "curl -s -m 5 https://tls.invalid/; curl -s -m 5 https://tls.invalid/"
    ).returncode
    reported = [one.getMessage() for one in caplog.records if "tls.invalid" in one.getMessage()]
    assert len(reported) == 1
    assert reported[0].startswith("Servers cannot reach tls.invalid, port 443: ")


def test_other_services_of_the_host_are_unreachable(machine: Machine) -> None:
    other = Listener("0.0.0.0")
    try:
        machine.public()
        machine.network()
        machine.router("net", (f"{machine.outside}.101", "10.0.0.11"))
        machine.boot("one", machine.port("10.0.0.11"))
        machine.finished("one")
        addresses = ["127.0.0.1", "169.254.169.254", f"{machine.outside}.1"]
        if machine.linux._ranges.host_link is not None:
            addresses.append(machine.linux._ranges.host_link[0].partition("/")[0])
        for address in addresses:
            assert machine.run("one", f"curl -s -m 1 http://{address}:{other.port}/").returncode != 0, address
        assert other.heard == []
    finally:
        other.close()


def test_a_port_is_plugged_in_and_out_while_the_server_runs(machine: Machine) -> None:
    machine.network("left")
    machine.network("right", "10.0.1.0/24")
    machine.boot("one", machine.port("10.0.0.11", "left"))
    machine.boot("peer", machine.port("10.0.1.12", "right", web(8080)), script=serves(8080))
    machine.finished("one")
    machine.do(machine.linux.plug("one", machine.port("10.0.1.11", "right")))
    ask = "curl -s -m 2 http://10.0.1.12:8080/name"
    eventually(lambda: machine.run("one", ask).stdout == "peer\n", "the new network is reached")
    machine.do(machine.linux.unplug("one", "right-11"))
    assert "eth1" not in machine.out("one", "cat /proc/net/dev")


def test_ping_works_inside(machine: Machine) -> None:
    machine.network()
    machine.boot("one", machine.port("10.0.0.11", permissions=PING_AND))
    machine.boot("other", machine.port("10.0.0.12"))
    machine.finished("one")
    machine.finished("other")
    program = (
        "import socket, struct; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 1); s.settimeout(5);"
        "s.sendto(struct.pack('!BBHHH', 8, 0, 0, 1, 1), ('10.0.0.11', 0)); print(s.recv(100)[0])"
    )
    assert machine.out("other", f'python3 -c "{program}"') == "0\n"
