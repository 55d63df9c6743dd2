"""The volume service: what its handlers work with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from calor.localcloud.caller import Caller
from calor.localcloud.context import Context
from calor.localcloud.peers import Images
from calor.localcloud.problems import BadRequest, NotFound
from calor.localcloud.volume.records import (
    Backup,
    Group,
    GroupSnapshot,
    Records,
    Snapshot,
    Volume,
    VolumeType,
)
from calor.localcloud.volume.transitions import Transitions

T = TypeVar("T", Volume, Snapshot, Backup, Group, GroupSnapshot)

ZONE = "nova"
DEFAULT_TYPE = "lvmdriver-1"


class VolumeService:
    def __init__(self, context: Context, images: Images) -> None:
        self.context = context
        self.images = images
        self.records = Records(context.store)
        self.transitions = Transitions(context, self.records, images)

    def stamp(self) -> str:
        return f"{self.context.clock():%Y-%m-%dT%H:%M:%S.%f}"

    def visible(self, caller: Caller, kind: str, found: T | None, identifier: str) -> T:
        """The object, if it belongs to the caller's project or the caller is an admin. Raises NotFound."""
        if found is None or not (caller.is_admin or found.project_id == caller.project_id):
            raise NotFound(f"{kind} {identifier[:255]} could not be found.")
        return found

    def volume(self, caller: Caller, volume_id: str) -> Volume:
        return self.visible(caller, "Volume", self.records.volumes.get(volume_id), volume_id)

    def snapshot(self, caller: Caller, snapshot_id: str) -> Snapshot:
        return self.visible(caller, "Snapshot", self.records.snapshots.get(snapshot_id), snapshot_id)

    def backup(self, caller: Caller, backup_id: str) -> Backup:
        return self.visible(caller, "Backup", self.records.backups.get(backup_id), backup_id)

    def save(self, volume: Volume) -> Volume:
        return self.records.volumes.put(replace(volume, updated_at=self.stamp()))

    def may_use(self, caller: Caller, volume_type: VolumeType) -> bool:
        return volume_type.is_public or caller.is_admin or caller.project_id in volume_type.projects

    def type_named(self, caller: Caller, name_or_id: str) -> VolumeType:
        types = self.records.types
        found = types.get(name_or_id) or types.first(name=name_or_id)
        if found is None or not self.may_use(caller, found):
            raise NotFound(f"Volume type with name {name_or_id[:255]} could not be found.")
        return found

    def default_type(self, project_id: str) -> VolumeType:
        chosen = self.records.default_types.get(project_id)
        found = self.records.types.get(chosen.volume_type_id) if chosen else None
        found = found or self.records.types.first(name=DEFAULT_TYPE)
        if found is None:
            raise BadRequest("There is no default volume type.")
        return found

    def file_of(self, volume_id: str) -> Path:
        return self.transitions.volume_file(volume_id)
