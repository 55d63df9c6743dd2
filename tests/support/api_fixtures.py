"""The API over a real store and a running engine; only who asks is made up."""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from calor.engine.keeping.keeper import Keeper
from calor.service.commands import Commands
from calor.service.policy import Policy
from calor.service.queries import Queries
from calor.store import database
from calor.store.cipher import Cipher
from calor.store.writer import Writer
from calor.types.world import offline_world
from tests.support.api import Door, Stage, open_door


@pytest.fixture(scope="session")
def policy() -> Policy:
    return Policy()


@pytest.fixture
def stage(tmp_path: Path, prepared_file: Path, policy: Policy) -> Iterator[Stage]:
    """A store with all that reads and changes it, and no engine: stacks stay as requests leave them."""
    file = shutil.copy(prepared_file, tmp_path)
    engine = database.connect(f"sqlite:///{file}", Cipher(Cipher.new_key()))
    writer = Writer(engine)
    world = offline_world()
    queries = Queries(engine, world, hidden_tags=("hidden",))
    stage = Stage(
        database=engine,
        writer=writer,
        world=world,
        queries=queries,
        commands=Commands(
            engine, writer, world, lambda: None, policy=policy, accepted=queries.definitions.keep
        ),
        policy=policy,
    )
    yield stage
    writer.close()
    engine.dispose()


@pytest.fixture
def running(stage: Stage) -> Iterator[Stage]:
    """The same with an engine that walks stacks."""
    ready = threading.Event()
    loop = asyncio.new_event_loop()
    keeper = Keeper(stage.database, stage.world, stage.writer)
    task: asyncio.Task[None] | None = None

    async def serve() -> None:
        nonlocal task
        task = asyncio.ensure_future(keeper.serve(ready.set))
        try:
            await task
        except asyncio.CancelledError:
            return

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    ready.wait()
    stage.commands.intents.notify_engines = lambda: _ring(loop, keeper)
    yield stage
    assert task is not None
    loop.call_soon_threadsafe(task.cancel)
    thread.join()
    loop.close()


def _ring(loop: asyncio.AbstractEventLoop, keeper: Keeper) -> None:
    loop.call_soon_threadsafe(keeper.ring)


@pytest.fixture
def door(stage: Stage) -> Door:
    """A member's way in, with no engine behind it."""
    return open_door(stage)


@pytest.fixture
def live(running: Stage) -> Door:
    """A member's way in, with an engine behind it."""
    return open_door(running)
