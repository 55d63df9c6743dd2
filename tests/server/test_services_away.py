"""While a service of the cloud is away, a stack says what it waits for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.server.orchestrator import Orchestrator
from tests.support.server import until

VOLUME = {"volume": {"type": "OS::Cinder::Volume", "properties": {"size": 1}}}


@pytest.mark.parametrize("status", [429, 502, 503])
@pytest.mark.parametrize("method", ["POST", "GET"])
def test_a_stack_and_its_resource_show_what_is_waited_for_until_it_is_back(
    admin: Orchestrator, method: str, status: int
) -> None:
    with admin.fault(method=method, path="/volume/.*", status=status, message="Cinder sleeps."):
        path = admin.begin(f"waiting-{method.lower()}-{status}", VOLUME)

        def reported() -> dict[str, Any] | None:
            found = admin.resource(path, "volume")
            return found if "waiting for" in found["resource_status_reason"] else None

        waiting = until(reported)
        assert waiting["resource_status"] == "CREATE_IN_PROGRESS"
        assert waiting["resource_status_reason"].startswith("state changed; waiting for volume since 20")
        assert waiting["resource_status_reason"].endswith("Cinder sleeps.")
        stack = admin.api.get(path).json()["stack"]
        assert stack["stack_status"] == "CREATE_IN_PROGRESS"
        assert stack["stack_status_reason"].startswith("Stack CREATE started; waiting for volume since 20")

    admin.wait(path, "CREATE_COMPLETE")
    assert admin.api.get(path).json()["stack"]["stack_status_reason"] == "Stack CREATE completed successfully"
    events = admin.api.get(f"{path}/events").json()["events"]
    assert [
        one["resource_status_reason"] for one in events if "waiting" in one["resource_status_reason"]
    ] == []
    admin.delete(path)
