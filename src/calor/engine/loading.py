"""Definitions are read in threads of their own: templates that are fetched from slow web servers must not hold up what
leases and the database need threads for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

from calor.fetching.turns import budget

FETCHING_SECONDS = 120.0
"""For all templates that a stack names by their addresses."""

_threads = ThreadPoolExecutor(16, "calor-definitions")

T = TypeVar("T")


async def loaded(work: Callable[..., T], *args: Any) -> T:
    """What a function returns that may fetch templates."""

    def within() -> T:
        with budget(FETCHING_SECONDS):
            return work(*args)

    return await asyncio.get_running_loop().run_in_executor(_threads, copy_context().run, within)
