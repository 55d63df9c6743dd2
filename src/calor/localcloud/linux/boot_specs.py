"""The boot specs of servers, stored beside their disks so that they survive a restart of the cloud."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from pathlib import Path

from calor.localcloud.backend import PortPlan, VolumePlan
from calor.localcloud.linux import protocol
from calor.localcloud.linux.servers import BootSpec


def stored_specs(folder: Path) -> Iterator[BootSpec]:
    """The specs of all servers below a folder."""
    for file in folder.glob("*/order.json"):
        yield protocol.decode_as(BootSpec, json.loads(file.read_bytes()))


class BootSpecs:
    """The specs of all servers that have been started, and which of them are running."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, BootSpec] = {}
        self._running: set[str] = set()
        self._owners: dict[str, str] = {}
        self._ports_by_address: dict[tuple[str, str], str] = {}
        """Ids by network and address."""

    def _file(self, id: str) -> Path:
        return self._folder / id / "order.json"

    def set_running(self, ids: list[str]) -> None:
        """Sets which servers are running, after a restart of the cloud."""
        self._running = {id for id in ids if self.get(id) is not None}

    def get(self, id: str) -> BootSpec | None:
        if id not in self._known and self._file(id).exists():
            self._index(protocol.decode_as(BootSpec, json.loads(self._file(id).read_bytes())))
        return self._known.get(id)

    def _index(self, spec: BootSpec) -> None:
        self._clear_ports(spec.id)
        self._known[spec.id] = spec
        for port in spec.ports:
            self._owners[port.id] = spec.id
            for one in port.addresses:
                self._ports_by_address[port.network_id, one.address] = port.id

    def _clear_ports(self, id: str) -> None:
        known = self._known.get(id)
        for port in known.ports if known is not None else ():
            self._owners.pop(port.id, None)
            for one in port.addresses:
                self._ports_by_address.pop((port.network_id, one.address), None)

    def port_at(self, networks: Iterable[str], address: str) -> str | None:
        """The port with an address in one of these networks."""
        found = (self._ports_by_address.get((network, address)) for network in networks)
        return next((port for port in found if port is not None), None)

    def server_at(self, network_id: str, address: str) -> str | None:
        port = self.port_at([network_id], address)
        return None if port is None else self._owners.get(port)

    def set(self, spec: BootSpec) -> None:
        self._index(spec)
        file = self._file(spec.id)
        partial = file.with_suffix(".partial")
        partial.write_bytes(protocol.encode(asdict(spec)))
        partial.rename(file)

    def mark_running(self, id: str) -> None:
        self._running.add(id)

    def is_running(self, id: str) -> bool:
        return id in self._running

    def mark_stopped(self, id: str) -> None:
        self._running.discard(id)

    def forget(self, id: str) -> None:
        self._running.discard(id)
        self._clear_ports(id)
        self._known.pop(id, None)

    def all(self) -> list[BootSpec]:
        return list(self._known.values())

    def running(self) -> list[BootSpec]:
        return [spec for id in self._running if (spec := self.get(id)) is not None]

    def set_port(self, plan: PortPlan, server: str | None = None) -> None:
        spec = self.get(server or self._owners.get(plan.id, ""))
        if spec is not None:
            ports = {port.id: port for port in spec.ports} | {plan.id: plan}
            self.set(replace(spec, ports=tuple(ports.values())))

    def drop_port(self, server: str, port_id: str) -> None:
        spec = self.get(server)
        if spec is not None:
            self.set(replace(spec, ports=tuple(one for one in spec.ports if one.id != port_id)))

    def set_volume(self, server: str, volume: VolumePlan) -> None:
        spec = self.get(server)
        if spec is not None:
            others = tuple(one for one in spec.volumes if one.id != volume.id)
            self.set(replace(spec, volumes=(*others, volume)))

    def drop_volume(self, server: str, volume_id: str) -> None:
        spec = self.get(server)
        if spec is not None:
            self.set(replace(spec, volumes=tuple(one for one in spec.volumes if one.id != volume_id)))
