"""Lists of containers and of objects: by name, part of them, and in three formats."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar
from xml.sax.saxutils import escape, quoteattr

from calor.localcloud.problems import BadRequest, PreconditionFailed
from calor.localcloud.web import Call, Reply

LONGEST = 10_000
_LAST = "\U0010ffff"
"""Sorts after whatever else could follow."""
_JUST_AFTER = "\x01"
"""Makes the first name that sorts after another: names have no NUL."""
_AT_ONCE = 500


class Named(Protocol):
    @property
    def name(self) -> str: ...


N = TypeVar("N", bound=Named)


@dataclass(frozen=True)
class Subdirectory:
    """All names that share the part from the prefix to the delimiter."""

    name: str


@dataclass(frozen=True)
class Range:
    """Names from `start` up to but without `end`."""

    start: str
    end: str | None
    descending: bool
    limit: int


@dataclass(frozen=True)
class ListQuery:
    """The requested part of a list."""

    prefix: str = ""
    delimiter: str = ""
    start: str = ""
    end: str | None = None
    limit: int = LONGEST
    reverse: bool = False


Fetch = Callable[[Range], Sequence[N]]


def read_list_query(call: Call) -> ListQuery:
    query = call.query
    reverse = query.get("reverse", "").lower() in ("true", "1", "yes", "on", "t", "y")
    after, before = query.get("marker", ""), query.get("end_marker", "")
    if reverse:
        after, before = before, after
    prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
    if "path" in query:
        prefix = f"{query['path'].rstrip('/')}/" if query["path"] else ""
        delimiter = "/"
    bounds = [end for end in (before, prefix + _LAST if prefix else "") if end]
    return ListQuery(
        prefix=prefix,
        delimiter=delimiter,
        start=max(prefix, after + _JUST_AFTER if after else ""),
        end=min(bounds) if bounds else None,
        limit=_limit(query.get("limit")),
        reverse=reverse,
    )


def _limit(written: str | None) -> int:
    if not written:
        return LONGEST
    if not written.isdecimal():
        raise BadRequest("limit must be a whole number.")
    if len(written) > 9 or int(written) > LONGEST:
        raise PreconditionFailed(f"Maximum limit is {LONGEST}")
    return int(written)


def list_rows(fetch: Fetch[N], window: ListQuery) -> list[N | Subdirectory]:
    """The part of the list. What is in a subdirectory is skipped, not read."""
    rows: list[N | Subdirectory] = []
    for row in _rows(fetch, window):
        if len(rows) == window.limit:
            break
        rows.append(row)
    return rows


def _rows(fetch: Fetch[N], window: ListQuery) -> Iterator[N | Subdirectory]:
    start, end = window.start, window.end
    while True:
        batch = fetch(Range(start, end, window.reverse, _AT_ONCE))
        skipped = None
        for item in batch:
            skipped = _subdirectory(item.name, window)
            if skipped:
                # A marker within a subdirectory means that it was listed already.
                if window.reverse or window.start <= skipped:
                    yield Subdirectory(skipped)
                break
            yield item
        if skipped and window.reverse:
            end = skipped
        elif skipped:
            start = skipped + _LAST
        elif len(batch) < _AT_ONCE:
            return
        elif window.reverse:
            end = batch[-1].name
        else:
            start = batch[-1].name + _JUST_AFTER


def _subdirectory(name: str, window: ListQuery) -> str | None:
    if not window.delimiter:
        return None
    inner, delimiter, _ = name.removeprefix(window.prefix).partition(window.delimiter)
    return window.prefix + inner + delimiter if delimiter else None


@dataclass(frozen=True)
class ListFormat:
    """A format of lists."""

    root: str
    root_name: str
    item: str


def listing_reply(
    call: Call, rows: Sequence[Mapping[str, object]], written: ListFormat, headers: Mapping[str, str]
) -> Reply:
    """Rows have a name, or are a subdirectory (`subdir`)."""
    form = _format(call)
    if form == "json":
        body, media_type = json.dumps(list(rows)), "application/json; charset=utf-8"
    elif form == "xml":
        body, media_type = _xml(rows, written), "application/xml; charset=utf-8"
    else:
        names = [str(row.get("name", row.get("subdir"))) for row in rows]
        body, media_type = "".join(f"{name}\n" for name in names), "text/plain; charset=utf-8"
    status = 204 if form == "text" and not rows else 200
    return Reply(status, None, {**headers, "Content-Type": media_type}, body.encode())


def _format(call: Call) -> str:
    asked = call.query.get("format", "").lower()
    if asked in ("json", "xml"):
        return asked
    if asked:
        return "text"
    accepted = call.headers.get("accept", "")
    if "application/json" in accepted:
        return "json"
    return "xml" if "application/xml" in accepted or "text/xml" in accepted else "text"


def _xml(rows: Sequence[Mapping[str, object]], written: ListFormat) -> str:
    items = []
    for row in rows:
        if "subdir" in row:
            name = str(row["subdir"])
            items.append(f"<subdir name={quoteattr(name)}><name>{escape(name)}</name></subdir>")
        else:
            inner = "".join(f"<{field}>{escape(str(value))}</{field}>" for field, value in row.items())
            items.append(f"<{written.item}>{inner}</{written.item}>")
    opened = f"<{written.root} name={quoteattr(written.root_name)}>"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{opened}{"".join(items)}</{written.root}>'
