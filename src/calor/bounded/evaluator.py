"""The one evaluator of a process: patterns and YAQL, with the time that each project may use of it."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from calor.bounded.errors import TookTooLong, YaqlFailed
from calor.bounded.patterns import Ask, Patterns
from calor.bounded.worker import packed, unpacked
from calor.bounded.workers import Workers
from calor.observe import fields

SLOW = 0.1
"""Seconds: what takes no longer is not counted."""
WINDOW = 60.0
ALLOWANCE = 10.0
"""So many seconds of slow evaluation a project may use within a window."""


@dataclass(frozen=True, slots=True)
class YaqlLimits:
    iterators: int = 200
    memory: int = 10_000
    seconds: float = 1.0
    """Of CPU time, for one expression."""


class Allowance:
    """Keeps one project from using the workers all the time: what takes long is added up. Where no project is known, as
    in the command, there is nobody to keep from them."""

    def __init__(
        self,
        ask: Ask,
        whose: Callable[[], str],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ask = ask
        self._whose = whose
        self._clock = clock
        self._used: dict[str, deque[tuple[float, float]]] = {}
        self._lock = threading.Lock()

    def ask(self, task: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Raises TookTooLong also if the project has used up its time."""
        project = self._whose()
        if not project:
            return self._ask(task, seconds)
        if self.used(project) >= ALLOWANCE:
            raise TookTooLong("the project has used up its time for slow expressions, try again in a minute")
        began = self._clock()
        try:
            return self._ask(task, seconds)
        finally:
            # On a busy machine it takes longer than what it uses.
            took = min(self._clock() - began, seconds)
            if took > SLOW:
                self._charge(project, took)

    def used(self, project: str) -> float:
        """The seconds that a project has used in the present window."""
        with self._lock:
            spent = self._used.get(project)
            if spent is None:
                return 0.0
            since = self._clock() - WINDOW
            while spent and spent[0][0] < since:
                spent.popleft()
            if not spent:
                del self._used[project]
            return sum(seconds for _, seconds in spent)

    def _charge(self, project: str, seconds: float) -> None:
        with self._lock:
            self._used.setdefault(project, deque()).append((self._clock(), seconds))


class Evaluator(Patterns):
    """Patterns, and YAQL, which always runs in a worker process."""

    def __init__(self, ask: Ask, limits: YaqlLimits | None = None) -> None:
        super().__init__(ask)
        self._limits = limits or YaqlLimits()
        self._checked = lru_cache(maxsize=1024)(self._check_yaql)

    def check_yaql(self, expression: str) -> None:
        """Raises YaqlFailed unless the expression can be read."""
        self._checked(expression)

    def _check_yaql(self, expression: str) -> None:
        self._ask_yaql({"task": "parse", "expression": expression})

    def yaql(self, expression: str, data: Any) -> Any:
        """The result of an expression on data. Raises YaqlFailed."""
        try:
            task = {"task": "yaql", "expression": expression, "data": packed(data)}
            return unpacked(self._ask_yaql(task))
        except (TypeError, RecursionError) as error:
            raise YaqlFailed(str(error), type(error).__name__) from None

    def _ask_yaql(self, task: dict[str, Any]) -> Any:
        limits = self._limits
        task |= {"iterators": limits.iterators, "memory": limits.memory}
        try:
            answer = self._ask(task, limits.seconds)
        except TookTooLong as error:
            raise YaqlFailed(f"the expression cannot be evaluated: {error}", "TimeoutError") from None
        if "error" in answer:
            raise YaqlFailed(answer["error"], answer["kind"])
        return answer["result"]


@cache
def evaluator() -> Evaluator:
    """The evaluator of this process, for which all threads share the workers."""
    return Evaluator(Allowance(Workers().ask, lambda: fields.current().get("project", "")).ask)
