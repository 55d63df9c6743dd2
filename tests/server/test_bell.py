"""The wake-up pipes between APIs and engines."""

from __future__ import annotations

import contextlib
import os
import select
from pathlib import Path

from calor.server.bell import Bell, ring


def is_rung(bell: Bell) -> bool:
    return bool(select.select([bell.reader], [], [], 0)[0])


def test_all_engines_are_woken(tmp_path: Path) -> None:
    bells = [Bell(tmp_path / "bells") for _ in range(2)]
    assert not any(map(is_rung, bells))

    ring(tmp_path / "bells")

    assert all(map(is_rung, bells))
    bells[0].drain()
    assert [is_rung(bell) for bell in bells] == [False, True]


def test_a_full_pipe_does_not_block(tmp_path: Path) -> None:
    bell = Bell(tmp_path)
    os.write(bell.reader, b"." * select.PIPE_BUF)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(bell.reader, b".")

    ring(tmp_path)

    assert is_rung(bell)


def test_the_bell_of_an_engine_that_was_killed_is_removed(tmp_path: Path) -> None:
    killed, living = Bell(tmp_path), Bell(tmp_path)
    os.close(killed.reader)

    ring(tmp_path)

    assert len(list(tmp_path.iterdir())) == 1
    assert is_rung(living)


def test_closing_removes_the_bell(tmp_path: Path) -> None:
    Bell(tmp_path).close()

    assert list(tmp_path.iterdir()) == []


def test_ringing_without_engines_does_nothing(tmp_path: Path) -> None:
    ring(tmp_path / "nowhere")
