"""A failed creation is retried as often as configured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import pytest

from calor.clouds.errors import Conflict, Permanent
from calor.engine.walk import retrying
from calor.resources.context import Context
from calor.resources.contract import ResourceType
from calor.resources.outcomes import ResourceFailed
from tests.support.workbench import Workbench, template


class Moody(ResourceType, extends=True):
    """An object that its service may put into error."""

    type_name = "Test::Moody"
    failures: ClassVar[list[Exception | None]] = []
    """How attempts fail, one after the other; those after them do not."""
    objects: ClassVar[dict[str, str]] = {}
    """Resources by the ids of their objects."""
    journal: ClassVar[list[str]] = []
    hangs: ClassVar[set[str]] = set()

    @classmethod
    async def create(cls, ctx: Context, props: Mapping[str, Any]) -> None:
        failure = cls.failures.pop(0) if cls.failures else None
        if isinstance(failure, Conflict):
            raise failure
        number = len([line for line in cls.journal if line.startswith("made")]) + 1
        cls.objects[f"object-{number}"] = ctx.id
        cls.journal.append(f"made object-{number}")
        ctx.set_physical_id(f"object-{number}")
        ctx.set_data(password="drawn once")
        if failure is not None:
            raise failure

    @classmethod
    async def find(cls, ctx: Context) -> bool:
        return ctx.physical_id is not None and ctx.physical_id in cls.objects

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        if "delete" in cls.hangs:
            cls.hangs.add("delete!")
            await ctx.sleep(600)
        cls.objects.pop(str(ctx.physical_id), None)
        cls.journal.append(f"deleted {ctx.physical_id}")


def in_error(number: int = 1) -> ResourceFailed:
    return ResourceFailed(f"Went to status ERROR, number {number}", "ResourceInError")


ONE = template({"a": {"type": "Test::Moody"}})


@pytest.fixture
def bench(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workbench]:
    Moody.failures, Moody.objects, Moody.journal, Moody.hangs = [], {}, [], set()
    monkeypatch.setattr(retrying, "delay", lambda count: 0.01)
    made = Workbench(database_url, [Moody])
    yield made
    made.close()


def test_an_object_in_error_is_deleted_and_created_again(bench: Workbench) -> None:
    Moody.failures = [in_error(1), in_error(2)]
    stack = bench.wait(bench.create(ONE))
    assert stack.status == "COMPLETE"
    assert bench.resources(stack)["a"].physical_id == "object-3"
    assert Moody.journal == [
        "made object-1",
        "deleted object-1",
        "made object-2",
        "deleted object-2",
        "made object-3",
    ]
    once = ["CREATE_IN_PROGRESS", "CREATE_FAILED", "DELETE_IN_PROGRESS", "DELETE_COMPLETE"]
    reported = [state for name, state in bench.events(stack) if name == "a"]
    assert reported == [*once, *once, "CREATE_IN_PROGRESS", "CREATE_COMPLETE"]
    assert bench.reasons(stack, "a")[1] == "ResourceInError: resources.a: Went to status ERROR, number 1"


def test_it_is_given_up_after_five_more_attempts_with_the_first_failure(bench: Workbench) -> None:
    Moody.failures = [in_error(number) for number in range(1, 10)]
    stack = bench.wait(bench.create(ONE))
    assert stack.status == "FAILED"
    assert "Went to status ERROR, number 1" in stack.reason
    assert Moody.journal[-1] == "made object-6"
    row = bench.resources(stack)["a"]
    assert (row.status, row.physical_id) == ("FAILED", "object-6")
    bench.delete(stack)
    assert bench.wait(stack).status == "COMPLETE"
    assert Moody.objects == {}


def test_an_engine_that_takes_over_continues_counting(bench: Workbench) -> None:
    Moody.failures = [in_error(number) for number in range(1, 20)]
    Moody.hangs.add("delete")
    stack = bench.create(ONE)
    bench.until(lambda: "delete!" in Moody.hangs)
    bench.crash()
    Moody.hangs.clear()
    bench.start()
    stack = bench.wait(stack)
    assert stack.status == "FAILED"
    assert "number 1" in stack.reason
    assert len(Moody.objects) == 1
    assert Moody.journal.count("deleted object-1") == 1
    assert Moody.journal[-1] == "made object-6"


def test_an_engine_that_is_stopped_between_attempts_leaves_the_next_one_to_another(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrying, "delay", lambda count: 600.0)
    Moody.failures = [in_error(1)]
    stack = bench.create(ONE)
    bench.until(lambda: "deleted object-1" in Moody.journal)
    bench.until(lambda: bench.resources(stack)["a"].physical_id is None)
    waiting = bench.resources(stack)["a"]
    assert waiting.status == "IN_PROGRESS"
    assert waiting.reason.startswith("Attempt 1 of 6 failed: ResourceInError")
    bench.restart()
    stack = bench.wait(stack)
    assert (stack.status, Moody.objects) == ("COMPLETE", {"object-2": waiting.id})
    assert "_retries" not in (bench.resources(stack)["a"].data or {})


def test_nothing_is_deleted_where_something_else_was_in_the_way(bench: Workbench) -> None:
    Moody.failures = [Conflict("there is one of that name", status=409)] * 2
    stack = bench.wait(bench.create(ONE))
    assert stack.status == "COMPLETE"
    assert Moody.journal == ["made object-1"]


@pytest.mark.parametrize(
    "failure",
    [
        lambda: ResourceFailed("no luck"),
        lambda: Permanent("no such flavor", status=400),
        lambda: Conflict("there are two networks of that name"),
    ],
)
def test_other_failures_count_at_once(bench: Workbench, failure: Callable[[], Exception]) -> None:
    Moody.failures = [failure()]
    assert bench.wait(bench.create(ONE)).status == "FAILED"
    assert len(Moody.journal) <= 1


def test_the_operator_may_allow_no_more_than_one_attempt(bench: Workbench) -> None:
    assert bench.keeper is not None
    bench.keeper.dependencies = replace(bench.keeper.dependencies, retry_limit=0)
    Moody.failures = [in_error(1)]
    assert bench.wait(bench.create(ONE)).status == "FAILED"
    assert Moody.journal == ["made object-1"]


def test_pauses_between_attempts_double() -> None:
    assert [retrying.delay(count, lambda least, most: most) for count in (1, 2, 5)] == [4.0, 6.0, 34.0]
