"""What comes from outside while a stack is made."""

from __future__ import annotations

import time
from typing import Any

from workbench import CALLER, PATIENCE, Probe, Workbench, probe, template

from calor.store import records


def paused(bench: Workbench, stack: records.Stack, name: str, hook: str) -> records.Resource:
    """The resource as soon as it waits at a hook."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        row = bench.resources(stack).get(name)
        if row is not None and (row.data or {}).get("_hook") == hook:
            return row
        time.sleep(0.01)
    raise AssertionError(f"{name} never waited at {hook}")


def hooked(hook: str) -> dict[str, Any]:
    return {"resource_registry": {"resources": {"a": {"hooks": hook}}}}


def test_a_resource_waits_at_its_hook_until_it_is_cleared(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe("1"), "b": probe("2")}), environment=hooked("pre-create"))

    resource = paused(bench, stack, "a", "pre-create")
    assert resource.state == "INIT_COMPLETE"
    assert bench.stack(stack.id).status == "IN_PROGRESS"

    bench.commands.signal(CALLER, stack, resource, {"unset_hook": "pre-create"})

    assert bench.wait(stack).state == "CREATE_COMPLETE"
    assert ("create", "a", "1") in Probe.journal
    assert bench.reasons(stack, "a")[:2] == [
        "CREATE paused until Hook pre-create is cleared",
        "Hook pre-create is cleared",
    ]


def test_a_deletion_waits_at_its_hook(bench: Workbench) -> None:
    stack = bench.create(template({"a": probe("1")}), environment=hooked("pre-delete"))
    bench.wait(stack)

    bench.delete(stack)
    resource = paused(bench, stack, "a", "pre-delete")
    bench.commands.signal(CALLER, bench.stack(stack.id), resource, {"unset_hook": "pre-delete"})

    assert bench.wait(stack).state == "DELETE_COMPLETE"
