"""Lists of the volume service: visibility, filters, sorting and pages."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from calor.localcloud.lists import ListStyle, Sorting, SortKey, by_id, list_body, matches, sort_items
from calor.localcloud.problems import BadRequest, NotFound
from calor.localcloud.requests import truth
from calor.localcloud.store import Collection
from calor.localcloud.types import Json
from calor.localcloud.volume.records import Backup, Snapshot, Volume
from calor.localcloud.volume.routes import microversion
from calor.localcloud.volume.service import VolumeService
from calor.localcloud.web import Call, Reply

T = TypeVar("T", Volume, Snapshot, Backup)

STYLE = ListStyle(
    lambda marker: NotFound(f"marker [{marker}] could not be found."),
    default_limit=1000,
    largest=1000,
    link_after_full_page=True,
    has_offset=True,
)
_SORTING = Sorting(
    (
        "id",
        "status",
        "size",
        "availability_zone",
        "name",
        "display_name",
        "bootable",
        "created_at",
        "volume_id",
        "updated_at",
    ),
    default=(SortKey("created_at", True), SortKey("id", True)),
    has_sort=True,
    aliases={"display_name": "name"},
)


@dataclass(frozen=True)
class Listing(Generic[T]):
    plural: str
    collection: Callable[[VolumeService], Collection[T]]
    filters: Sequence[str]
    show: Callable[[VolumeService, Call, Sequence[T]], list[Json]]
    """How they are shown in a detailed list."""
    brief: Callable[[Call, T], Json]

    def brief_list(self, service: VolumeService, call: Call) -> Reply:
        return self._list(service, call, lambda found: [self.brief(call, each) for each in found])

    def detailed_list(self, service: VolumeService, call: Call) -> Reply:
        return self._list(service, call, lambda found: self.show(service, call, found))

    def _list(self, service: VolumeService, call: Call, show: Callable[[Sequence[T]], list[Json]]) -> Reply:
        filters = self._filters(call)
        found = [each for each in self._found(service, call) if all(_fits(each, *one) for one in filters)]
        ordered = sort_items(found, _SORTING.keys(call), _value)
        page = STYLE.page(call, ordered, by_id)
        body = list_body(self.plural, show(page.items), page.links(call))
        if microversion(call) >= 45 and truth(call.query.get("with_count", "false")):
            body["count"] = len(found)
        return Reply(body=body)

    def _found(self, service: VolumeService, call: Call) -> list[T]:
        """The objects of the project; admins can list all projects."""
        wanted: dict[str, str | bool | None] = {}
        everyone = call.caller.is_admin and truth(call.query.get("all_tenants", "false"))
        if not everyone:
            wanted["project_id"] = call.caller.project_id
        elif "project_id" in call.query:
            wanted["project_id"] = call.query["project_id"]
        if "name" in call.query:
            wanted["name"] = call.query["name"]
        return self.collection(service).find(**wanted)

    def _filters(self, call: Call) -> list[tuple[str, str]]:
        return [
            (name, wanted) for name, wanted in call.query.items() if name.removesuffix("~") in self.filters
        ]


def _value(row: object, name: str) -> object:
    """Snapshots and backups do not have all fields that volumes have."""
    return getattr(row, name, None)


def _fits(row: object, name: str, wanted: str) -> bool:
    """A name with the suffix ~ matches substrings."""
    value = _value(row, name.removesuffix("~"))
    if isinstance(value, dict):
        return value.items() >= _pairs(wanted).items()
    if name.endswith("~") and not isinstance(value, bool):
        return wanted in ("" if value is None else str(value))
    return matches(value, wanted)


def _pairs(written: str) -> dict[str, str]:
    """Metadata in a query, which clients write as Python does."""
    try:
        pairs = ast.literal_eval(written)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        pairs = None
    if not isinstance(pairs, dict):
        raise BadRequest("metadata must be written as an object.")
    return {str(name): str(value) for name, value in pairs.items()}
