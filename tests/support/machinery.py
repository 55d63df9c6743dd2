"""Backend that is watched."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from calor.localcloud.backend import BackendError, MetadataHandler, ServerPlan
from calor.localcloud.simulated import Simulated


class Watched(Simulated):
    """Backend that remembers what it was told, and fails or hangs when it should."""

    def __init__(self) -> None:
        super().__init__()
        self.booted: list[ServerPlan] = []
        self.swept: list[frozenset[str]] = []
        self.flushed: list[str] = []
        self.grown: list[str] = []
        self.fails = False
        self.hangs = False

    async def start(self, answer: MetadataHandler, died: Callable[[str], Awaitable[None]]) -> None:
        self.answer = answer
        self.died = died

    async def boot(self, plan: ServerPlan, fresh: bool = False) -> None:
        while self.hangs:
            await asyncio.sleep(0.005)
        if self.fails:
            raise BackendError("There is no room.")
        self.booted.append(plan)
        await super().boot(plan, fresh)

    async def sweep(self, networks: frozenset[str], routers: frozenset[str], servers: frozenset[str]) -> None:
        self.swept.append(servers)
        await super().sweep(networks, routers, servers)

    async def flush(self, volume: str) -> None:
        self.flushed.append(volume)

    async def grow(self, volume: str, file: Path) -> None:
        self.grown.append(volume)
