"""Whether engines of the same machine live, and what they computed when they ended, is known at once."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from calor.engine.run.presence import Computing, Presence, is_dead

STACK = Computing("5f4c9d0e-1111-4222-8333-444455556666", "0a0b0c0d-1111-4222-8333-444455556666")
ENGINE = """
import sys, time
from pathlib import Path
from calor.engine.run.presence import Computing, Presence

presence = Presence(Path(sys.argv[1]), "other")
with presence.computing(Computing(sys.argv[2], sys.argv[3])):
    print("ready", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "engines"


def test_one_that_was_killed_is_known_to_be_dead_with_what_it_computed(folder: Path) -> None:
    own = Presence(folder, "own")
    command = [sys.executable, "-c", ENGINE, str(folder), STACK.stack, STACK.run_id]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert not own.is_dead("other")
        seen = own.activity_of("other")
        assert seen is not None
        assert (seen.pid, seen.computing) == (process.pid, (STACK,))

        process.kill()
        process.wait()

    assert own.is_dead("other")
    assert own.dead_engines() == ["other"]
    seen = own.activity_of("other")
    assert seen is not None
    assert seen.computing == (STACK,)
    own.remove("other")
    assert own.dead_engines() == []


def test_one_that_has_ended_in_good_order_is_not_there_any_more(folder: Path) -> None:
    other, own = Presence(folder, "other"), Presence(folder, "own")
    other.close()

    assert own.dead_engines() == []
    assert not own.is_dead("other")


def test_of_engines_elsewhere_nothing_is_known(folder: Path) -> None:
    own = Presence(folder, "own")

    assert not own.is_dead("elsewhere")
    assert own.activity_of("elsewhere") is None
    assert not is_dead(folder, "../elsewhere")
    assert not own.is_dead("own")


def test_work_shows_while_it_computes_and_not_while_it_waits(folder: Path) -> None:
    presence = Presence(folder, "own")
    seen = []

    async def work() -> str:
        seen.append(presence.own_activity().computing)
        await asyncio.sleep(0)
        seen.append(presence.own_activity().computing)
        try:
            await failing()
        except ValueError:
            seen.append(presence.own_activity().computing)
        return "done"

    async def failing() -> None:
        await asyncio.sleep(0.001)
        raise ValueError

    async def beside() -> str:
        task = asyncio.ensure_future(presence.tracked(STACK.encoded(), work()))
        while not task.done():
            assert presence.own_activity().computing == ()
            await asyncio.sleep(0)
        return task.result()

    assert asyncio.run(beside()) == "done"
    assert seen == [(STACK,)] * 3


def test_work_that_is_cancelled_ends(folder: Path) -> None:
    presence = Presence(None, "own")
    ended = []

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(True)

    async def cancelled() -> None:
        task = asyncio.ensure_future(presence.tracked(STACK.encoded(), work()))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert ended == [True]
