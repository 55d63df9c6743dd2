"""What takes long for one, such as copies of large volumes: nobody else waits for it."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from calor.localcloud.backend import VolumePlan
from calor.localcloud.background import Background
from calor.localcloud.files import make_sparse
from calor.localcloud.identity.hashing import Passwords
from calor.localcloud.linux import backend
from tests.support.linux import PATIENCE, Machine

_MANY = 64


def test_whoever_logs_in_does_not_wait_for_copies_of_volumes() -> None:
    done = threading.Event()

    async def work() -> None:
        background = Background()
        background.start()
        copies = [
            asyncio.ensure_future(background.in_long_thread(f"{n}", done.wait, PATIENCE))
            for n in range(_MANY)
        ]
        await asyncio.sleep(0)
        try:
            await asyncio.wait_for(Passwords().hash("a password of their own"), PATIENCE / 2)
            assert not any(copy.done() for copy in copies)
        finally:
            done.set()
        assert all(await asyncio.gather(*copies))
        await background.stop()

    asyncio.run(work())


def test_other_projects_do_not_wait_for_the_many_copies_of_one() -> None:
    done = threading.Event()

    async def work() -> None:
        background = Background()
        background.start()
        many = [
            asyncio.ensure_future(background.in_long_thread("one", done.wait, PATIENCE)) for _ in range(_MANY)
        ]
        await asyncio.sleep(0)
        try:
            assert await asyncio.wait_for(background.in_long_thread("other", lambda: True), PATIENCE / 2)
        finally:
            done.set()
        assert all(await asyncio.gather(*many))
        await background.stop()

    asyncio.run(work())


def test_a_server_boots_while_volumes_of_others_are_looked_over(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, as_root: None
) -> None:
    done, begun = threading.Event(), threading.Event()

    prepare_volume = backend.prepare_volume

    def look_over(volume: VolumePlan, owner: int) -> None:
        if volume.id == "own":
            prepare_volume(volume, owner)
            return
        begun.set()
        done.wait(PATIENCE)

    monkeypatch.setattr(backend, "prepare_volume", look_over)
    volumes = [VolumePlan(f"volume{number}", tmp_path / "file", "/dev/vdb") for number in range(_MANY)]

    async def attach_all() -> None:
        await asyncio.gather(*(machine.linux.attach("gone", volume) for volume in volumes))

    attaching = threading.Thread(target=machine.do, args=(attach_all(),))
    attaching.start()
    try:
        assert begun.wait(PATIENCE)
        own = VolumePlan("own", tmp_path / "own", "/dev/vdb")
        make_sparse(own.file, 1)
        machine.boot("one", volumes=(own,), project="another")
        assert not done.is_set()
        machine.finished("one")
    finally:
        done.set()
        attaching.join(PATIENCE)
