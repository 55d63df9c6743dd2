"""Sends a response with one system call. Uvicorn writes headers and body separately, and each write costs a system
call, a wake-up of the client and, if other threads work, a wait for the GIL."""

from __future__ import annotations

import asyncio
from typing import Any

MAX_GATHERED = 65536
"""How many bytes are buffered at most."""


class GatheringTransport:
    """A transport that joins the writes of one iteration of the event loop."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._gathered: list[bytes] = []
        self._size = 0

    def write(self, data: bytes) -> None:
        if not self._gathered:
            self._loop.call_soon(self._flush)
        self._gathered.append(data)
        self._size += len(data)
        if self._size > MAX_GATHERED:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._transport.close()

    def _flush(self) -> None:
        if self._gathered:
            data = b"".join(self._gathered)
            self._gathered.clear()
            self._size = 0
            self._transport.write(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)
