"""Stacks of servers and what belongs to them, against the embedded cloud."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from orchestrating import Orchestrator
from running import Server, free_port


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(Path(tmp_path_factory.mktemp("server")) / "state", free_port())
    server.ready()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def user(place: Server) -> Orchestrator:
    return Orchestrator(place)


def server(**properties: Any) -> dict[str, Any]:
    given = {
        "flavor": "m1.tiny",
        "image": "cirros",
        "networks": [{"network": "heat-net"}],
        "user_data_format": "RAW",
        **properties,
    }
    return {"type": "OS::Nova::Server", "properties": given}


def shown(user: Orchestrator, id: str) -> dict[str, Any]:
    headers = {"X-OpenStack-Nova-API-Version": "2.26"}
    answer = user.ask("compute", "GET", f"/servers/{id}", headers=headers)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()["server"]
    return found


def left_over(user: Orchestrator) -> dict[str, list[Any]]:
    """What there is of a project's own."""
    servers = user.ask("compute", "GET", "/servers").json()["servers"]
    ports = user.ask("network", "GET", "/v2.0/ports").json()["ports"]
    return {
        "servers": servers,
        "ports": [port for port in ports if not port["device_owner"].startswith("network:")],
    }


def test_a_server_comes_changes_and_goes(user: Orchestrator) -> None:
    outputs = {
        "addresses": {"value": {"get_attr": ["server", "networks", "heat-net"]}},
        "consoles": {"value": {"get_attr": ["server", "console_urls", "novnc"]}},
    }
    path = user.create("coming", {"server": server(tags=["a"], metadata={"k": 1})}, outputs=outputs)
    id = user.id_of(path, "server")

    made = shown(user, id)
    assert made["status"] == "ACTIVE"
    assert made["tags"] == ["a"]
    assert made["metadata"] == {"k": "1"}
    [address] = user.outputs(path)["addresses"]
    assert address in [one["addr"] for one in made["addresses"]["heat-net"]]

    changed = server(
        name="renamed",
        flavor="m1.small",
        image="debian-12",
        tags=["b"],
        metadata={"k": "2"},
        networks=[{"network": "heat-net"}, {"network": "test-net"}],
    )
    user.update(path, {"server": changed}, outputs=outputs)

    assert user.id_of(path, "server") == id
    now = shown(user, id)
    assert (now["name"], now["status"], now["tags"], now["metadata"]) == (
        "renamed",
        "ACTIVE",
        ["b"],
        {"k": "2"},
    )
    assert now["flavor"]["id"] != made["flavor"]["id"]
    assert now["image"]["id"] != made["image"]["id"]
    assert set(now["addresses"]) == {"heat-net", "test-net"}
    assert user.outputs(path)["addresses"] == [address]

    user.delete(path)
    assert left_over(user) == {"servers": [], "ports": []}
