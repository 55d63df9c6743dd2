"""States that are on their way, and how each of them ends.

How a state ends is told by the record alone, so that after a restart everything goes on from where it was.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from calor.localcloud.files import copy_sparse, make_sparse
from calor.localcloud.ground import Ground
from calor.localcloud.machinery import MachineryFailed
from calor.localcloud.neighbours import Images
from calor.localcloud.store import Collection
from calor.localcloud.volume.quotas import give_back
from calor.localcloud.volume.records import Backup, Records, Snapshot, Volume

log = logging.getLogger("calor.localcloud")

_WHILE = 0.02
"""How long the shortest work of a real service seems to take, in seconds."""

T = TypeVar("T", Volume, Snapshot, Backup)

Ending = Callable[[Any], Awaitable[None]]


class Transitions:
    def __init__(self, ground: Ground, records: Records, images: Images) -> None:
        self._ground = ground
        self._records = records
        self._images = images
        self._volume_endings: dict[str, Ending] = {
            "creating": self._created,
            "deleting": self._deleted,
            "extending": self._extended,
            "retyping": self._retyped,
            "uploading": self._uploaded,
            "reverting": self._reverted,
        }
        self._snapshot_endings: dict[str, Ending] = {
            "creating": self._snapshot_created,
            "deleting": self._snapshot_deleted,
        }
        self._backup_endings: dict[str, Ending] = {
            "creating": self._backup_created,
            "deleting": self._backup_deleted,
            "restoring": self._backup_restored,
        }

    def volume_file(self, volume_id: str) -> Path:
        return self._ground.folder / "volumes" / volume_id

    def _snapshot_file(self, snapshot_id: str) -> Path:
        return self._ground.folder / "snapshots" / snapshot_id

    def _backup_file(self, backup_id: str) -> Path:
        return self._ground.folder / "backups" / backup_id

    def resume(self) -> None:
        records = self._records
        for status in self._volume_endings:
            for volume in records.volumes.find(status=status):
                self.of_volume(volume)
        for status in self._snapshot_endings:
            for snapshot in records.snapshots.find(status=status):
                self.of_snapshot(snapshot)
        for status in self._backup_endings:
            for backup in records.backups.find(status=status):
                self.of_backup(backup)

    def of_volume(self, volume: Volume) -> None:
        """Sets going what the state of the volume leads to."""
        self._set_going(self._records.volumes, self._volume_endings, volume)

    def of_snapshot(self, snapshot: Snapshot) -> None:
        self._set_going(self._records.snapshots, self._snapshot_endings, snapshot)

    def of_backup(self, backup: Backup) -> None:
        self._set_going(self._records.backups, self._backup_endings, backup)

    def _set_going(self, collection: Collection[T], endings: Mapping[str, Ending], begun: T) -> None:
        async def end() -> None:
            # It may have been deleted or reset meanwhile; then another ending is under way, or none.
            current = collection.get(begun.id)
            if current is None or current.status != begun.status:
                return
            try:
                await endings[current.status](current)
            except (OSError, MachineryFailed):
                log.exception("What was %s failed: %s", begun.status, begun.id)
                status = "error_deleting" if begun.status == "deleting" else "error"
                collection.put(replace(current, status=status))

        self._ground.life.later(_WHILE, end)

    async def _created(self, volume: Volume) -> None:
        if volume.source_volid:
            await self._ground.machinery.flush(volume.source_volid)
        source = self._source_of(volume)
        if source is not None:
            await self._ground.life.aside(copy_sparse, source, self.volume_file(volume.id))
        make_sparse(self.volume_file(volume.id), volume.size)
        self._settle_volume(volume.id, "available")

    def _source_of(self, volume: Volume) -> Path | None:
        if volume.snapshot_id:
            return self._snapshot_file(volume.snapshot_id)
        if volume.source_volid:
            return self.volume_file(volume.source_volid)
        if backup_id := volume.task.get("backup_id"):
            return self._backup_file(backup_id)
        file = volume.task.get("image_file")
        return Path(file) if file else None

    async def _deleted(self, volume: Volume) -> None:
        records = self._records
        self.volume_file(volume.id).unlink(missing_ok=True)
        # What cannot be removed now is with the next start.
        with suppress(MachineryFailed):
            await self._ground.machinery.drop_volume(volume.id)
        with records.store.transaction():
            records.volumes.remove(volume.id)
            records.attachments.remove_where(volume_id=volume.id)
            records.transfers.remove_where(volume_id=volume.id)
            kind = records.types.get(volume.volume_type_id)
            give_back(records, volume.project_id, kind, volumes=1, gigabytes=volume.size)

    async def _extended(self, volume: Volume) -> None:
        size = int(volume.task["size"])
        file = self.volume_file(volume.id)
        make_sparse(file, size)
        await self._ground.machinery.grow(volume.id, file)
        self._settle_volume(volume.id, str(volume.task["then"]), size=size)

    async def _retyped(self, volume: Volume) -> None:
        self._settle_volume(volume.id, str(volume.task["then"]), volume_type_id=str(volume.task["type_id"]))

    async def _uploaded(self, volume: Volume) -> None:
        copy = self._ground.folder / "volumes" / f"{volume.id}.upload"
        await self._copy_volume(volume.id, copy)
        self._images.fill_image(str(volume.task["image_id"]), copy)
        self._settle_volume(volume.id, str(volume.task["then"]))

    async def _reverted(self, volume: Volume) -> None:
        snapshot = self._records.snapshots.get(str(volume.task["snapshot_id"]))
        await self._replace_data(self._snapshot_file(str(volume.task["snapshot_id"])), volume)
        uploaded = snapshot.uploaded if snapshot is not None else True
        self._settle_volume(volume.id, "available", uploaded=uploaded)

    async def _copy_volume(self, volume_id: str, target: Path) -> None:
        await self._ground.machinery.flush(volume_id)
        await self._ground.life.aside(copy_sparse, self.volume_file(volume_id), target)

    async def _replace_data(self, source: Path, volume: Volume) -> None:
        target = self.volume_file(volume.id)
        target.unlink(missing_ok=True)
        await self._ground.life.aside(copy_sparse, source, target)
        make_sparse(target, volume.size)

    async def _snapshot_created(self, snapshot: Snapshot) -> None:
        await self._copy_volume(snapshot.volume_id, self._snapshot_file(snapshot.id))
        current = self._records.snapshots.get(snapshot.id)
        if current is not None and current.status == "creating":
            self._records.snapshots.put(
                replace(current, status="available", progress="100%", updated_at=self._stamp())
            )

    async def _snapshot_deleted(self, snapshot: Snapshot) -> None:
        records = self._records
        self._snapshot_file(snapshot.id).unlink(missing_ok=True)
        with records.store.transaction():
            records.snapshots.remove(snapshot.id)
            volume = records.volumes.get(snapshot.volume_id)
            kind = records.types.get(volume.volume_type_id) if volume else None
            give_back(records, snapshot.project_id, kind, snapshots=1, gigabytes=snapshot.size)

    async def _backup_created(self, backup: Backup) -> None:
        target = self._backup_file(backup.id)
        if backup.snapshot_id:
            await self._ground.life.aside(copy_sparse, self._snapshot_file(backup.snapshot_id), target)
        else:
            await self._copy_volume(backup.volume_id, target)
        self._settle_backup(backup.id)
        self._settle_volume(backup.volume_id, str(backup.task["then"]), only_from="backing-up")

    async def _backup_deleted(self, backup: Backup) -> None:
        records = self._records
        self._backup_file(backup.id).unlink(missing_ok=True)
        with records.store.transaction():
            records.backups.remove(backup.id)
            give_back(records, backup.project_id, None, backups=1, backup_gigabytes=backup.size)

    async def _backup_restored(self, backup: Backup) -> None:
        volume = self._records.volumes.get(str(backup.task["volume_id"]))
        if volume is not None:
            await self._replace_data(self._backup_file(backup.id), volume)
            # Of an older backup it is not known what it holds.
            self._settle_volume(volume.id, "available", **{"uploaded": None, **backup.origin})
        self._settle_backup(backup.id)

    def _settle_volume(self, volume_id: str, status: str, only_from: str | None = None, **more: Any) -> None:
        volume = self._records.volumes.get(volume_id)
        if volume is not None and only_from in (None, volume.status):
            self._records.volumes.put(
                replace(volume, status=status, task={}, updated_at=self._stamp(), **more)
            )

    def _settle_backup(self, backup_id: str) -> None:
        backup = self._records.backups.get(backup_id)
        if backup is not None:
            self._records.backups.put(replace(backup, status="available", task={}, updated_at=self._stamp()))

    def _stamp(self) -> str:
        return f"{self._ground.clock():%Y-%m-%dT%H:%M:%S.%f}"
