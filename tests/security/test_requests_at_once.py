"""Of two requests at once, the second one acts on what the first one has made of the stack, or is refused: else it
would put its own rights behind what somebody else wants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from calor.service.caller import Caller
from calor.service.errors import ActionInProgress
from calor.store import records
from tests.security.tenants import VERSION
from tests.support.api import PROJECT, Door, Stage

CALLER = Caller("id-of-other", "other", PROJECT, roles=("member",))


def template(value: str) -> dict[str, Any]:
    return {**VERSION, "resources": {"v": {"type": "OS::Heat::Value", "properties": {"value": value}}}}


def snapshot(stage: Stage, stack: records.Stack, taken: records.Snapshot) -> None:
    stage.commands.snapshots.create(CALLER, stack, None)


def restore(stage: Stage, stack: records.Stack, taken: records.Snapshot) -> None:
    stage.commands.snapshots.restore(CALLER, stack, taken)


def abandon(stage: Stage, stack: records.Stack, taken: records.Snapshot) -> None:
    stage.commands.transfers.abandon(CALLER, stack)


@pytest.mark.parametrize("act", [snapshot, restore, abandon])
def test_an_action_on_a_stack_that_is_updated_meanwhile_is_refused(
    running: Stage, door: Door, act: Callable[[Stage, records.Stack, records.Snapshot], None]
) -> None:
    path = door.create("s", template("1"))
    assert door.settled(path)["stack_status"] == "CREATE_COMPLETE"
    door("POST", f"{path}/snapshots", {})
    assert door.settled(path)["stack_status"] == "SNAPSHOT_COMPLETE"
    seen = running.queries.stacks.get(CALLER, "s", path.rpartition("/")[2])
    [taken] = running.queries.snapshots.of(seen)
    assert door("PUT", path, {"template": template("2")}).status_code == 202

    with pytest.raises(ActionInProgress):
        act(running, seen, taken)

    assert door.settled(path)["stack_status"] == "UPDATE_COMPLETE"
    assert len(running.queries.snapshots.of(seen)) == 1
