"""Of several rows with one name, the one that stands for the resource.

A replacement has a row of its own beside the one it replaces, until that is deleted. When work stops between
the two, whoever looks at the stack has to choose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol, TypeVar


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
        """The digest of the definition that the row was last made to follow."""


Shown = TypeVar("Shown", bound=Row)
Chosen = TypeVar("Chosen", bound=DefinedRow)
Some = TypeVar("Some", bound=Row)


def current(rows: Iterable[Chosen], target: str | None = None) -> dict[str, Chosen]:
    """The rows from which a stack goes on, by name: what works before what failed, and on the way back to a
    definition (`target`) what still follows it before what has replaced it."""

    def rank(row: Chosen) -> tuple[Any, ...]:
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
    """The rows that people see, each name once. As in Heat that is the newest: whoever asks why a stack failed
    has to see the replacement that failed, although the next update may go on from what it was to replace."""

    def rank(row: Shown) -> tuple[Any, ...]:
        return (row.action != "DELETE", row.replaced_by is None, row.status != "FAILED", row.created_at)

    return list(_best(rows, rank).values())


def _best(rows: Iterable[Some], rank: Callable[[Some], tuple[Any, ...]]) -> dict[str, Some]:
    chosen: dict[str, Some] = {}
    for row in rows:
        before = chosen.get(row.name)
        if before is None or rank(row) > rank(before):
            chosen[row.name] = row
    return chosen
