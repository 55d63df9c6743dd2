"""Lists of the volume service: whose they are, filtered, sorted, page by page."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from calor.localcloud.lists import Shown
from calor.localcloud.ordering import SortKey, ordered, sort_keys
from calor.localcloud.problems import BadRequest
from calor.localcloud.reading import truth
from calor.localcloud.store import Collection
from calor.localcloud.volume.paging import page_of, paged
from calor.localcloud.volume.records import Backup, Snapshot, Volume
from calor.localcloud.volume.routing import microversion
from calor.localcloud.volume.state import VolumeService
from calor.localcloud.web import Call, Reply

T = TypeVar("T", Volume, Snapshot, Backup)

_SORTABLE = (
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
)
_SORTED_AS = {"display_name": "name"}
_NEWEST_FIRST = (SortKey("created_at", True), SortKey("id", True))


@dataclass(frozen=True)
class Listing(Generic[T]):
    plural: str
    collection: Callable[[VolumeService], Collection[T]]
    filters: Sequence[str]
    show: Callable[[VolumeService, Call, Sequence[T]], list[Shown]]
    """How they are shown in a detailed list."""
    brief: Callable[[Call, T], Shown]

    def brief_list(self, service: VolumeService, call: Call) -> Reply:
        return self._list(service, call, lambda found: [self.brief(call, each) for each in found])

    def detailed_list(self, service: VolumeService, call: Call) -> Reply:
        return self._list(service, call, lambda found: self.show(service, call, found))

    def _list(self, service: VolumeService, call: Call, show: Callable[[Sequence[T]], list[Shown]]) -> Reply:
        found = {each.id: each for each in self._found(service, call)}
        rows = [{**vars(each), "bootable": getattr(each, "bootable", None)} for each in found.values()]
        matching = [row for row in rows if all(_fits(row, *each) for each in self._conditions(call))]
        keys = sort_keys(call, _SORTABLE, _NEWEST_FIRST)
        arranged = ordered(
            matching, [replace(key, field=_SORTED_AS.get(key.field, key.field)) for key in keys]
        )
        page, links = page_of(call, arranged, lambda row: str(row["id"]))
        body = paged(self.plural, show([found[str(row["id"])] for row in page]), links)
        if microversion(call) >= 45 and truth(call.query.get("with_count", "false")):
            body["count"] = len(matching)
        return Reply(body=body)

    def _found(self, service: VolumeService, call: Call) -> list[T]:
        """Those of the project; of all for an admin who asks for that."""
        wanted: dict[str, str | bool | None] = {}
        everyone = call.caller.is_admin and truth(call.query.get("all_tenants", "false"))
        if not everyone:
            wanted["project_id"] = call.caller.project_id
        elif "project_id" in call.query:
            wanted["project_id"] = call.query["project_id"]
        if "name" in call.query:
            wanted["name"] = call.query["name"]
        return self.collection(service).find(**wanted)

    def _conditions(self, call: Call) -> list[tuple[str, str]]:
        return [
            (name, wanted) for name, wanted in call.query.items() if name.removesuffix("~") in self.filters
        ]


def _fits(row: Shown, name: str, wanted: str) -> bool:
    value = row.get(name.removesuffix("~"))
    if isinstance(value, dict):
        return value.items() >= _pairs(wanted).items()
    if isinstance(value, bool):
        return value == truth(wanted)
    written = "" if value is None else str(value)
    return wanted in written if name.endswith("~") else written == wanted


def _pairs(written: str) -> dict[str, str]:
    """Metadata in a query, which clients write as Python does."""
    try:
        pairs = ast.literal_eval(written)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        pairs = None
    if not isinstance(pairs, dict):
        raise BadRequest("metadata must be written as an object.")
    return {str(name): str(value) for name, value in pairs.items()}
