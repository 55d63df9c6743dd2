"""Transitions of volumes, snapshots and backups.

Each follows from the record alone, so that it can be resumed after a restart.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from calor.localcloud.backend import BackendError
from calor.localcloud.context import Context
from calor.localcloud.files import copy_sparse, make_sparse
from calor.localcloud.peers import Images
from calor.localcloud.store import Collection
from calor.localcloud.volume.quotas import release
from calor.localcloud.volume.records import Backup, Records, Snapshot, Volume, resting_status

log = logging.getLogger("calor.localcloud")

_WHILE = 0.02
"""The minimum duration of a transition in seconds."""

_RESTING = ("available", "in-use", "reserved")

T = TypeVar("T", Volume, Snapshot, Backup)

Ending = Callable[[Any], Awaitable[None]]
Copy = Callable[[Path, Path], None]

_COPY: Copy = partial(copy_sparse, keep_mark=True)
"""The transitions of all objects."""


class Transitions:
    def __init__(self, context: Context, records: Records, images: Images) -> None:
        self._context = context
        self._records = records
        self._images = images
        self._in_long_thread = context.background.in_long_thread
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
        return self._context.folder / "volumes" / volume_id

    def _snapshot_file(self, snapshot_id: str) -> Path:
        return self._context.folder / "snapshots" / snapshot_id

    def _backup_file(self, backup_id: str) -> Path:
        return self._context.folder / "backups" / backup_id

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
        """Starts the transition that the status of the volume implies."""
        self._set_going(self._records.volumes, self._volume_endings, volume)

    def of_snapshot(self, snapshot: Snapshot) -> None:
        self._set_going(self._records.snapshots, self._snapshot_endings, snapshot)

    def of_backup(self, backup: Backup) -> None:
        self._set_going(self._records.backups, self._backup_endings, backup)

    def _set_going(self, collection: Collection[T], endings: Mapping[str, Ending], begun: T) -> None:
        async def end() -> None:
            # It may have been deleted or reset meanwhile, and have another transition or none.
            current = collection.get(begun.id)
            if current is None or current.status != begun.status:
                return
            try:
                await endings[current.status](current)
            except (OSError, BackendError):
                log.exception("Work on an object with the status %s failed: %s", begun.status, begun.id)
                status = "error_deleting" if begun.status == "deleting" else "error"
                collection.put(replace(current, status=status))

        self._context.background.later(_WHILE, end)

    async def _created(self, volume: Volume) -> None:
        if volume.source_volid:
            await self._context.backend.flush(volume.source_volid)
        source = self._source_of(volume)
        if source is not None:
            await self._in_long_thread(volume.project_id, _COPY, source, self.volume_file(volume.id))
        elif image := volume.task.get("image_file"):
            await self._in_long_thread(
                volume.project_id, copy_sparse, Path(image), self.volume_file(volume.id)
            )
        make_sparse(self.volume_file(volume.id), volume.size)
        self._finish_volume(volume.id, "available")

    def _source_of(self, volume: Volume) -> Path | None:
        """The file of its source, if that is a volume, snapshot or backup."""
        if volume.snapshot_id:
            return self._snapshot_file(volume.snapshot_id)
        if volume.source_volid:
            return self.volume_file(volume.source_volid)
        if backup_id := volume.task.get("backup_id"):
            return self._backup_file(backup_id)
        return None

    async def _deleted(self, volume: Volume) -> None:
        records = self._records
        self.volume_file(volume.id).unlink(missing_ok=True)
        # Retried at the next start.
        with suppress(BackendError):
            await self._context.backend.drop_volume(volume.id)
        with records.store.transaction():
            records.volumes.remove(volume.id)
            records.attachments.remove_where(volume_id=volume.id)
            records.transfers.remove_where(volume_id=volume.id)
            kind = records.types.get(volume.volume_type_id)
            release(records, volume.project_id, kind, volumes=1, gigabytes=volume.size)

    async def _extended(self, volume: Volume) -> None:
        size = int(volume.task["size"])
        file = self.volume_file(volume.id)
        make_sparse(file, size)
        await self._context.backend.grow(volume.id, file)
        self._finish_volume(volume.id, str(volume.task["then"]), size=size)

    async def _retyped(self, volume: Volume) -> None:
        self._finish_volume(volume.id, str(volume.task["then"]), volume_type_id=str(volume.task["type_id"]))

    async def _uploaded(self, volume: Volume) -> None:
        copy = self._context.folder / "volumes" / f"{volume.id}.upload"
        await self._copy_volume(volume.project_id, volume.id, copy, copy_sparse)
        self._images.upload_image(str(volume.task["image_id"]), copy)
        self._finish_volume(volume.id, str(volume.task["then"]))

    async def _reverted(self, volume: Volume) -> None:
        await self._replace_data(self._snapshot_file(str(volume.task["snapshot_id"])), volume)
        self._finish_volume(volume.id, "available")

    async def _copy_volume(self, project_id: str, volume_id: str, target: Path, copy: Copy = _COPY) -> None:
        await self._context.backend.flush(volume_id)
        await self._in_long_thread(project_id, copy, self.volume_file(volume_id), target)

    async def _replace_data(self, source: Path, volume: Volume) -> None:
        target = self.volume_file(volume.id)
        await self._in_long_thread(volume.project_id, _COPY, source, target)
        make_sparse(target, volume.size)

    async def _snapshot_created(self, snapshot: Snapshot) -> None:
        await self._copy_volume(snapshot.project_id, snapshot.volume_id, self._snapshot_file(snapshot.id))
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
            release(records, snapshot.project_id, kind, snapshots=1, gigabytes=snapshot.size)

    async def _backup_created(self, backup: Backup) -> None:
        target = self._backup_file(backup.id)
        if backup.snapshot_id:
            await self._in_long_thread(
                backup.project_id, _COPY, self._snapshot_file(backup.snapshot_id), target
            )
        else:
            await self._copy_volume(backup.project_id, backup.volume_id, target)
        self._finish_backup(backup.id)
        self._finish_volume(backup.volume_id, str(backup.task["then"]), only_from="backing-up")

    async def _backup_deleted(self, backup: Backup) -> None:
        records = self._records
        self._backup_file(backup.id).unlink(missing_ok=True)
        with records.store.transaction():
            records.backups.remove(backup.id)
            release(records, backup.project_id, None, backups=1, backup_gigabytes=backup.size)

    async def _backup_restored(self, backup: Backup) -> None:
        volume = self._records.volumes.get(str(backup.task["volume_id"]))
        if volume is not None:
            await self._replace_data(self._backup_file(backup.id), volume)
            self._finish_volume(volume.id, "available", **backup.origin)
        self._finish_backup(backup.id)

    def _finish_volume(self, volume_id: str, status: str, only_from: str | None = None, **more: Any) -> None:
        volume = self._records.volumes.get(volume_id)
        if status in _RESTING:
            # It may have been detached meanwhile.
            status = resting_status(self._records, volume_id)
        if volume is not None and only_from in (None, volume.status):
            self._records.volumes.put(
                replace(volume, status=status, task={}, updated_at=self._stamp(), **more)
            )

    def _finish_backup(self, backup_id: str) -> None:
        backup = self._records.backups.get(backup_id)
        if backup is not None:
            self._records.backups.put(replace(backup, status="available", task={}, updated_at=self._stamp()))

    def _stamp(self) -> str:
        return f"{self._context.clock():%Y-%m-%dT%H:%M:%S.%f}"
