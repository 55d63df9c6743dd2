"""Versions of RPM packages."""

import re
from functools import cmp_to_key
from itertools import zip_longest
from typing import Any, List, Optional

_PARTS = re.compile(r"\d+|[a-zA-Z]+|~|\^")
_BEFORE_THE_END, _AFTER_THE_END = "~", "^"


def compare(one: str, other: str) -> int:
    """As RPM does: -1 if the first is older, 1 if it is newer. Versions may have releases."""
    for mine, its in zip_longest(one.split("-"), other.split("-")):
        if mine is None or its is None:
            # A version without a release stands for all of its releases.
            return 0
        found = _compare_parts(_PARTS.findall(mine), _PARTS.findall(its))
        if found:
            return found
    return 0


def newest(versions: Any) -> Optional[str]:
    """Of a version or a list of them; None if it is empty."""
    if isinstance(versions, str):
        return versions or None
    return max(versions, key=cmp_to_key(compare)) if versions else None


def _compare_parts(mine: List[str], its: List[str]) -> int:
    for one, other in zip_longest(mine, its):
        if one == other:
            continue
        if _BEFORE_THE_END in (one, other):
            return -1 if one == _BEFORE_THE_END else 1
        if one is None or other is None:
            return 1 if other is None else -1
        if _AFTER_THE_END in (one, other):
            return -1 if one == _AFTER_THE_END else 1
        if one.isdigit() != other.isdigit():
            return 1 if one.isdigit() else -1
        if one.isdigit() and int(one) == int(other):
            continue
        newer = int(one) > int(other) if one.isdigit() else one > other
        return 1 if newer else -1
    return 0
