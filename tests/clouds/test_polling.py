"""Waiting for objects of a cloud by reading lists."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from calor.clouds import polling
from calor.clouds.errors import CloudError, Permanent, Transient, Unauthorized
from calor.clouds.polling import FEW, Poller, Reader

Reads = Callable[["Collection"], Awaitable[None]]


@dataclass
class Collection:
    """Objects that can be read, and all that was read of them."""

    objects: dict[str, dict[str, Any]] = field(default_factory=dict)
    unlisted: set[str] = field(default_factory=set)
    errors: list[Exception] = field(default_factory=list)
    read: list[str] = field(default_factory=list)
    poller: Poller = field(default_factory=Poller)

    def __post_init__(self) -> None:
        self.reader = Reader(self.one, self.all)

    async def one(self, id: str) -> dict[str, Any] | None:
        self._note(id)
        return self.objects.get(id)

    async def all(self) -> list[dict[str, Any]]:
        self._note("all")
        return [one for id, one in self.objects.items() if id not in self.unlisted]

    def _note(self, what: str) -> None:
        self.read.append(what)
        if self.errors:
            raise self.errors.pop(0)

    def place(self, *ids: str) -> None:
        self.objects.update({id: {"id": id} for id in ids})

    def next(self, id: str, waited: float = 0.0, reader: Reader | None = None) -> polling.Reading:
        since = asyncio.get_running_loop().time() - waited
        return self.poller.next(id, since, reader or self.reader)


def run(work: Reads) -> Collection:
    """What was read while something waited."""
    collection = Collection()

    async def limited() -> None:
        async with asyncio.timeout(30):
            await work(collection)

    asyncio.run(limited())
    return collection


class Impatient:
    """As asyncio, but nobody rests."""

    def __init__(self) -> None:
        self.rested: list[float] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    async def sleep(self, seconds: float) -> None:
        if seconds:
            self.rested.append(seconds)
        await asyncio.sleep(0)


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds for which the poller would have rested."""
    impatient = Impatient()
    monkeypatch.setattr(polling, "asyncio", impatient)
    return impatient.rested


def test_few_are_read_one_by_one(pauses: list[float]) -> None:
    async def work(collection: Collection) -> None:
        collection.place("a", "b", "c")
        assert await asyncio.gather(collection.next("a"), collection.next("b")) == [{"id": "a"}, {"id": "b"}]

    assert run(work).read == ["a", "b"]


def test_single_objects_are_read_at_the_same_time(pauses: list[float]) -> None:
    async def work(collection: Collection) -> None:
        collection.place("a", "b")
        both = asyncio.Barrier(2)

        async def one(id: str) -> dict[str, Any] | None:
            await both.wait()
            return collection.objects[id]

        reader = Reader(one, collection.all)
        waits = (collection.next(id, reader=reader) for id in ("a", "b"))
        assert await asyncio.gather(*waits) == [{"id": "a"}, {"id": "b"}]

    run(work)


def test_many_are_read_by_one_list(pauses: list[float]) -> None:
    ids = [f"object-{number}" for number in range(200)]

    async def work(collection: Collection) -> None:
        collection.place(*ids)
        found = await asyncio.gather(*(collection.next(id) for id in ids))
        assert [one["id"] for one in found if one] == ids

    assert run(work).read == ["all"]


def test_an_object_missing_in_the_list_is_read_directly(pauses: list[float]) -> None:
    async def work(collection: Collection) -> None:
        collection.place("a", "b", "c")
        collection.unlisted = {"c"}
        found = await asyncio.gather(*(collection.next(id) for id in ("a", "b", "c", "gone")))
        assert found == [{"id": "a"}, {"id": "b"}, {"id": "c"}, None]

    assert run(work).read == ["all", "c", "gone"]


def test_several_may_wait_for_the_same_object(pauses: list[float]) -> None:
    async def work(collection: Collection) -> None:
        collection.place("a")
        assert await asyncio.gather(*(collection.next("a") for _ in range(FEW + 5))) == [{"id": "a"}] * 7

    assert run(work).read == ["a"]


def test_slow_operations_are_polled_less_often(pauses: list[float]) -> None:
    async def work(collection: Collection) -> None:
        for waited in (0.0, 1.0, 10.0, 1000.0):
            await collection.next("a", waited)

    run(work)
    assert pauses == sorted(pauses)
    assert pauses[0] == polling.SHORTEST
    assert pauses[1] == pytest.approx(polling.PART, rel=0.1)
    assert pauses[-1] == polling.LONGEST


def test_the_newest_wait_decides_how_often(pauses: list[float]) -> None:
    async def work(collection: Collection) -> None:
        await asyncio.gather(collection.next("old", 1000.0), collection.next("new"))

    run(work)
    assert pauses == [polling.SHORTEST]


def test_a_briefly_unavailable_service_is_retried_with_growing_delays(pauses: list[float]) -> None:
    async def work(collection: Collection) -> None:
        collection.place("a")
        collection.errors = [Transient("away")] * 5
        assert await collection.next("a") == {"id": "a"}

    assert run(work).read == ["a"] * 6
    assert pauses == sorted(pauses)


def test_a_lasting_outage_ends_the_wait(pauses: list[float]) -> None:
    async def work(collection: Collection) -> None:
        collection.errors = [Transient("away")] * 100
        with pytest.raises(Transient):
            await collection.next("a")

    assert 5 < len(run(work).read) < 50


@pytest.mark.parametrize("error", [Permanent("refused"), RuntimeError("broken")])
def test_what_will_not_get_better_ends_all_waits_at_once(pauses: list[float], error: Exception) -> None:
    async def work(collection: Collection) -> None:
        collection.errors = [error]
        ended = await asyncio.gather(collection.next("a"), collection.next("b"), return_exceptions=True)
        assert ended == [error, error]
        collection.place("a")
        assert await collection.next("a") == {"id": "a"}

    assert run(work).read == ["a", "b", "a"]


def test_an_unauthorized_reader_does_not_affect_others(pauses: list[float]) -> None:
    async def work(collection: Collection) -> None:
        collection.place("a")

        async def refuse(*_: Any) -> Any:
            raise Unauthorized("who are you?")

        reading = collection.next("a")
        refused = collection.next("a", reader=Reader(refuse, refuse))
        with pytest.raises(CloudError, match="who are you"):
            await refused
        assert await reading == {"id": "a"}

    assert run(work).read == ["a"]


def test_objects_are_not_read_without_waiters(pauses: list[float]) -> None:
    async def work(collection: Collection) -> None:
        collection.next("a").cancel()
        await asyncio.sleep(0.01)
        assert collection.read == []
        reading = collection.next("b")
        collection.next("c").cancel()
        await reading

    assert run(work).read == ["b"]


def test_the_reader_of_a_cancelled_waiter_is_not_used(pauses: list[float]) -> None:
    async def work(collection: Collection) -> None:
        collection.place("a")

        async def gone(*_: Any) -> Any:
            raise AssertionError("read in the name of one who has gone")

        reading = collection.next("a")
        collection.next("a", reader=Reader(gone, gone)).cancel()
        assert await reading == {"id": "a"}

    assert run(work).read == ["a"]
