"""Lists of images: visibility, filters, sorting and pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from calor.localcloud.image.records import Image
from calor.localcloud.image.requests import VISIBILITIES
from calor.localcloud.image.service import ImageService
from calor.localcloud.image.views import show_image
from calor.localcloud.lists import ListStyle, Sorting, SortKey, page_url, sort_items
from calor.localcloud.problems import BadRequest
from calor.localcloud.types import Json
from calor.localcloud.web import Call, Reply

STYLE = ListStyle(
    lambda marker: BadRequest(f"Invalid marker: image {marker} could not be found."),
    default_limit=25,
    largest=1000,
)
_SORTING = Sorting(
    (
        "name",
        "status",
        "container_format",
        "disk_format",
        "size",
        "id",
        "created_at",
        "updated_at",
        "min_disk",
        "min_ram",
        "visibility",
        "owner",
    ),
    default=(SortKey("created_at", True), SortKey("id", True)),
    has_sort=True,
)
_NOT_FILTERS = frozenset(
    {"limit", "marker", "sort", "sort_key", "sort_dir", "visibility", "member_status", "tag", "os_hidden"}
)
_COMPARED: dict[str, Callable[[str, str], bool]] = {
    "gt": lambda value, wanted: value > wanted,
    "gte": lambda value, wanted: value >= wanted,
    "lt": lambda value, wanted: value < wanted,
    "lte": lambda value, wanted: value <= wanted,
    "eq": lambda value, wanted: value == wanted,
    "neq": lambda value, wanted: value != wanted,
}


def list_images(service: ImageService, call: Call) -> Reply:
    keys = _SORTING.keys(call)
    found = [
        (image, shown)
        for image in _visible(service, call)
        if _has_tags(image, call.all("tag")) and _fits(shown := show_image(image), call)
    ]
    # Sorted by the exact time, which is shown in seconds.
    ordered = sort_items(found, keys, lambda row, name: getattr(row[0], name))
    page = STYLE.page(call, ordered, lambda row: row[0].id)
    return Reply(body=list_body(call, "images", [shown for _, shown in page.items], page.next_marker))


def list_body(
    call: Call, plural: str, shown: Sequence[Json], next_marker: str | None, path: str = ""
) -> Json:
    """The links of a list are paths below the service here."""
    path = path or plural
    body: Json = {
        plural: shown,
        "schema": f"/v2/schemas/{path}",
        "first": page_url(f"/v2/{path}", call, None),
    }
    if next_marker is not None:
        body["next"] = page_url(f"/v2/{path}", call, next_marker)
    return body


def _visible(service: ImageService, call: Call) -> Iterable[Image]:
    """The images that the caller can see. Community images only by request, or those of the project."""
    visibility = call.query.get("visibility")
    if visibility not in (None, "all", *VISIBILITIES):
        raise BadRequest(f"Invalid visibility value: {visibility}")
    hidden = call.query.get("os_hidden", "false").lower() == "true"
    images = service.records.images
    found = images.find(**_looked_up(call)) if call.caller.is_admin else _reachable(service, call)
    own = call.caller.project_id
    return (
        image
        for image in found
        if image.os_hidden == hidden
        and (visibility in (None, "all") or image.visibility == visibility)
        and (visibility is not None or image.visibility != "community" or image.owner == own)
    )


def _looked_up(call: Call) -> dict[str, str]:
    """Filters on indexed fields, such as the name."""
    name = call.query.get("name", "in:")
    return {} if name.startswith("in:") else {"name": name}


def _reachable(service: ImageService, call: Call) -> list[Image]:
    images, project, named = service.records.images, call.caller.project_id, _looked_up(call)
    found = {image.id: image for image in images.find(owner=project, **named)} if project else {}
    for visibility in ("public", "community"):
        found |= {image.id: image for image in images.find(visibility=visibility, **named)}
    wanted = call.query.get("member_status", "accepted")
    if wanted not in ("accepted", "pending", "rejected", "all"):
        raise BadRequest(f"Invalid status: {wanted}")
    shared = [
        member.image_id
        for member in service.records.members.find(member_id=project)
        if wanted in ("all", member.status)
    ]
    found |= {image.id: image for image in images.find_in("id", shared, visibility="shared")}
    return list(found.values())


def _has_tags(image: Image, tags: Iterable[str]) -> bool:
    return set(tags) <= set(image.tags)


def _fits(row: Json, call: Call) -> bool:
    return all(
        _matches(row, field, wanted) for field, wanted in call.query.items() if field not in _NOT_FILTERS
    )


def _matches(row: Json, field: str, wanted: str) -> bool:
    if field in ("size_min", "size_max"):
        if not wanted.isdecimal():
            raise BadRequest(f"{field} must be a whole number.")
        size = row["size"]
        return size is not None and (size >= int(wanted) if field == "size_min" else size <= int(wanted))
    value = row.get(field)
    written = str(value).lower() if isinstance(value, bool) else str(value)
    if field in ("created_at", "updated_at"):
        comparison, separator, moment = wanted.partition(":")
        if not separator or comparison not in _COMPARED:
            return written == wanted
        return _COMPARED[comparison](written, moment)
    if wanted.startswith("in:"):
        return written in _choices(wanted.removeprefix("in:"))
    return value is not None and written == (wanted.lower() if isinstance(value, bool) else wanted)


def _choices(written: str) -> set[str]:
    """Comma-separated values, which may be quoted."""
    choices, current, quoted = set(), "", False
    for character in written:
        if character == '"':
            quoted = not quoted
        elif character == "," and not quoted:
            choices.add(current)
            current = ""
        else:
            current += character
    return choices | {current}
