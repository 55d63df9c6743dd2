"""Selects the current row of a resource among several.

A replacement has its own row beside the one that it replaces, until that is deleted. After an interruption there may be
both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

Rank = tuple[bool | float, ...]


class Row(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def action(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def created_at(self) -> float: ...
    @property
    def replaced_by(self) -> str | None: ...


class DefinedRow(Row, Protocol):
    @property
    def definition(self) -> str | None:
        """The digest of the definition that was last applied to the row."""


Shown = TypeVar("Shown", bound=Row)
Chosen = TypeVar("Chosen", bound=DefinedRow)
Some = TypeVar("Some", bound=Row)


def current(rows: Iterable[Chosen], target: str | None = None) -> dict[str, Chosen]:
    """The rows that an action continues from, by name: those that work before failed ones and, in a rollback to the
    definition `target`, rows that still follow it before their replacements."""

    def rank(row: Chosen) -> Rank:
        back = target is not None and row.definition == target
        return (
            row.action != "DELETE",
            row.status != "FAILED",
            back,
            row.replaced_by is None,
            row.created_at,
        )

    return _best(rows, rank)


def visible(rows: Iterable[Shown]) -> list[Shown]:
    """The rows to show to users, one for each name. As in Heat, the newest: the reason of a failed replacement has to
    be visible, although the next update may continue from the replaced resource."""

    def rank(row: Shown) -> Rank:
        return (row.action != "DELETE", row.replaced_by is None, row.status != "FAILED", row.created_at)

    return list(_best(rows, rank).values())


def _best(rows: Iterable[Some], rank: Callable[[Some], Rank]) -> dict[str, Some]:
    chosen: dict[str, Some] = {}
    for row in rows:
        before = chosen.get(row.name)
        if before is None or rank(row) > rank(before):
            chosen[row.name] = row
    return chosen
