"""The evaluator of a process: patterns and YAQL, with limits for each project."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache

from calor.bounded.errors import TookTooLong, YaqlFailed
from calor.bounded.patterns import Ask, Patterns
from calor.bounded.worker import pack, unpack
from calor.bounded.workers import Workers
from calor.observe import fields

SLOW = 0.1
"""Seconds below which an evaluation is not counted."""
WINDOW = 60.0
ALLOWANCE = 10.0
"""The seconds of slow evaluations that a project may use within a window."""


@dataclass(frozen=True, slots=True)
class YaqlLimits:
    iterators: int = 200
    memory: int = 10_000
    seconds: float = 1.0
    """The CPU time of one expression."""


class Allowance:
    """Limits the time of slow evaluations of each project. Without a project, as in the command line client, there is
    no limit."""

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

    def ask(self, task: dict[str, object], seconds: float) -> dict[str, object]:
        """Raises TookTooLong, also if the project has used up its allowance."""
        project = self._whose()
        if not project:
            return self._ask(task, seconds)
        if self.used(project) >= ALLOWANCE:
            raise TookTooLong("the project has used up its time for slow expressions, try again in a minute")
        began = self._clock()
        try:
            return self._ask(task, seconds)
        finally:
            # On a busy machine, the elapsed time is more than the CPU time.
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
        """Raises YaqlFailed for an invalid expression."""
        self._checked(expression)

    def _check_yaql(self, expression: str) -> None:
        self._ask_yaql({"task": "parse", "expression": expression})

    def yaql(self, expression: str, data: object) -> object:
        """The result of an expression on data. Raises YaqlFailed."""
        try:
            task = {"task": "yaql", "expression": expression, "data": pack(data)}
            return unpack(self._ask_yaql(task))
        except (TypeError, RecursionError) as error:
            raise YaqlFailed(str(error), type(error).__name__) from None

    def _ask_yaql(self, task: dict[str, object]) -> object:
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
    """The evaluator of this process; all threads share its workers."""
    return Evaluator(Allowance(Workers().ask, lambda: fields.current().get("project", "")).ask)
