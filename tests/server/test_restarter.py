"""OS::Heat::HARestarter at a server: an alarm that calls its URL has another server in place of the one that hangs."""

from __future__ import annotations

from typing import Any

import httpx2 as httpx
import pytest

from tests.server.orchestrator import Orchestrator
from tests.support.server import until


def resources(instance: Any) -> dict[str, Any]:
    return {
        "server": {
            "type": "OS::Nova::Server",
            "properties": {"image": "cirros", "flavor": "m1.tiny", "networks": [{"network": "heat-net"}]},
        },
        "restarter": {"type": "OS::Heat::HARestarter", "properties": {"InstanceId": instance}},
        "id": {"type": "OS::Heat::Value", "properties": {"value": {"get_resource": "server"}}},
    }


@pytest.mark.parametrize("instance", [{"get_resource": "server"}, "server"], ids=["by id", "by name"])
def test_a_signal_recreates_the_server(demo: Orchestrator, instance: Any) -> None:
    given = resources(instance)
    if isinstance(instance, str):
        # There is nothing else that would have it wait.
        given["restarter"]["depends_on"] = "server"
    path = demo.create(f"ha-{type(instance).__name__}", given)
    first = demo.id_of(path, "server")
    # A restarter that refers to the server depends on it, and is recreated as well.
    second = recreated(demo, path, first)
    third = recreated(demo, path, second)

    assert demo.resource(path, "id")["attributes"]["value"] == third
    servers = demo.cloud.get(f"{demo.endpoints['compute']}/servers/detail").json()["servers"]
    assert [one["status"] for one in servers if one["id"] == third] == ["ACTIVE"]
    assert not {first, second}.intersection(one["id"] for one in servers)
    demo.delete(path)


def recreated(demo: Orchestrator, path: str, before: str) -> str:
    """The id of the server after a signal."""
    url = demo.resource(path, "restarter")["attributes"]["AlarmUrl"]
    # What alarms send.
    details = {"alarm_id": "a", "previous": "ok", "current": "alarm", "reason": "silence"}
    answer = httpx.post(url, json=details)
    assert (answer.status_code, answer.text) == (200, "")
    until(lambda: demo.id_of(path, "server") not in ("", before))
    demo.wait(path, "UPDATE_COMPLETE")
    return demo.id_of(path, "server")
