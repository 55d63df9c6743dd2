"""Lists as OpenStack's services show them: filtered by the query, and page by page where a limit is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any
from urllib.parse import urlencode

from calor.localcloud.problems import BadRequest, NotFound
from calor.localcloud.reading import truth
from calor.localcloud.web import Call, Reply

Shown = dict[str, Any]

_COMPARISONS: dict[str, Callable[[str, str], bool]] = {
    "contains": lambda value, wanted: wanted in value,
    "icontains": lambda value, wanted: wanted.lower() in value.lower(),
    "startswith": lambda value, wanted: value.startswith(wanted),
    "istartswith": lambda value, wanted: value.lower().startswith(wanted.lower()),
    "endswith": lambda value, wanted: value.endswith(wanted),
    "iendswith": lambda value, wanted: value.lower().endswith(wanted.lower()),
    "iexact": lambda value, wanted: value.lower() == wanted.lower(),
}


def list_reply(call: Call, plural: str, items: Iterable[Shown], filters: Sequence[str] = ()) -> Reply:
    """The items that fit the query; a filter may be given plain (name=x) or compared (name__contains=x)."""
    matching = [item for item in items if _fits(item, call, filters)]
    page, following = _page(call, matching)
    links = {"self": call.url, "previous": None, "next": following}
    return Reply(body={plural: page, "links": links})


def chosen(call: Call, *fields: str) -> dict[str, str | bool | None]:
    """The plain filters of the query on these fields, for the store to look up instead of reading everything."""
    return {field: call.query[field] for field in fields if field in call.query}


def _fits(item: Shown, call: Call, filters: Sequence[str]) -> bool:
    for parameter, wanted in call.query.items():
        field, _, comparison = parameter.partition("__")
        if field not in filters:
            continue
        value = item.get(field)
        if isinstance(value, bool):
            if value != truth(wanted):
                return False
        elif comparison in _COMPARISONS:
            if not _COMPARISONS[comparison]("" if value is None else str(value), wanted):
                return False
        elif not comparison and ("" if value is None else str(value)) != wanted:
            return False
    return True


def _page(call: Call, items: list[Shown]) -> tuple[list[Shown], str | None]:
    if marker := call.query.get("marker"):
        places = [place for place, item in enumerate(items) if item.get("id") == marker]
        if not places:
            raise NotFound.of("marker", marker)
        items = items[places[0] + 1 :]
    if "limit" not in call.query:
        return items, None
    limit = _limit(call.query["limit"])
    page = items[:limit]
    if len(items) <= limit or not page or "id" not in page[-1]:
        return page, None
    return page, f"{call.url}?{urlencode({**call.query, 'marker': page[-1]['id']})}"


def _limit(written: str) -> int:
    if not written.isdecimal() or len(written) > 9 or int(written) == 0:
        raise BadRequest("limit must be a positive whole number.")
    return int(written)
