"""Metadata of volumes and snapshots."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from calor.localcloud.policy import readers, writers
from calor.localcloud.problems import BadRequest, NotFound
from calor.localcloud.volume.records import Snapshot, Volume
from calor.localcloud.volume.requests import texts
from calor.localcloud.volume.routes import VolumeRoute
from calor.localcloud.volume.service import VolumeService
from calor.localcloud.web import Call, Reply

T = TypeVar("T", Volume, Snapshot)


@dataclass(frozen=True)
class Metadata(Generic[T]):
    of: Callable[[VolumeService, Call], T]
    """Finds the object of a request."""
    save: Callable[[VolumeService, T], T]

    def get(self, service: VolumeService, call: Call) -> Reply:
        return Reply(body={"metadata": dict(self.of(service, call).metadata)})

    def add(self, service: VolumeService, call: Call) -> Reply:
        owner = self.of(service, call)
        return self._set(service, owner, {**owner.metadata, **call.read_in("metadata", texts)})

    def replace(self, service: VolumeService, call: Call) -> Reply:
        return self._set(service, self.of(service, call), call.read_in("metadata", texts))

    def get_one(self, service: VolumeService, call: Call) -> Reply:
        name = call.path["key"]
        return Reply(body={"meta": {name: self._existing(self.of(service, call), name)}})

    def set_one(self, service: VolumeService, call: Call) -> Reply:
        owner, name = self.of(service, call), call.path["key"]
        given = call.read_in("meta", texts)
        if list(given) != [name]:
            raise BadRequest("Request body and URI mismatch")
        self._set(service, owner, {**owner.metadata, **given})
        return Reply(body={"meta": given})

    def remove_one(self, service: VolumeService, call: Call) -> Reply:
        owner, name = self.of(service, call), call.path["key"]
        self._existing(owner, name)
        self._set(service, owner, {key: value for key, value in owner.metadata.items() if key != name})
        return Reply(200)

    def _set(self, service: VolumeService, owner: T, metadata: Mapping[str, str]) -> Reply:
        kept = self.save(service, replace(owner, metadata=metadata))
        return Reply(body={"metadata": dict(kept.metadata)})

    def _existing(self, owner: T, name: str) -> str:
        if name not in owner.metadata:
            raise NotFound(f"Metadata item {name[:255]} was not found.")
        return owner.metadata[name]

    def routes(self, path: str) -> tuple[VolumeRoute, ...]:
        """`path` is that of the object."""
        every, one = f"{path}/metadata", f"{path}/metadata/{{key}}"
        return (
            VolumeRoute("GET", every, self.get, readers),
            VolumeRoute("POST", every, self.add, writers),
            VolumeRoute("PUT", every, self.replace, writers),
            VolumeRoute("GET", one, self.get_one, readers),
            VolumeRoute("PUT", one, self.set_one, writers),
            VolumeRoute("DELETE", one, self.remove_one, writers),
        )
