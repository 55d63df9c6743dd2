"""A thread pool for loading definitions: fetching templates from slow web servers must not block threads that leases
and the database need."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

from calor.fetching.slots import budget

FETCHING_SECONDS = 120.0
"""The time to fetch all templates of a stack."""

_threads = ThreadPoolExecutor(16, "calor-definitions")

T = TypeVar("T")


async def run_in_loading_thread(work: Callable[..., T], *args: Any) -> T:
    """Runs a function that may fetch templates; returns its result."""

    def within() -> T:
        with budget(FETCHING_SECONDS):
            return work(*args)

    return await asyncio.get_running_loop().run_in_executor(_threads, copy_context().run, within)
