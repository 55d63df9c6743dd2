"""The cloud's side of the talk with its holder: finds it, starts it, asks it."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import calor
from calor.localcloud.linux import speech
from calor.localcloud.linux.speech import Hearing
from calor.localcloud.machinery import MachineryFailed

_SECONDS_TO_START = 30.0


class NoHolder(MachineryFailed):
    pass


class Link:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def ask(self, name: str, **details: Any) -> Any:
        """Raises MachineryFailed with the holder's own words, and NoHolder where there is none."""
        answer, files = await self.ask_for_files(name, **details)
        for file in files:
            os.close(file)
        return answer

    async def ask_for_files(self, name: str, **details: Any) -> tuple[Any, list[int]]:
        try:
            connection = speech.connect(self._folder)
        except OSError as error:
            raise NoHolder(f"nobody holds the servers: {error}") from None
        with connection:
            connection.setblocking(False)
            loop = asyncio.get_running_loop()
            try:
                await loop.sock_sendall(connection, speech.encoded({"ask": name, "with": details}))
                hearing = await _heard(connection)
            except ConnectionError as error:
                raise NoHolder(f"the holder of the servers is gone: {error}") from None
        message = hearing.message()
        if "answer" in message:
            return message["answer"], hearing.files
        if "failed" in message:
            raise MachineryFailed(message["failed"])
        raise NoHolder("the holder of the servers went away")

    async def watch(self, heard: Callable[[dict[str, Any]], None]) -> None:
        """Returns when there is nobody any more to be watched."""
        try:
            connection = speech.connect(self._folder)
        except OSError:
            return
        with connection:
            connection.setblocking(False)
            loop = asyncio.get_running_loop()
            await loop.sock_sendall(connection, speech.encoded({"ask": "watch", "with": {}}))
            with suppress(ConnectionError):
                while message := (await _heard(connection)).message():
                    heard(message)

    async def start(self) -> None:
        """Starts a holder that lives on when this process ends. Raises NoHolder with the reason."""
        await asyncio.to_thread(start_holder, self._folder)


async def _heard(connection: socket.socket) -> Hearing:
    hearing = Hearing()
    while True:
        await _readable(connection)
        with suppress(BlockingIOError):
            if hearing.take(connection):
                return hearing


async def _readable(connection: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()

    def is_ready() -> None:
        if not ready.done():
            ready.set_result(None)

    loop.add_reader(connection, is_ready)
    try:
        await ready
    finally:
        loop.remove_reader(connection)


def start_holder(folder: Path) -> None:
    reading, writing = os.pipe()
    try:
        with open(folder / "holder.log", "ab") as log:
            # It has no need to know what this process was told.
            environment = {
                "PATH": os.environ.get("PATH", os.defpath),
                "PYTHONPATH": str(Path(calor.__file__).parent.parent),
                "LANG": "C.UTF-8",
            }
            process = subprocess.Popen(
                [sys.executable, "-m", "calor.localcloud.linux.holder", str(folder), str(writing)],
                env=environment,
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(writing,),
                start_new_session=True,
            )
        os.close(writing)
        writing = -1
        said = _read_all(reading)
    finally:
        os.close(reading)
        if writing >= 0:
            os.close(writing)
    if said != b"ready":
        process.wait()
        raise NoHolder(f"servers cannot be held: {said.decode(errors='replace') or 'it ended at once'}")


def _read_all(fd: int) -> bytes:
    said = b""
    while chunk := os.read(fd, 4096):
        said += chunk
        if said == b"ready":
            break
    return said
