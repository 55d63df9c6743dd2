"""Regular expressions from users. Python's engine tries one way after the other, and holds up all threads meanwhile: an
expression with too many ways to go wrong is not tried."""

from __future__ import annotations

import re
from collections.abc import Callable
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

LONGEST = 255
MOST_WAYS = 100_000


def matcher(expression: str, longest: int) -> Callable[[str], object] | None:
    """What tells whether a text of at most so many characters begins as an expression says; None if the expression
    is none, or not tried."""
    if len(expression) > LONGEST:
        return None
    try:
        if _ways(_parser.parse(expression), longest) > MOST_WAYS:
            return None
        return re.compile(expression).match
    except (re.error, OverflowError):
        return None


def _ways(parsed: Any, longest: int) -> int:
    """No fewer than the ways to try a sequence of items on a text, unless these are more than enough."""
    ways = 1
    for kind, value in parsed:
        ways *= _ways_of_one(kind, value, longest)
        if ways > MOST_WAYS:
            break
    return ways


def _ways_of_one(kind: Any, value: Any, longest: int) -> int:
    if kind in _SINGLE:
        return 1
    if kind is _constants.SUBPATTERN:
        return _ways(value[-1], longest)
    if kind is _constants.BRANCH:
        return sum(_ways(one, longest) for one in value[1])
    if kind in (_constants.MAX_REPEAT, _constants.MIN_REPEAT):
        least, most, repeated = value
        # What must come more often than there are characters may be nothing, as often as it is said.
        return MOST_WAYS + 1 if least > longest else _repeated(_ways(repeated, longest), min(most, longest))
    # Of what looks back or ahead, the ways are not known.
    return MOST_WAYS + 1


_SINGLE = (_constants.LITERAL, _constants.NOT_LITERAL, _constants.ANY, _constants.IN, _constants.AT)


def _repeated(ways: int, most: int) -> int:
    """The ways of no repetition, of one, of two and so on; those before the least one are steps at any rate."""
    total = power = 1
    for _ in range(most):
        power *= ways
        total += power
        if total > MOST_WAYS:
            break
    return total
