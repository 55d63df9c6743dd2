"""Lists of the identity service: filters with comparison operators, and pages if a limit is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from calor.localcloud.lists import ListStyle, matches
from calor.localcloud.problems import NotFound
from calor.localcloud.types import Json
from calor.localcloud.web import Call, Reply

STYLE = ListStyle(lambda marker: NotFound.of("marker", marker), least=1)

_COMPARISONS: dict[str, Callable[[str, str], bool]] = {
    "contains": lambda value, wanted: wanted in value,
    "icontains": lambda value, wanted: wanted.lower() in value.lower(),
    "startswith": lambda value, wanted: value.startswith(wanted),
    "istartswith": lambda value, wanted: value.lower().startswith(wanted.lower()),
    "endswith": lambda value, wanted: value.endswith(wanted),
    "iendswith": lambda value, wanted: value.lower().endswith(wanted.lower()),
    "iexact": lambda value, wanted: value.lower() == wanted.lower(),
}


def list_reply(call: Call, plural: str, items: Iterable[Json], filters: Sequence[str] = ()) -> Reply:
    """The items that match the query; a filter is plain (name=x) or has a comparison (name__contains=x)."""
    found = [item for item in items if _matches_query(item, call, filters)]
    page = STYLE.page(call, found, lambda item: item.get("id"))
    links = {"self": call.url, "previous": None, "next": page.next_url(call)}
    return Reply(body={plural: page.items, "links": links})


def indexed_filters(call: Call, *fields: str) -> dict[str, str | bool | None]:
    """The plain filters of the query on indexed fields."""
    return {field: call.query[field] for field in fields if field in call.query}


def _matches_query(item: Json, call: Call, filters: Sequence[str]) -> bool:
    return all(
        _matches(item.get(field), comparison, wanted)
        for parameter, wanted in call.query.items()
        for field, _, comparison in (parameter.partition("__"),)
        if field in filters
    )


def _matches(value: object, comparison: str, wanted: str) -> bool:
    if not comparison or isinstance(value, bool):
        return matches(value, wanted)
    compare = _COMPARISONS.get(comparison)
    return compare is None or compare("" if value is None else str(value), wanted)
