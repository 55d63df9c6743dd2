"""The cloud's connection to the holder of its servers: starts it, sends requests, watches it."""

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
from calor.localcloud.backend import BackendError
from calor.localcloud.linux import protocol
from calor.localcloud.linux.protocol import MessageReader
from calor.localcloud.types import Json

_SECONDS_TO_START = 30.0


class NoHolder(BackendError):
    """The holder process is not running."""


class Link:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def ask(self, name: str, **details: object) -> Any:
        """Raises BackendError with the message of the holder, and NoHolder if it is not running."""
        answer, files = await self.ask_for_files(name, **details)
        for file in files:
            os.close(file)
        return answer

    async def ask_for_files(self, name: str, **details: object) -> tuple[Any, list[int]]:
        try:
            connection = protocol.connect(self._folder)
        except OSError as error:
            raise NoHolder(f"the holder of the servers is not running: {error}") from None
        with connection:
            connection.setblocking(False)
            loop = asyncio.get_running_loop()
            try:
                await loop.sock_sendall(connection, protocol.encode({"ask": name, "with": details}))
                reader = await _read_message(connection)
            except ConnectionError as error:
                raise NoHolder(f"the connection to the holder of the servers was lost: {error}") from None
        message = reader.message()
        if "answer" in message:
            return message["answer"], reader.files
        if "failed" in message:
            raise BackendError(message["failed"])
        raise NoHolder("the holder of the servers closed the connection")

    async def watch(self, on_message: Callable[[Json], None]) -> None:
        """Returns when the holder exits."""
        try:
            connection = protocol.connect(self._folder)
        except OSError:
            return
        with connection:
            connection.setblocking(False)
            loop = asyncio.get_running_loop()
            await loop.sock_sendall(connection, protocol.encode({"ask": "watch", "with": {}}))
            with suppress(ConnectionError):
                while message := (await _read_message(connection)).message():
                    on_message(message)

    async def start(self) -> None:
        """Starts a holder that outlives this process. Raises NoHolder with the reason."""
        await asyncio.to_thread(start_holder, self._folder)


async def _read_message(connection: socket.socket) -> MessageReader:
    reader = MessageReader()
    while True:
        await _wait_readable(connection)
        with suppress(BlockingIOError):
            if reader.read_from(connection):
                return reader


async def _wait_readable(connection: socket.socket) -> None:
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
            # Nothing else of this environment, which may contain secrets.
            environment = {
                "PATH": os.environ.get("PATH", os.defpath),
                "PYTHONPATH": str(Path(calor.__file__).parent.parent),
                "LANG": "C.UTF-8",
            }
            process = subprocess.Popen(
                [sys.executable, "-m", "calor.localcloud.linux.starting", str(folder), str(writing)],
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
        output = _read_all(reading)
    finally:
        os.close(reading)
        if writing >= 0:
            os.close(writing)
    if output != b"ready":
        process.wait()
        raise NoHolder(
            f"the holder of the servers cannot be started: {output.decode(errors='replace') or 'it exited at once'}"
        )


def _read_all(fd: int) -> bytes:
    output = b""
    while chunk := os.read(fd, 4096):
        output += chunk
        if output == b"ready":
            break
    return output
