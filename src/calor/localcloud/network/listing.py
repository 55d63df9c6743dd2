"""Lists of the network service: filters on any attribute, chosen fields, sorting and pages."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any
from urllib.parse import urlencode

from calor.localcloud.problems import BadRequest
from calor.localcloud.reading import truth
from calor.localcloud.web import Call, Reply

View = dict[str, Any]

_ABOUT_THE_LIST = frozenset(("fields", "limit", "marker", "page_reverse", "sort_dir", "sort_key"))
_TAGS: dict[str, Callable[[set[str], set[str]], bool]] = {
    "tags": lambda tags, wanted: wanted <= tags,
    "tags-any": lambda tags, wanted: bool(wanted & tags),
    "not-tags": lambda tags, wanted: not wanted <= tags,
    "not-tags-any": lambda tags, wanted: not wanted & tags,
}
_CHANGED_SINCE = "changed_since"


def filters_of(call: Call, known: Collection[str]) -> dict[str, list[str]]:
    """The filters of the query, by attribute; values given for the same attribute are alternatives."""
    found: dict[str, list[str]] = {}
    for name, value in call.parameters:
        if name in _ABOUT_THE_LIST:
            continue
        name = "project_id" if name == "tenant_id" else name
        if name not in known and name not in _TAGS and name != _CHANGED_SINCE:
            raise BadRequest(f"Lists cannot be filtered by '{name[:255]}'.")
        found.setdefault(name, []).append(value)
    return found


def list_body(call: Call, plural: str, views: Iterable[View], filters: dict[str, list[str]]) -> View:
    matching = [view for view in views if all(_fits(view, name, wanted) for name, wanted in filters.items())]
    ordered = _sorted(call, matching)
    page, links = _page(call, ordered)
    body: View = {plural: [only_fields(call, view) for view in page]}
    if links:
        body[f"{plural}_links"] = links
    return body


def list_reply(call: Call, plural: str, views: list[View], filters: dict[str, list[str]]) -> Reply:
    return Reply(body=list_body(call, plural, views, filters))


def only_fields(call: Call, view: View) -> View:
    wanted = [field for field in call.all("fields") if field]
    return {field: view[field] for field in wanted if field in view} if wanted else view


def _fits(view: View, name: str, wanted: list[str]) -> bool:
    if name in _TAGS:
        given = {tag for value in wanted for tag in value.split(",")}
        return _TAGS[name](set(view.get("tags", ())), given)
    if name == _CHANGED_SINCE:
        return str(view.get("updated_at", "")) >= wanted[0].replace("+00:00", "Z")
    value = view.get(name)
    if isinstance(value, list | tuple):
        return _fits_list(value, wanted)
    if isinstance(value, bool):
        return any(truth(each) == value for each in wanted)
    return ("" if value is None else str(value)) in wanted


def _fits_list(items: list[Any] | tuple[Any, ...], wanted: list[str]) -> bool:
    """Of a list of texts, one is wanted; of a list of objects (fixed_ips), one has a wanted value for each of the
    members that are asked for: ip_address=10.0.0.2."""
    if not items or not isinstance(items[0], dict):
        return any(str(item) in wanted for item in items)
    members: dict[str, list[str]] = {}
    for each in wanted:
        member, _, value = each.partition("=")
        members.setdefault(member, []).append(value)
    return all(any(_holds(item, member, values) for item in items) for member, values in members.items())


def _holds(item: View, member: str, values: list[str]) -> bool:
    if member.endswith("_substr"):
        return any(value in str(item.get(member.removesuffix("_substr"), "")) for value in values)
    return str(item.get(member, "")) in values


def _sorted(call: Call, views: list[View]) -> list[View]:
    keys, directions = call.all("sort_key"), call.all("sort_dir")
    if directions and len(directions) != len(keys):
        raise BadRequest("sort_key and sort_dir must be given equally often.")
    if any(each not in ("asc", "desc") for each in directions):
        raise BadRequest("sort_dir must be asc or desc.")
    # The least of the keys first: sorting keeps the order of what is equal.
    for key, direction in reversed(list(zip(keys, directions or ["asc"] * len(keys), strict=True))):
        if views and not isinstance(views[0].get(key, ()), str | int | None):
            raise BadRequest(f"Lists cannot be sorted by '{key[:255]}'.")
        views = sorted(views, key=lambda view: _order(view[key]), reverse=direction == "desc")
    return views


def _order(value: Any) -> tuple[bool, Any]:
    return (value is not None, "" if value is None else value)


def _page(call: Call, views: list[View]) -> tuple[list[View], list[dict[str, str]]]:
    limit, marker = _limit(call), call.query.get("marker")
    backwards = truth(call.query.get("page_reverse", "false"))
    if limit is None and not marker:
        return views, []
    if marker:
        place = next((place for place, view in enumerate(views) if view.get("id") == marker), None)
        if place is None:
            raise BadRequest(f"The marker {marker[:255]} is not in the list.", "InvalidInput")
        views = views[:place] if backwards else views[place + 1 :]
    page = views if limit is None else views[-limit:] if backwards else views[:limit]
    links: list[dict[str, str]] = []
    if not page or "id" not in page[0]:
        return page, links
    if limit is not None and (backwards or len(page) == limit):
        links.append({"rel": "next", "href": _link(call, page[-1]["id"], False)})
    if (marker and not backwards) or (backwards and len(page) == limit):
        links.append({"rel": "previous", "href": _link(call, page[0]["id"], True)})
    return page, links


def _link(call: Call, marker: str, backwards: bool) -> str:
    kept = [(name, value) for name, value in call.parameters if name not in ("marker", "page_reverse")]
    turned = [("page_reverse", "True")] if backwards else []
    return f"{call.url}?{urlencode([*kept, ('marker', marker), *turned])}"


def _limit(call: Call) -> int | None:
    written = call.query.get("limit", "")
    if not written or written == "0":
        return None
    if not written.isdecimal() or len(written) > 9:
        raise BadRequest(f"limit must be a number of 0 or more, not '{written[:255]}'.")
    return int(written)
