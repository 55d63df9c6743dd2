"""Lists of images: whose they are, filtered, sorted, page by page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from urllib.parse import urlencode

from calor.localcloud.image.attributes import VISIBILITIES
from calor.localcloud.image.records import Image
from calor.localcloud.image.state import ImageService
from calor.localcloud.image.views import show_image
from calor.localcloud.lists import Shown
from calor.localcloud.ordering import SortKey, after_marker, ordered, sort_keys
from calor.localcloud.problems import BadRequest
from calor.localcloud.web import Call, Reply

_PAGE, _LARGEST_PAGE = 25, 1000
_SORTABLE = (
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
)
_NEWEST_FIRST = (SortKey("created_at", True), SortKey("id", True))
_OF_THE_LIST = frozenset(
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
    limit = _limit(call)
    keys = sort_keys(call, _SORTABLE, _NEWEST_FIRST)
    # Seconds are shown, but images are in the order in which they were really made.
    rows = [
        {**show_image(image), "_made": image.created_at}
        for image in _visible(service, call)
        if _has_tags(image, call.all("tag"))
    ]
    matching = [row for row in rows if _fits(row, call)]
    exact = [SortKey("_made", key.descending) if key.field == "created_at" else key for key in keys]
    items = after_marker(ordered(matching, exact), call.query.get("marker"), lambda row: str(row["id"]))
    if items is None:
        raise BadRequest(f"Invalid marker: image {call.query['marker'][:255]} could not be found.")
    page = [{name: value for name, value in row.items() if name != "_made"} for row in items[:limit]]
    body = {"images": page, "schema": "/v2/schemas/images", "first": _link(call, None)}
    if len(items) > limit and page:
        body["next"] = _link(call, str(page[-1]["id"]))
    return Reply(body=body)


def _visible(service: ImageService, call: Call) -> Iterable[Image]:
    """Those the caller may see. Community images are there only for who asks for them, or for a project's own."""
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
    """What the store looks up instead of reading everything: most who list want one name."""
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


def _fits(row: Shown, call: Call) -> bool:
    return all(
        _matches(row, field, wanted) for field, wanted in call.query.items() if field not in _OF_THE_LIST
    )


def _matches(row: Shown, field: str, wanted: str) -> bool:
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
    """Values with commas between them; one that has a comma itself is in quotes."""
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


def _limit(call: Call) -> int:
    written = call.query.get("limit", str(_PAGE))
    if not written.isdecimal() or len(written) > 9:
        raise BadRequest("limit must be a whole number that is not negative.")
    return min(int(written), _LARGEST_PAGE)


def _link(call: Call, marker: str | None) -> str:
    parameters = [(name, value) for name, value in call.parameters if name != "marker"]
    if marker is not None:
        parameters.append(("marker", marker))
    return f"/v2/images?{urlencode(parameters)}" if parameters else "/v2/images"
