"""Estimates how many backtracking steps Python's `re` needs at most for an expression and a text of some length."""

from __future__ import annotations

import re
from functools import lru_cache
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

LONGEST = 10_000
"""Longer expressions are not even compiled in this process."""
MOST_STEPS = 200_000
"""So many steps take a few milliseconds, during which `re` holds the GIL."""
WIDEST_FOLDED = 1_000
"""When `re` compiles a class that ignores case, it iterates over all its characters."""
_TOO_MANY = MOST_STEPS + 1

_SINGLE = frozenset({_constants.LITERAL, _constants.NOT_LITERAL, _constants.ANY, _constants.IN})
_REPEATS = frozenset({_constants.MAX_REPEAT, _constants.MIN_REPEAT})
_LOOKS = frozenset({_constants.ASSERT, _constants.ASSERT_NOT})


@lru_cache(maxsize=1024)
def parse(expression: str, flags: int = 0) -> Any:
    """The syntax tree of `re`. Raises re.error, OverflowError or RecursionError."""
    return _parser.parse(expression, flags)


@lru_cache(maxsize=1024)
def compiles_quickly(expression: str, flags: int = 0) -> bool:
    """Whether compiling the expression, which is well-formed, takes little time."""
    tree = parse(expression, flags)
    return not _folds_wide_class(tree, bool(tree.state.flags & re.IGNORECASE))


def is_cheap(expression: str, flags: int, length: int, *, search: bool) -> bool:
    """Whether matching a text of such a length takes few steps at worst; `search` tries at each of its characters."""
    # Rounded up, so that texts of all lengths share a few estimates.
    longest = 1 << length.bit_length()
    return _steps(expression, flags, longest) * (longest if search else 1) <= MOST_STEPS


@lru_cache(maxsize=4096)
def _steps(expression: str, flags: int, longest: int) -> int:
    try:
        return _sequence(parse(expression, flags), longest)[1]
    except RecursionError:
        return _TOO_MANY


def _sequence(items: Any, longest: int) -> tuple[int, int]:
    """In how many ways a sequence can match, and the steps to try all of them."""
    ways, steps = 1, 0
    for kind, value in items:
        more_ways, more_steps = _item(kind, value, longest)
        steps += ways * more_steps
        ways *= more_ways
        if steps > MOST_STEPS or ways > MOST_STEPS:
            return _TOO_MANY, _TOO_MANY
    return ways, steps


def _item(kind: Any, value: Any, longest: int) -> tuple[int, int]:
    if kind in _SINGLE or kind is _constants.AT:
        return 1, 1
    if kind is _constants.SUBPATTERN:
        return _sequence(value[-1], longest)
    if kind is _constants.BRANCH:
        return _branch(value[1], longest)
    if kind in _REPEATS:
        return _repeat(value, longest)
    if kind in _LOOKS:
        # There is no backtracking into look-arounds.
        return 1, 1 + _sequence(value[1], longest)[1]
    if kind is _constants.GROUPREF:
        return 1, longest
    return _TOO_MANY, _TOO_MANY


def _branch(branches: Any, longest: int) -> tuple[int, int]:
    tried = [_sequence(one, longest) for one in branches]
    firsts = [one[0][1] for one in branches if len(one) and one[0][0] is _constants.LITERAL]
    # At most one of several branches with different first characters matches.
    exclusive = len(set(firsts)) == len(branches)
    ways = max(ways for ways, _ in tried) if exclusive else sum(ways for ways, _ in tried)
    return ways, len(tried) + sum(steps for _, steps in tried)


def _repeat(value: Any, longest: int) -> tuple[int, int]:
    least, most, body = value
    shortest = body.getwidth()[0]
    if least > longest:
        # More repeats than characters: the body may match the empty string.
        return _TOO_MANY, _TOO_MANY
    most = min(most, longest // shortest if shortest else longest)
    ways, steps = _sequence(body, longest)
    if ways == 1:
        return max(1, most - least + 1), (most + 1) * (steps + 1)
    total_ways, total_steps, power = 0, 0, 1
    for count in range(most + 1):
        total_ways += power if count >= least else 0
        total_steps += power * (steps + 1)
        power *= ways
        if total_steps > MOST_STEPS:
            return _TOO_MANY, _TOO_MANY
    return max(1, total_ways), total_steps


def _folds_wide_class(items: Any, folded: bool) -> bool:
    for kind, value in items:
        if kind is _constants.IN:
            if folded and sum(_width(one) for one in value) > WIDEST_FOLDED:
                return True
            continue
        if kind is _constants.SUBPATTERN:
            _, added, removed, _ = value
            inner_folded = (folded or bool(added & re.IGNORECASE)) and not removed & re.IGNORECASE
        else:
            inner_folded = folded
        if any(_folds_wide_class(one, inner_folded) for one in _inner(value)):
            return True
    return False


def _width(member: Any) -> int:
    kind, value = member
    return value[1] - value[0] + 1 if kind is _constants.RANGE else 1


def _inner(value: object) -> list[object]:
    """All sequences within an item, at any depth."""
    if isinstance(value, _parser.SubPattern):
        return [value]
    if isinstance(value, (list, tuple)):
        return [found for one in value for found in _inner(one)]
    return []
