"""Walks a graph: what is ready starts, what has finished lets others start.

A step that finishes at once costs no task. The walk gives way to others now and then, so that a large stack
does not hold up leases and requests.
"""

from __future__ import annotations

import asyncio
import inspect
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from typing import Any, TypeVar

from calor.graph import Graph
from calor.store.outages import is_passing

Node = TypeVar("Node", bound=Hashable)
Start = Callable[[Node], Coroutine[Any, Any, None] | None]
"""Starts a step: it is done when this returns None, or when the coroutine ends. Errors mean failure."""

STEPS_IN_A_ROW = 100


async def awaited(outcome: Any) -> Any:
    """What plain work has given, or what other work gives when it ends."""
    return await outcome if inspect.isawaitable(outcome) else outcome


async def walk(
    graph: Graph[Node],
    start: Start[Node],
    *,
    go_on: bool = False,
    stop: Callable[[], bool] = lambda: False,
    rest: Callable[[], object] = lambda: None,
    follow: Callable[[Coroutine[Any, Any, None]], Awaitable[None]] = lambda step: step,
    limit: int = 200,
) -> dict[Node, Exception]:
    """Runs every step after those it needs, and returns what failed.

    After a failure nothing new starts (unless `go_on`), and what runs is let finish. The walk ends in the same
    way when `stop`, which is asked before each step, says so. `rest` is called when there is nothing to do but
    to wait, and `follow` is given every step that has to be waited for. At most `limit` steps wait for something at a
    time.

    An error of the database that passes is no failure of a step: it ends the walk in the same way, and is raised.
    """
    waiting = {node: sum(1 for _ in graph.needs(node)) for node in graph}
    dependants = graph.dependants()
    ready = deque(node for node in graph if waiting[node] == 0)
    running: dict[asyncio.Future[None], Node] = {}
    done: asyncio.Queue[asyncio.Future[None]] = asyncio.Queue()
    failed: dict[Node, Exception] = {}
    outages: list[Exception] = []
    in_a_row = 0

    def finished(node: Node, error: BaseException | None = None) -> None:
        if isinstance(error, Exception) and is_passing(error):
            outages.append(error)
            return
        if isinstance(error, Exception):
            failed[node] = error
            if not go_on:
                return
        for dependant in dependants[node]:
            waiting[dependant] -= 1
            if waiting[dependant] == 0:
                ready.append(dependant)

    def stopped() -> bool:
        return bool(outages or (failed and not go_on)) or stop()

    while (ready and not stopped()) or running:
        while ready and len(running) < limit and not stopped():
            node = ready.popleft()
            try:
                step = start(node)
            except Exception as error:
                finished(node, error)
                continue
            if step is None:
                finished(node)
            else:
                task = asyncio.ensure_future(follow(step))
                task.add_done_callback(done.put_nowait)
                running[task] = node
            in_a_row += 1
            if in_a_row >= STEPS_IN_A_ROW:
                in_a_row = 0
                await asyncio.sleep(0)
        if running:
            if done.empty():
                rest()
            ended = await done.get()
            finished(running.pop(ended), ended.exception())
    if outages:
        raise outages[0]
    return failed
