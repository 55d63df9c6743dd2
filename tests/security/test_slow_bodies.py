"""Bodies that arrive slowly keep no request of the embedded cloud open for ever."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from calor.localcloud import files, streams
from calor.localcloud.problems import RequestTimeout
from calor.localcloud.streams import in_time


async def trickle(pieces: int, seconds: float, size: int = 1) -> AsyncIterator[bytes]:
    for _ in range(pieces):
        await asyncio.sleep(seconds)
        yield b"x" * size


async def read(stream: AsyncIterator[bytes]) -> bytes:
    return b"".join([piece async for piece in in_time(stream)])


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "SECONDS_AT_FIRST", 0.2)


def test_a_body_that_trickles_is_given_up() -> None:
    """Although no single piece takes long."""
    with pytest.raises(RequestTimeout):
        asyncio.run(read(trickle(10_000, 0.01)))


def test_a_body_that_stops_is_given_up() -> None:
    with pytest.raises(RequestTimeout):
        asyncio.run(read(trickle(1, 3600.0)))


def test_a_large_body_may_take_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "LEAST_PER_SECOND", 10)
    assert len(asyncio.run(read(trickle(30, 0.01, 1000)))) == 30_000


def test_what_is_done_with_the_data_may_take_its_time() -> None:
    async def slowly() -> int:
        size = 0
        async for piece in in_time(trickle(4, 0.0)):
            await asyncio.sleep(0.1)
            size += len(piece)
        return size

    assert asyncio.run(slowly()) == 4


def test_nothing_is_left_of_data_that_arrives_too_slowly(tmp_path: Path) -> None:
    with pytest.raises(RequestTimeout):
        asyncio.run(files.receive(in_time(trickle(10_000, 0.01)), tmp_path / "data"))
    assert list(tmp_path.iterdir()) == []
