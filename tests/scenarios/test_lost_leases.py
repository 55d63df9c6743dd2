"""An engine that loses a lease while working sends nothing more, and deletes what it created too late."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, cast

import pytest

from calor.clouds.services import Services
from calor.engine.run import late_objects
from calor.engine.run.late_objects import LateObject
from calor.store import records
from calor.store.writer import Lease
from tests.support.workbench import PATIENCE, Probe, Workbench, probe, template


class Threaded(Probe, extends=True):
    """Does its work in a thread, as whoever asks a service."""

    type_name = "Test::Threaded"
    done: ClassVar[list[str]] = []

    @classmethod
    async def create(cls, ctx: Any, props: Mapping[str, Any]) -> None:
        await ctx.in_thread(cls.done.append, ctx.name)


@pytest.fixture
def bench(database_url: str) -> Iterator[Workbench]:
    Threaded.done = []
    made = Workbench(database_url, [Threaded])
    yield made
    made.close()


def test_work_that_waited_for_a_thread_until_the_lease_was_over_is_not_done(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert bench.keeper is not None
    leases, loop = bench.keeper.leases, bench._thread
    holds = leases.holds
    losses = ["once"]

    def lost_meanwhile(lease: Lease) -> bool:
        """Whoever asks before the work is queued is told otherwise than who asks when it begins."""
        if threading.current_thread() is not loop and losses:
            losses.pop()
            return False
        return holds(lease)

    monkeypatch.setattr(leases, "holds", lost_meanwhile)
    stack = bench.create(template({"a": {"type": "Test::Threaded"}}))

    assert bench.wait(stack).state == "CREATE_COMPLETE"
    assert not losses
    assert Threaded.done == ["a"]
    assert [event for event in bench.events(stack) if event[1].endswith("FAILED")] == []


class FakeServices:
    def __init__(self) -> None:
        self.deleted: list[str] = []

    def send(self, service: str, method: str, *path: str, version: str | None = None) -> None:
        assert method == "DELETE"
        self.deleted.append("/".join((service, *path)))


class TestLateObjects:
    @pytest.fixture(autouse=True)
    def soon(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(late_objects, "SECONDS", 0.05)

    def settle(
        self, bench: Workbench, stack: records.Stack, id: str
    ) -> tuple[FakeServices, concurrent.futures.Future[None]]:
        services = FakeServices()
        assert bench.keeper is not None
        late = LateObject(stack.id, cast(Services, services), "network", ("networks",), id)
        return services, asyncio.run_coroutine_threadsafe(
            bench.keeper._late_objects._settle(late), bench.loop
        )

    def test_an_unclaimed_object_is_deleted_when_no_engine_works_on_the_stack(self, bench: Workbench) -> None:
        Probe.held = True
        stack = bench.create(template({"a": probe("1")}))
        services, settled = self.settle(bench, stack, "unknown")
        bench.until(lambda: bool(bench.resources(stack)))
        assert services.deleted == []

        Probe.held = False
        bench.wait(stack)

        settled.result(PATIENCE)
        assert services.deleted == ["network/networks/unknown"]

    def test_an_object_found_by_the_next_engine_is_kept(self, bench: Workbench) -> None:
        stack = bench.create(template({"a": probe("1")}))
        bench.wait(stack)
        known = bench.resources(stack)["a"].physical_id
        assert known is not None

        services, settled = self.settle(bench, stack, known)

        settled.result(PATIENCE)
        assert services.deleted == []
