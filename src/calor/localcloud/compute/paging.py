"""Lists page by page, with a link to the next one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from urllib.parse import urlencode

from calor.localcloud.compute.forms import number
from calor.localcloud.problems import BadRequest
from calor.localcloud.web import Call

T = TypeVar("T")

MOST = 1000
_LIMIT = number(0)


def page_of(
    call: Call,
    items: Sequence[T],
    key: Callable[[T], str] = lambda item: item.id,  # type: ignore[attr-defined]
) -> tuple[Sequence[T], str | None]:
    """The items of one page, and where the next one is."""
    if marker := call.query.get("marker"):
        place = next((place for place, item in enumerate(items) if key(item) == marker), None)
        if place is None:
            raise BadRequest(f"There is no {marker[:255]} to begin after.")
        items = items[place + 1 :]
    limit = min(_LIMIT(call.query.get("limit", MOST), "limit"), MOST)
    page = items[:limit]
    if len(items) <= limit or not page:
        return page, None
    kept = [(name, value) for name, value in call.parameters if name != "marker"]
    return page, f"{call.url}?{urlencode([*kept, ('marker', key(page[-1]))])}"


def paged(plural: str, shown: Any, following: str | None) -> dict[str, Any]:
    body: dict[str, Any] = {plural: shown}
    if following:
        body[f"{plural}_links"] = [{"rel": "next", "href": following}]
    return body
