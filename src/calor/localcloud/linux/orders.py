"""What servers were last told to be, kept beside their disks: after a restart, the cloud still knows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from calor.localcloud.linux import speech
from calor.localcloud.linux.servers import BootOrder
from calor.localcloud.machinery import PortPlan, VolumePlan


def all_orders(folder: Path) -> Iterator[BootOrder]:
    """Those of all servers below a folder."""
    for file in folder.glob("*/order.json"):
        yield speech.revived(BootOrder, json.loads(file.read_bytes()))


class Orders:
    """Of servers that run, and of those that have run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, BootOrder] = {}
        self._running: set[str] = set()
        self._owners: dict[str, str] = {}
        self._places: dict[tuple[str, str], str] = {}
        """Ports by network and address."""

    def _file(self, id: str) -> Path:
        return self._folder / id / "order.json"

    def found_running(self, ids: list[str]) -> None:
        """Servers that an earlier process has left running."""
        self._running = {id for id in ids if self.get(id) is not None}

    def get(self, id: str) -> BootOrder | None:
        if id not in self._known and self._file(id).exists():
            self._remember(speech.revived(BootOrder, json.loads(self._file(id).read_bytes())))
        return self._known.get(id)

    def _remember(self, order: BootOrder) -> None:
        self._clear_ports(order.id)
        self._known[order.id] = order
        for port in order.ports:
            self._owners[port.id] = order.id
            for one in port.addresses:
                self._places[port.network_id, one.address] = port.id

    def _clear_ports(self, id: str) -> None:
        known = self._known.get(id)
        for port in known.ports if known is not None else ():
            self._owners.pop(port.id, None)
            for one in port.addresses:
                self._places.pop((port.network_id, one.address), None)

    def port_at(self, networks: Iterable[str], address: str) -> str | None:
        """The port of a server that has an address in one of several networks."""
        found = (self._places.get((network, address)) for network in networks)
        return next((port for port in found if port is not None), None)

    def set(self, order: BootOrder) -> None:
        self._remember(order)
        file = self._file(order.id)
        partial = file.with_suffix(".partial")
        partial.write_bytes(speech.encoded(speech.told(order)))
        partial.rename(file)

    def runs(self, id: str) -> None:
        self._running.add(id)

    def is_running(self, id: str) -> bool:
        return id in self._running

    def ended(self, id: str) -> None:
        self._running.discard(id)

    def forget(self, id: str) -> None:
        self._running.discard(id)
        self._clear_ports(id)
        self._known.pop(id, None)

    def all(self) -> list[BootOrder]:
        return list(self._known.values())

    def running(self) -> list[BootOrder]:
        return [order for id in self._running if (order := self.get(id)) is not None]

    def set_port(self, plan: PortPlan, server: str | None = None) -> None:
        order = self.get(server or self._owners.get(plan.id, ""))
        if order is not None:
            ports = {port.id: port for port in order.ports} | {plan.id: plan}
            self.set(replace(order, ports=tuple(ports.values())))

    def drop_port(self, server: str, port_id: str) -> None:
        order = self.get(server)
        if order is not None:
            self.set(replace(order, ports=tuple(one for one in order.ports if one.id != port_id)))

    def set_volume(self, server: str, volume: VolumePlan) -> None:
        order = self.get(server)
        if order is not None:
            others = tuple(one for one in order.volumes if one.id != volume.id)
            self.set(replace(order, volumes=(*others, volume)))

    def drop_volume(self, server: str, volume_id: str) -> None:
        order = self.get(server)
        if order is not None:
            self.set(replace(order, volumes=tuple(one for one in order.volumes if one.id != volume_id)))
