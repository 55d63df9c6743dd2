"""Pages that start after a marker, with any sort keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, or_


@dataclass(frozen=True, slots=True)
class Page:
    """Which part of a list to return. Sort keys are specific to the list; with None for `descending` it has its usual
    direction."""

    limit: int | None = None
    marker: str | None = None
    sort_keys: tuple[str, ...] = ()
    descending: bool | None = None


WHOLE = Page()


def ordered(
    query: Select[Any], keys: Sequence[ColumnElement[Any]], descending: bool, limit: int | None
) -> Select[Any]:
    """The query sorted by keys that are unique in combination and never null."""
    query = query.order_by(*(key.desc() if descending else key.asc() for key in keys))
    return query if limit is None else query.limit(limit)


def behind(
    keys: Sequence[ColumnElement[Any]], values: Sequence[Any], descending: bool
) -> ColumnElement[bool]:
    """The rows after the one with these key values."""
    alternatives = []
    for index, key in enumerate(keys):
        same = [keys[before] == values[before] for before in range(index)]
        further = key < values[index] if descending else key > values[index]
        alternatives.append(and_(*same, further))
    return or_(*alternatives)
