"""Of several rows with one name, the one that stands for the resource."""

from __future__ import annotations

from collections.abc import Iterable
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


Kind = TypeVar("Kind", bound=Row)


def current(rows: Iterable[Kind]) -> list[Kind]:
    """Each name once. While a resource is being replaced, its successor stands for it."""
    chosen: dict[str, Kind] = {}
    for row in rows:
        before = chosen.get(row.name)
        if before is None or _rank(row) > _rank(before):
            chosen[row.name] = row
    return list(chosen.values())


def _rank(row: Row) -> tuple[Any, ...]:
    return (row.action != "DELETE", row.replaced_by is None, row.status != "FAILED", row.created_at)
