"""Lists of the network service: filters, fields, sorting and pages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from calor.localcloud.lists import TAG_FILTERS, ListStyle, Sorting, matches, member, sort_items
from calor.localcloud.lists import list_body as linked
from calor.localcloud.problems import BadRequest
from calor.localcloud.types import Json
from calor.localcloud.web import Call, Reply

_NOT_FILTERS = frozenset(("fields", "limit", "marker", "page_reverse", "sort_dir", "sort_key"))
STYLE = ListStyle(
    lambda marker: BadRequest(f"The marker {marker} is not in the list.", "InvalidInput"),
    zero_is_unlimited=True,
    link_after_full_page=True,
    reversible=True,
)
_CHANGED_SINCE = "changed_since"


def filters_of(call: Call, known: Collection[str]) -> dict[str, list[str]]:
    """The filters of the query, by attribute; values given for the same attribute are alternatives."""
    found: dict[str, list[str]] = {}
    for name, value in call.parameters:
        if name in _NOT_FILTERS:
            continue
        name = "project_id" if name == "tenant_id" else name
        if name not in known and name not in TAG_FILTERS and name != _CHANGED_SINCE:
            raise BadRequest(f"Lists cannot be filtered by '{name[:255]}'.")
        found.setdefault(name, []).append(value)
    return found


def list_body(call: Call, plural: str, views: Iterable[Json], filters: dict[str, list[str]]) -> Json:
    matching = [view for view in views if all(_fits(view, name, wanted) for name, wanted in filters.items())]
    page = STYLE.page(call, _sort_views(call, matching), lambda view: view.get("id"))
    return linked(plural, [only_fields(call, view) for view in page.items], page.links(call))


def list_reply(call: Call, plural: str, views: list[Json], filters: dict[str, list[str]]) -> Reply:
    return Reply(body=list_body(call, plural, views, filters))


def only_fields(call: Call, view: Json) -> Json:
    wanted = [field for field in call.all("fields") if field]
    return {field: view[field] for field in wanted if field in view} if wanted else view


def _fits(view: Json, name: str, wanted: list[str]) -> bool:
    if name in TAG_FILTERS:
        given = {tag for value in wanted for tag in value.split(",")}
        return TAG_FILTERS[name](set(view.get("tags", ())), given)
    if name == _CHANGED_SINCE:
        return str(view.get("updated_at", "")) >= wanted[0].replace("+00:00", "Z")
    value = view.get(name)
    if isinstance(value, list | tuple):
        return _fits_list(value, wanted)
    return any(matches(value, each) for each in wanted)


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


def _holds(item: Json, member: str, values: list[str]) -> bool:
    if member.endswith("_substr"):
        return any(value in str(item.get(member.removesuffix("_substr"), "")) for value in values)
    return str(item.get(member, "")) in values


def _sort_views(call: Call, views: Sequence[Json]) -> Sequence[Json]:
    keys, directions = call.all("sort_key"), call.all("sort_dir")
    if directions and len(directions) != len(keys):
        raise BadRequest("The number of sort_keys and sort_dirs must be same.")
    for key in keys:
        if views and not isinstance(views[0].get(key, ()), str | int | None):
            raise BadRequest(f"Lists cannot be sorted by '{key[:255]}'.")
    return sort_items(views, Sorting(keys, direction="asc").keys(call), member)
