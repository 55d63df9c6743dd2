"""A failed action that is repeated continues where it stopped."""

from __future__ import annotations

import time
from typing import Any

import pytest

from calor.service.errors import NotSupported
from calor.store import records
from tests.support.workbench import CALLER, PATIENCE, Probe, Workbench, probe, template


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Breaks one of the probe's handlers for the resource `b`, until it is mended."""

    def break_(handler: str) -> None:
        whole = getattr(Probe, handler, None)

        def fails(cls: type[Probe], ctx: Any, *args: Any) -> Any:
            if ctx.name == "b":
                raise RuntimeError("broken")
            return whole(ctx, *args) if whole is not None else None

        monkeypatch.setattr(Probe, handler, classmethod(fails), raising=False)

    break_.mend = monkeypatch.undo  # type: ignore[attr-defined]
    return break_


CHAIN = template({"a": probe("1"), "b": probe("1", depends_on="a"), "c": probe("1", depends_on="b")})
CHANGED = template({"a": probe("2"), "b": probe("2", depends_on="a"), "c": probe("2", depends_on="b")})


def retried(bench: Workbench, stack: records.Stack) -> records.Stack:
    bench.commands.stacks.act(CALLER, bench.stack(stack.id), "retry")
    return bench.wait(stack)


def rolled_back(bench: Workbench, stack: records.Stack) -> records.Stack:
    """The stack when its rollback has ended: it follows a failure that can be seen for a moment."""
    end = time.monotonic() + PATIENCE
    while bench.stack(stack.id).action != "ROLLBACK":
        assert time.monotonic() < end
        time.sleep(0.005)
    return bench.wait(stack)


def done(action: str) -> list[str]:
    return [name for kind, name, _ in Probe.journal if kind == action]


def test_a_creation_continues(bench: Workbench, broken: Any) -> None:
    broken("create")
    stack = bench.create(CHAIN)
    assert bench.wait(stack).state == "CREATE_FAILED"
    broken.mend()

    assert retried(bench, stack).state == "CREATE_COMPLETE"

    assert done("create") == ["a", "b", "c"]
    assert {row.status for row in bench.resources(stack).values()} == {"COMPLETE"}


def test_an_update_continues(bench: Workbench, broken: Any) -> None:
    stack = bench.create(CHAIN)
    bench.wait(stack)
    broken("update")
    bench.update(stack, CHANGED)
    assert bench.wait(stack).state == "UPDATE_FAILED"
    broken.mend()

    assert retried(bench, stack).state == "UPDATE_COMPLETE"

    assert done("update") == ["a", "c"]
    assert [row.properties["value"] for row in bench.resources(stack).values()] == ["2", "2", "2"]


def test_a_rollback_continues(bench: Workbench, broken: Any) -> None:
    stack = bench.create(CHAIN, disable_rollback=False)
    bench.wait(stack)
    broken("update")
    broken("create")
    bench.update(stack, CHANGED)
    assert rolled_back(bench, stack).state == "ROLLBACK_FAILED"
    broken.mend()

    assert retried(bench, stack).state == "ROLLBACK_COMPLETE"

    assert {row.properties["value"] for row in bench.resources(stack).values()} == {"1"}


def test_a_rollback_to_nothing_continues(bench: Workbench, broken: Any) -> None:
    broken("create")
    broken("delete")
    stack = bench.create(CHAIN, disable_rollback=False)
    assert rolled_back(bench, stack).state == "ROLLBACK_FAILED"
    broken.mend()

    assert retried(bench, stack).state == "ROLLBACK_COMPLETE"

    assert bench.resources(stack) == {}


def test_a_deletion_continues(bench: Workbench, broken: Any) -> None:
    stack = bench.create(CHAIN)
    bench.wait(stack)
    broken("delete")
    bench.delete(stack)
    assert bench.wait(stack).state == "DELETE_FAILED"
    broken.mend()

    assert retried(bench, stack).state == "DELETE_COMPLETE"

    assert done("delete") == ["c", "b", "a"]


@pytest.mark.parametrize("verb", ["suspend", "resume", "check"])
def test_an_action_in_place_continues(bench: Workbench, broken: Any, verb: str) -> None:
    stack = bench.create(CHAIN)
    bench.wait(stack)
    if verb == "resume":
        bench.commands.stacks.act(CALLER, bench.stack(stack.id), "suspend")
        bench.wait(stack)
    broken(verb)
    bench.commands.stacks.act(CALLER, bench.stack(stack.id), verb)
    assert bench.wait(stack).state == f"{verb.upper()}_FAILED"
    broken.mend()

    assert retried(bench, stack).state == f"{verb.upper()}_COMPLETE"


def test_only_what_has_failed_is_tried_again(bench: Workbench) -> None:
    stack = bench.create(CHAIN)
    bench.wait(stack)

    with pytest.raises(NotSupported, match="CREATE_COMPLETE"):
        retried(bench, stack)
