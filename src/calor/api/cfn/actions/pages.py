"""Lists in pages: a page ends after a number of members, or when it is large."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from calor.api.cfn.errors import invalid
from calor.language.values import size_of
from calor.resources.values import JsonObject

LARGEST = 4 * 1024 * 1024
"""Bytes of memory after which a page ends."""

T = TypeVar("T")


def result(
    name: str,
    found: Sequence[T],
    limit: int,
    show: Callable[[T], JsonObject | None],
    token: Callable[[T], object],
) -> JsonObject:
    """The result with the first page of what was found, and the token of the last item in it if there are more. `show`
    returns None for items that have disappeared."""
    shown: list[JsonObject] = []
    size = 0
    for number, item in enumerate(found):
        if number == limit or size > LARGEST:
            return {name: shown, "NextToken": str(token(found[number - 1]))}
        member = show(item)
        if member is not None:
            shown.append(member)
            size += size_of(member, LARGEST)
    return {name: shown}


def invalid_token() -> Exception:
    return invalid("NextToken is not valid, or not any more.")
