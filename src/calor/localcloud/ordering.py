"""The order of lists, and their pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from calor.localcloud.lists import Shown
from calor.localcloud.problems import BadRequest
from calor.localcloud.web import Call

T = TypeVar("T")


@dataclass(frozen=True)
class SortKey:
    field: str
    descending: bool


def sort_keys(
    call: Call, allowed: Sequence[str], default: Sequence[SortKey], direction: str = "desc"
) -> tuple[SortKey, ...]:
    """The query's `sort` (name:asc,size) or `sort_key` and `sort_dir`, each of which may come several times.
    `direction` is where none is said."""
    if "sort" in call.query:
        written = [part.strip().partition(":") for part in call.query["sort"].split(",")]
        named = [(field, to or direction) for field, _, to in written]
    else:
        directions = call.all("sort_dir") or [direction]
        fields = call.all("sort_key") or [key.field for key in default if "sort_dir" in call.query]
        if len(directions) not in (1, len(fields)) and fields:
            raise BadRequest("There must be one sort_dir, or one for each sort_key.")
        directions = directions * len(fields) if len(directions) == 1 else directions
        named = list(zip(fields, directions, strict=False))
    for field, to in named:
        if field not in allowed:
            raise BadRequest(f"The list cannot be sorted by {field}.")
        if to not in ("asc", "desc"):
            raise BadRequest(f"A direction to sort in must be asc or desc, not {to}.")
    return tuple(SortKey(field, to == "desc") for field, to in named) or tuple(default)


def ordered(items: Sequence[Shown], keys: Sequence[SortKey]) -> list[Shown]:
    """What has no value comes before what has one."""
    arranged = list(items)
    for key in reversed(keys):
        arranged.sort(key=_by(key.field), reverse=key.descending)
    return arranged


def _by(field: str) -> Callable[[Shown], tuple[bool, object]]:
    return lambda item: (item.get(field) is not None, item.get(field))


def after_marker(items: Sequence[T], marker: str | None, id_of: Callable[[T], str]) -> Sequence[T] | None:
    """What follows the marker; None where it is not in the list."""
    if not marker:
        return items
    place = next((place for place, item in enumerate(items) if id_of(item) == marker), None)
    return None if place is None else items[place + 1 :]
