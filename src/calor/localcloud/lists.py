"""Lists: filters, sort keys, markers, limits and links.

Each service defines a `ListStyle` in its own `lists.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar
from urllib.parse import urlencode

from calor.localcloud.problems import BadRequest, Problem
from calor.localcloud.requests import truth
from calor.localcloud.types import Json
from calor.localcloud.web import Call

T = TypeVar("T")

Link = dict[str, str]

_POSITION = frozenset(("marker", "offset", "page_reverse"))
_LARGEST_NUMBER = 2**31 - 1


class _HasId(Protocol):
    @property
    def id(self) -> str: ...


def by_id(item: _HasId) -> str:
    return item.id


@dataclass(frozen=True)
class Page(Generic[T]):
    items: Sequence[T]
    next_marker: str | None = None
    """The marker of the next page, if there may be one."""
    previous_marker: str | None = None
    """The marker of the previous page, for lists that can be read backwards."""

    def next_url(self, call: Call) -> str | None:
        return None if self.next_marker is None else page_url(call.url, call, self.next_marker)

    def links(self, call: Call) -> list[Link]:
        found = []
        if self.next_marker is not None:
            found.append({"rel": "next", "href": page_url(call.url, call, self.next_marker)})
        if self.previous_marker is not None:
            url = page_url(call.url, call, self.previous_marker, reverse=True)
            found.append({"rel": "previous", "href": url})
        return found


@dataclass(frozen=True)
class ListStyle:
    """How a service divides lists into pages."""

    unknown_marker: Callable[[str], Problem]
    """The error for a marker that is not in the list."""
    default_limit: int | None = None
    """The page size without a limit in the request; None: the whole list."""
    largest: int | None = None
    """The maximum page size, to which larger limits are reduced."""
    least: int = 0
    zero_is_unlimited: bool = False
    """Whether a limit of 0, or an empty one, is the same as none."""
    link_after_full_page: bool = False
    """Whether every full page has a link to the next one, even if that will be empty."""
    has_offset: bool = False
    """Whether `offset` skips items after the marker."""
    reversible: bool = False
    """Whether `page_reverse` asks for the page before the marker."""

    def page(self, call: Call, items: Sequence[T], id_of: Callable[[T], str | None]) -> Page[T]:
        limit, marker = self._limit(call), call.query.get("marker")
        backwards = self.reversible and truth(call.query.get("page_reverse", "false"))
        if marker:
            place = next((place for place, item in enumerate(items) if id_of(item) == marker), None)
            if place is None:
                raise self.unknown_marker(marker[:255])
            items = items[:place] if backwards else items[place + 1 :]
        if self.has_offset:
            items = items[whole_number(call, "offset") or 0 :]
        if limit is None:
            page = items
        else:
            page = items[-limit:] if backwards else items[:limit]
        if not page:
            return Page(page)
        full = limit is not None and len(page) == limit
        more = backwards or (full and self.link_after_full_page) or len(page) < len(items)
        before = self.reversible and (full if backwards else bool(marker))
        return Page(
            page,
            id_of(page[-1]) if more and limit is not None else None,
            id_of(page[0]) if before else None,
        )

    def _limit(self, call: Call) -> int | None:
        if self.zero_is_unlimited and call.query.get("limit") in ("", "0"):
            return self.default_limit
        limit = whole_number(call, "limit", self.least)
        if limit is None:
            return self.default_limit
        return limit if self.largest is None else min(limit, self.largest)


def page_url(url: str, call: Call, marker: str | None, *, reverse: bool = False) -> str:
    """The page after the marker, or before it; the first page without one. Other parameters stay as they are."""
    parameters = [(name, value) for name, value in call.parameters if name not in _POSITION]
    parameters += [("marker", marker)] if marker is not None else []
    parameters += [("page_reverse", "True")] if reverse else []
    return f"{url}?{urlencode(parameters)}" if parameters else url


def whole_number(call: Call, name: str, least: int = 0) -> int | None:
    """A number in the query, if there is one."""
    text = call.query.get(name)
    if text is None:
        return None
    if not text.isdecimal() or len(text) > 10 or not least <= int(text) <= _LARGEST_NUMBER:
        raise BadRequest(f"{name} must be a whole number from {least} to {_LARGEST_NUMBER}.")
    return int(text)


def list_body(plural: str, shown: object, links: Sequence[Link], links_name: str | None = None) -> Json:
    """The body of a list, with links if there are any."""
    return {plural: shown, **({links_name or f"{plural}_links": links} if links else {})}


@dataclass(frozen=True)
class SortKey:
    field: str
    descending: bool


@dataclass(frozen=True)
class Sorting:
    """How a list can be sorted."""

    fields: Collection[str]
    default: Sequence[SortKey] = ()
    direction: str = "desc"
    """The default direction."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Fields of records by sort key, if their names differ."""
    has_sort: bool = False
    """Whether `sort` (name:asc,size) is an alternative to `sort_key` and `sort_dir`."""
    extend_directions: bool = False
    """Whether the first `sort_dir` counts for those that are missing. Otherwise there must be one, or one for each."""

    def keys(self, call: Call) -> tuple[SortKey, ...]:
        """`sort_key` and `sort_dir` may come several times."""
        if self.has_sort and "sort" in call.query:
            parts = [part.strip().partition(":") for part in call.query["sort"].split(",")]
            named = [(name, direction or self.direction) for name, _, direction in parts]
        else:
            named = self._separate(call)
        for name, direction in named:
            if name not in self.fields:
                raise BadRequest(f"The list cannot be sorted by {name[:255]}.")
            if direction not in ("asc", "desc"):
                raise BadRequest(f"The sort direction must be asc or desc, not {direction[:255]}.")
        keys = [SortKey(self.aliases.get(name, name), direction == "desc") for name, direction in named]
        return tuple(keys) or tuple(self.default)

    def _separate(self, call: Call) -> list[tuple[str, str]]:
        directions = call.all("sort_dir") or [self.direction]
        names = call.all("sort_key") or [key.field for key in self.default if "sort_dir" in call.query]
        if not self.extend_directions and names and len(directions) not in (1, len(names)):
            raise BadRequest("There must be one sort_dir, or one for each sort_key.")
        directions += directions[:1] * (len(names) - len(directions))
        return list(zip(names, directions, strict=False))


def sort_items(items: Sequence[T], keys: Sequence[SortKey], value_of: Callable[[T, str], object]) -> list[T]:
    """Items without a value come before those with one. Equal items keep their order."""
    result = list(items)
    for key in reversed(keys):
        result.sort(key=_by(key.field, value_of), reverse=key.descending)
    return result


def _by(name: str, value_of: Callable[[T, str], object]) -> Callable[[T], tuple[bool, object]]:
    def read(item: T) -> tuple[bool, object]:
        value = value_of(item, name)
        return (value is not None, value)

    return read


def member(item: Mapping[str, object], name: str) -> object:
    """The value of a JSON object by which it is sorted."""
    return item.get(name)


def matches(value: object, wanted: str) -> bool:
    """Whether a value is the one that a filter in the query names."""
    if isinstance(value, bool):
        return value == truth(wanted)
    return ("" if value is None else str(value)) == wanted


TAG_FILTERS: Mapping[str, Callable[[Set[str], Set[str]], bool]] = {
    "tags": lambda tags, wanted: wanted <= tags,
    "tags-any": lambda tags, wanted: bool(wanted & tags),
    "not-tags": lambda tags, wanted: not wanted <= tags,
    "not-tags-any": lambda tags, wanted: not wanted & tags,
}
"""Filters on tags: whether the tags of an item fit those of the filter."""
