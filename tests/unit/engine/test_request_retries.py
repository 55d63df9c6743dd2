"""Retries of requests to services, and what is reported meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from types import SimpleNamespace
from typing import Any

import pytest

from calor.clouds.errors import CloudError, Transient
from calor.clouds.retries import BRIEF, PAUSES
from calor.clouds.shared_state import SharedState
from calor.engine.run.cloud_access import CloudAccess
from calor.engine.run.outages import Outages
from calor.stacks.states import ResourceState

Object = dict[str, Any]
Work = Callable[[CloudAccess], Coroutine[Any, Any, Any]]


class Stage:
    """A run in which no time passes, and a service that fails as it is told."""

    def __init__(self, *errors: CloudError) -> None:
        self.errors = list(errors)
        self.pauses: list[float] = []
        self.reasons: list[str] = []
        self.asked = 0
        self.row: Any = SimpleNamespace(status="IN_PROGRESS", reason="Stack CREATE started")
        self.stack = "s"
        self.journal: Any = SimpleNamespace(resource=lambda state: None, send=lambda: None)
        self.outages = Outages(self, self.journal, lambda: 0.0)  # type: ignore[arg-type]
        self.holds_lease = True
        self.state = ResourceState("one", "s", "one", "T", "CREATE", "IN_PROGRESS", "state changed")

    def request(self, *request: Any, **more: Any) -> Object:
        self.asked += 1
        if self.errors:
            raise self.errors.pop(0)
        return {"volume": {"id": "v"}}

    def each(self, *request: Any, **more: Any) -> list[Object]:
        return []

    def change_reason(self, reason: str) -> None:
        self.row.reason = reason

    async def in_thread(self, work: Callable[..., Any], *args: Any, pool: Any = None) -> Any:
        return work(*args)

    async def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.reasons.append(self.state.reason)

    def do(self, work: Work) -> Any:
        reporting: Any = SimpleNamespace(control=self, journal=self.journal, outages=self.outages)
        services: Any = self
        access = CloudAccess(reporting, services, SharedState(), self.state)
        return asyncio.run(work(access))


def failing(status: int | None, times: int = 99) -> Stage:
    return Stage(*(Transient("It rests.", status=status) for _ in range(times)))


async def reads(cloud: CloudAccess) -> Object:
    return await cloud.request("volume", "GET", "volumes", "v")


async def creates(cloud: CloudAccess) -> Object:
    async def find() -> Object | None:
        return next(iter(await cloud.list_all("volume", "volumes", key="volumes")), None)

    return await cloud.create("volume", "volumes", body={}, find=find)


async def acts(cloud: CloudAccess) -> Object:
    return await cloud.request_once("volume", "POST", "volumes", "v", "action", body={})


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504, None])
def test_what_is_harmless_to_repeat_waits_for_the_service(status: int | None) -> None:
    stage = failing(status)
    with pytest.raises(Transient):
        stage.do(reads)
    assert stage.pauses == list(PAUSES)
    assert set(stage.reasons) == {"state changed; waiting for volume since 1970-01-01T00:00:00Z: It rests."}


@pytest.mark.parametrize("status", [429, 502, 503, 504, None])
def test_what_is_created_waits_for_the_service(status: int | None) -> None:
    stage = failing(status, 7)
    assert stage.do(creates) == {"id": "v"}
    assert stage.pauses == list(PAUSES[:7])
    assert set(stage.reasons) == {"state changed; waiting for volume since 1970-01-01T00:00:00Z: It rests."}
    assert stage.state.reason == "state changed"


def test_what_is_created_waits_only_briefly_for_a_service_that_fails_inside() -> None:
    stage = failing(500)
    with pytest.raises(Transient):
        stage.do(creates)
    assert stage.pauses == list(BRIEF)


@pytest.mark.parametrize("status", [429, 503])
def test_what_was_refused_is_repeated_although_it_must_not_be_done_twice(status: int) -> None:
    stage = failing(status, 7)
    stage.do(acts)
    assert stage.asked == 8


@pytest.mark.parametrize("status", [500, 502, 504, None])
def test_what_may_have_been_done_is_not_done_again(status: int | None) -> None:
    stage = failing(status)
    with pytest.raises(Transient):
        stage.do(acts)
    assert stage.asked == 1


def test_what_is_done_although_the_answer_is_lost_is_not_done_again() -> None:
    stage = failing(502)

    async def done() -> bool:
        return True

    async def joins(cloud: CloudAccess) -> Object:
        return await cloud.request_once("network", "PUT", "routers", "r", is_done=done)

    assert stage.do(joins) == {}
    assert stage.asked == 1


def test_a_service_is_left_alone_for_as_long_as_it_asks() -> None:
    error = Transient("Slower, please.", status=429)
    error.retry_after = 17.0
    stage = Stage(error)
    stage.do(creates)
    assert stage.pauses == [17.0]


def test_whether_there_is_a_service_is_not_known_while_identity_is_away() -> None:
    """It was taken for missing."""
    answers = iter([Transient("away", status=502), None])

    def has(service: str) -> bool:
        error = next(answers)
        if error is not None:
            raise error
        return True

    stage = Stage()
    stage.has = has  # type: ignore[attr-defined]
    assert stage.do(lambda cloud: cloud.has("network")) is True
