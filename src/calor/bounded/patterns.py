"""Matches regular expressions of users with the semantics of Python's `re`, in bounded time.

Expressions with a small worst case are matched by `re` in this process. Others are matched by RE2 if that gives the
same result, else in a worker process with a time limit."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal

from calor.bounded import estimating
from calor.bounded.errors import BadPattern, TookTooLong, TooSlow
from calor.bounded.linear import linear

SECONDS = 0.5
"""The CPU time of one match in a worker process."""

Way = Literal["match", "search", "fullmatch"]
Ask = Callable[[dict[str, Any], float], dict[str, Any]]
"""Runs a task in a worker process within so many seconds. Raises TookTooLong."""


class Patterns:
    """Matches expressions; `ask` runs tasks in worker processes."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def check(self, expression: str, flags: int = 0) -> None:
        """Raises BadPattern for an invalid regular expression, and TooSlow if compiling it takes too long."""
        if _is_small(expression, flags):
            _compile(expression, flags)
        else:
            self._work({"task": "compile", "expression": expression, "flags": flags})

    def matches(self, expression: str, text: str) -> bool:
        """Whether the match at the start of the text reaches its end. Raises BadPattern and
        TooSlow."""
        return self.end(expression, text, "match") == len(text)

    def begins(self, expression: str, text: str) -> bool:
        """Whether there is a match at the start of the text. Raises BadPattern and TooSlow."""
        return self.end(expression, text, "match") is not None

    def has_match(self, expression: str, text: str, way: Way = "search", flags: int = 0) -> bool:
        """Whether there is a match. Raises BadPattern and TooSlow."""
        return self.end(expression, text, way, flags) is not None

    def end(self, expression: str, text: str, way: Way, flags: int = 0) -> int | None:
        """Where the match ends, or None if there is none. Raises BadPattern and TooSlow."""
        if _is_small(expression, flags):
            pattern = _compile(expression, flags)
            if estimating.is_cheap(expression, flags, len(text), search=way == "search"):
                return _end(getattr(pattern, way)(text))
            other = linear(expression, flags)
            if other is not None and other.takes(text):
                return _end(getattr(other.pattern, way)(text))
        task = {"task": "match", "way": way, "expression": expression, "flags": flags, "text": text}
        found: int | None = self._work(task)
        return found

    def _work(self, task: dict[str, Any]) -> Any:
        shown = task["expression"][:60]
        try:
            answer = self._ask(task, SECONDS)
        except TookTooLong as error:
            raise TooSlow(f"the regular expression {shown!r} cannot be matched: {error}") from None
        if "error" not in answer:
            return answer["result"]
        if answer["kind"] == "MemoryError":
            raise TooSlow(f"the regular expression {shown!r} cannot be matched: {answer['error']}")
        raise BadPattern(answer["error"])


def _end(match: Any) -> int | None:
    return None if match is None else match.end()


def _is_small(expression: str, flags: int) -> bool:
    """Whether the expression can be compiled here. Raises BadPattern."""
    if len(expression) > estimating.LONGEST:
        return False
    try:
        return estimating.compiles_quickly(expression, flags)
    except (re.error, OverflowError, RecursionError) as error:
        raise BadPattern(str(error)) from None


@lru_cache(maxsize=1024)
def _compile(expression: str, flags: int) -> re.Pattern[str]:
    try:
        return re.compile(expression, flags)
    except (re.error, OverflowError, RecursionError) as error:
        raise BadPattern(str(error)) from None
