"""Lists page by page, with a link to the next one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from urllib.parse import urlencode

from calor.localcloud.ordering import after_marker
from calor.localcloud.problems import BadRequest, NotFound
from calor.localcloud.web import Call

T = TypeVar("T")

LARGEST = 1000


def page_of(
    call: Call,
    items: Sequence[T],
    id_of: Callable[[T], str] = lambda item: item.id,  # type: ignore[attr-defined]
) -> tuple[Sequence[T], list[dict[str, str]]]:
    """The items of one page, and links to the next one. A full page has a next one, which may turn out to be empty."""
    found = after_marker(items, call.query.get("marker"), id_of)
    if found is None:
        raise NotFound(f"marker [{call.query['marker'][:255]}] could not be found.")
    found = found[_number(call, "offset") or 0 :]
    asked = _number(call, "limit")
    limit = LARGEST if asked is None else min(asked, LARGEST)
    page = found[:limit]
    links = [{"rel": "next", "href": _next(call, id_of(page[-1]))}] if len(found) >= limit > 0 else []
    return page, links


def paged(
    plural: str, shown: list[Any], links: list[dict[str, str]], prefix: str | None = None
) -> dict[str, Any]:
    """The body of an answer. The links are called after the list, or otherwise as `prefix` says."""
    return {plural: shown, **({f"{prefix or plural}_links": links} if links else {})}


def _number(call: Call, name: str) -> int | None:
    written = call.query.get(name)
    if written is None:
        return None
    if not written.isdecimal() or len(written) > 9:
        raise BadRequest(f"{name} param must be a whole number that is not negative.")
    return int(written)


def _next(call: Call, marker: str) -> str:
    parameters = [(name, value) for name, value in call.parameters if name not in ("marker", "offset")]
    return f"{call.url}?{urlencode([*parameters, ('marker', marker)])}"
