"""Downloads images in threads of their own, so that slow web servers do not block the cloud."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from http import HTTPStatus
from pathlib import Path

from calor.fetching.web import Fetcher
from calor.localcloud.files import check_room
from calor.localcloud.problems import OverLimit

DOWNLOAD_SECONDS, IDLE_SECONDS = 3600.0, 30.0
"""Timeouts for a whole image and between its pieces."""
_LARGEST = 1 << 40
_LOOKED_AFTER = 64 << 20
"""Bytes to write between checks of the free disk space."""
_AT_ONCE, _MOST, _MOST_OF_A_PROJECT = 4, 32, 8
"""The limits of parallel downloads, of all unfinished ones, and of those of a project."""


class DownloadPool:
    def __init__(self) -> None:
        self._running = threading.Semaphore(_AT_ONCE)
        self._under_way: Counter[str] = Counter()

    def claim(self, project: str) -> None:
        """Reserves a download. Raises OverLimit."""
        if self._under_way[project] >= _MOST_OF_A_PROJECT or self._under_way.total() >= _MOST:
            words = "Too many images are being downloaded; try again later."
            raise OverLimit(words, "TooManyRequests", HTTPStatus.SERVICE_UNAVAILABLE)
        self._under_way[project] += 1

    async def download(self, project: str, fetcher: Fetcher, uri: str, target: Path) -> None:
        """Runs a reserved download. Raises OSError."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()

        def settle(problem: Exception | None) -> None:
            if done.cancelled():
                return
            if problem is None:
                done.set_result(None)
            else:
                done.set_exception(problem)

        def work() -> None:
            problem: Exception | None = None
            try:
                with self._running:
                    _download(fetcher, uri, target)
            except Exception as error:
                problem = error
            # The cloud may have stopped meanwhile.
            if not loop.is_closed():
                loop.call_soon_threadsafe(settle, problem)

        threading.Thread(target=work, name="calor-image", daemon=True).start()
        try:
            await done
        finally:
            self._under_way[project] -= 1


def _download(fetcher: Fetcher, uri: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    unseen = _LOOKED_AFTER
    with target.open("wb") as file:
        for piece in fetcher.pieces(uri, _LARGEST):
            unseen += len(piece)
            if unseen >= _LOOKED_AFTER:
                check_room(target.parent)
                unseen = 0
            file.write(piece)
