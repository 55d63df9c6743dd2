"""The volumes of a server: mounted below /mnt, with a device, and wherever else the server asks for them."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from calor.localcloud.backend import BackendError, VolumePlan
from calor.localcloud.linux import syscalls
from calor.localcloud.linux.confinement import Ids
from calor.localcloud.linux.devices import Device
from calor.localcloud.linux.ext4 import file_system_uuid
from calor.localcloud.linux.mount_requests import KnownVolume, MountRequest, MountRequests
from calor.localcloud.linux.volumes import (
    VOLUMES_AT,
    Volumes,
    attach_mount,
    detach_mount,
    device_name,
    hide_device,
    mount_at,
    mount_name,
    show_device,
)

log = logging.getLogger("calor.localcloud.linux")

_MOST_MOUNTS = 16
"""How many further mounts a server may have: they take memory of the kernel."""


@dataclass(frozen=True)
class Attached:
    volume: VolumePlan
    tree: int
    """A descriptor of its mount in the server, which stays valid when the server renames the folders above it."""
    device: Device | None
    """None for a device without a usual name."""

    @property
    def place(self) -> str:
        return f"{VOLUMES_AT}/{mount_name(self.volume)}"


@dataclass(frozen=True)
class FurtherMount:
    volume_id: str
    device: str
    place: str
    tree: int


class Attachments:
    def __init__(self, volumes: Volumes, server: str, ids: Ids, folder: Path) -> None:
        self._volumes = volumes
        self._server = server
        self._ids = ids
        self._attached: dict[str, Attached] = {}
        self._further: list[FurtherMount] = []
        self.requests = MountRequests(folder, ids)

    def __iter__(self) -> Iterator[Attached]:
        return iter(self._attached.values())

    def open(self, volume: VolumePlan) -> Attached:
        """Opens a volume, which is to be mounted by the process that starts the server."""
        folder = self._volumes.open(volume, self._server)
        try:
            tree = syscalls.open_tree(str(folder))
            try:
                name = device_name(volume)
                device = None if name is None else self._volumes.nodes.device(name, volume.id)
            except OSError:
                os.close(tree)
                raise
        except OSError:
            self._volumes.close(volume.id, self._server)
            raise
        opened = Attached(volume, tree, device)
        self._attached[volume.id] = opened
        self._list()
        return opened

    def _list(self) -> None:
        """Without the lists, for example when the disk of the host is full, volumes still work."""
        known = (_known(one.device, one.volume.file) for one in self if one.device is not None)
        try:
            self.requests.list_volumes([one for one in known if one is not None])
            self.requests.list_mounts((one.device, one.place) for one in self._further)
        except OSError as error:
            log.warning("server %s does not know its volumes: %s", self._server, error)

    def attach(self, volume: VolumePlan, process: int) -> None:
        """Attaches a volume to the running server whose first process this is."""
        if volume.id in self._attached:
            return
        opened = self.open(volume)
        try:
            attach_mount(opened.tree, process, mount_name(volume), self._ids)
            if opened.device is not None:
                show_device(opened.device, process, self._ids)
        except BackendError:
            with suppress(BackendError):
                detach_mount(opened.tree, process)
            self._close(volume.id)
            raise

    def detach(self, volume_id: str, process: int) -> None:
        opened = self._attached.get(volume_id)
        if opened is None:
            return
        for one in [one for one in self._further if one.volume_id == volume_id]:
            self._unmount(one, process)
        if opened.device is not None:
            hide_device(opened.device, process)
        detach_mount(opened.tree, process)
        self._close(volume_id)

    def _close(self, volume_id: str) -> None:
        closed = self._attached.pop(volume_id)
        os.close(closed.tree)
        if closed.device is not None:
            os.close(closed.device.tree)
        self._volumes.close(volume_id, self._server)
        self._list()

    def answer_request(self, process: int) -> None:
        """Handles one request of the server."""
        request = self.requests.next_request()
        if request is None:
            return
        problem = None
        try:
            self._do(request, process)
        except (BackendError, OSError) as error:
            problem = str(error)
        # The disk of the host may be full.
        with suppress(OSError):
            self.requests.answer(request, problem)

    def _do(self, request: MountRequest, process: int) -> None:
        match request.action, request.words:
            case "mount", (name, place):
                self._mount(name, place, process)
            case "umount", words:
                self._unmount(self._further_mount(" ".join(words)), process)
            case _:
                raise BackendError("the request is not understood")
        self._list()

    def _mount(self, name: str, place: str, process: int) -> None:
        found = next((one for one in self if one.device is not None and one.device.name == name), None)
        if found is None:
            raise BackendError("the volume is not attached")
        if len(self._further) >= _MOST_MOUNTS:
            raise BackendError(f"this server has {_MOST_MOUNTS} mounts already, and cannot have more")
        tree = syscalls.open_tree(str(self._volumes.place(found.volume.id)))
        try:
            mount_at(tree, process, place)
        except BackendError:
            os.close(tree)
            raise
        self._further.append(FurtherMount(found.volume.id, name, place, tree))

    def _further_mount(self, device_or_place: str) -> FurtherMount:
        """The latest one of a device or at a place."""
        for one in reversed(self._further):
            if device_or_place in (one.device, one.place):
                return one
        raise BackendError("it is not mounted")

    def _unmount(self, mounted: FurtherMount, process: int) -> None:
        detach_mount(mounted.tree, process)
        os.close(mounted.tree)
        self._further.remove(mounted)

    def close(self) -> None:
        """When the server has ended, and its mounts with it."""
        for one in self._further:
            os.close(one.tree)
        self._further.clear()
        for volume_id in list(self._attached):
            self._close(volume_id)
        self.requests.close()
