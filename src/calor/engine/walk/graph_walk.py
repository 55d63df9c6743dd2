"""Runs the steps of a dependency graph concurrently.

A step that finishes synchronously needs no task. The walk yields to the event loop regularly, so that a large stack
does not delay leases and requests.
"""

from __future__ import annotations

import asyncio
import inspect
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from typing import Any, TypeVar

from calor.graph import Graph
from calor.store.outages import is_transient

Node = TypeVar("Node", bound=Hashable)
Start = Callable[[Node], Coroutine[Any, Any, None] | None]
"""Starts a step, which is done when this returns None or when the coroutine ends. It fails by raising."""

STEPS_IN_A_ROW = 100


async def maybe_await(outcome: Any) -> Any:
    """The result of an awaitable; other values as they are."""
    return await outcome if inspect.isawaitable(outcome) else outcome


async def walk_graph(
    graph: Graph[Node],
    start: Start[Node],
    *,
    continue_on_failure: bool = False,
    stop: Callable[[], bool] = lambda: False,
    idle: Callable[[], object] = lambda: None,
    wrap: Callable[[Coroutine[Any, Any, None]], Awaitable[None]] = lambda step: step,
    limit: int = 200,
) -> dict[Node, Exception]:
    """Runs every step after those it needs, and returns the failures.

    After a failure no more steps start (unless `continue_on_failure`), and running ones finish; likewise when `stop`,
    called before each step, returns True. `idle` is called before waiting, and `wrap` is applied to steps that are
    awaited. At most `limit` steps are awaited at a time.

    A transient error of the database is not a failure of a step: no more steps start, and it is raised.
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
        if isinstance(error, Exception) and is_transient(error):
            outages.append(error)
            return
        if isinstance(error, Exception):
            failed[node] = error
            if not continue_on_failure:
                return
        for dependant in dependants[node]:
            waiting[dependant] -= 1
            if waiting[dependant] == 0:
                ready.append(dependant)

    def stopped() -> bool:
        return bool(outages or (failed and not continue_on_failure)) or stop()

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
                task = asyncio.ensure_future(wrap(step))
                task.add_done_callback(done.put_nowait)
                running[task] = node
            in_a_row += 1
            if in_a_row >= STEPS_IN_A_ROW:
                in_a_row = 0
                await asyncio.sleep(0)
        if running:
            if done.empty():
                idle()
            ended = await done.get()
            finished(running.pop(ended), ended.exception())
    if outages:
        raise outages[0]
    return failed
