"""The machinery itself: what the services of the cloud ask is told to the holder, which does it."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from calor.localcloud.linux.booting import write_boot, write_config_drive
from calor.localcloud.linux.images import Image, Images
from calor.localcloud.linux.link import Link, NoHolder
from calor.localcloud.linux.netlink import Netlink
from calor.localcloud.linux.orders import Orders
from calor.localcloud.linux.ranges import kept_ranges
from calor.localcloud.linux.relays import Published, Relays
from calor.localcloud.linux.roots import root_of
from calor.localcloud.linux.rules import METADATA_ADDRESS, Door
from calor.localcloud.linux.servers import BootOrder
from calor.localcloud.linux.snapshots import Snapshot
from calor.localcloud.linux.speech import PROTOCOL
from calor.localcloud.linux.visitors import serve_door, serve_metadata
from calor.localcloud.linux.volumes import prepare_volume
from calor.localcloud.linux.wiring import Surroundings
from calor.localcloud.machinery import (
    AnswerMetadata,
    MachineryFailed,
    NetworkPlan,
    PortPlan,
    RouterPlan,
    ServerPlan,
    Usage,
    VolumePlan,
)

log = logging.getLogger("calor.localcloud")

Died = Callable[[str], Awaitable[None]]


class Linux:
    """Servers and networks of this machine, in namespaces. What was told is remembered, to be told again should the
    holder be killed."""

    name = "linux"
    wires = True

    def __init__(self, folder: Path, doors: tuple[tuple[str, int], ...] = ()) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._folder = folder
        self._is_root = os.geteuid() == 0
        # Metadata is asked for on port 80, so that there can be no door.
        self._doors = tuple(door for door in doors if door[1] != 80)
        with Netlink() as netlink:
            self._ranges = kept_ranges(folder, netlink.destinations(), self._is_root)
        self._link = Link(folder)
        self._networks: dict[str, NetworkPlan] = {}
        self._routers: dict[str, RouterPlan] = {}
        self._orders = Orders(folder / "servers")
        self._visited: dict[str, list[asyncio.Server]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._images: Images | None = None
        self._relays = None if self._is_root else Relays(self._link, self._published)
        self._answer: AnswerMetadata | None = None
        self._died: Died | None = None

    @property
    def external_cidr(self) -> str:
        return self._ranges.external_cidr

    async def begin(self, answer: AnswerMetadata, died: Died) -> None:
        self._answer, self._died = answer, died
        self._orders.found_running(await self._meet())
        self._keep(self._watch())
        if self._relays is not None:
            self._keep(self._relays.run())

    async def end(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for network in list(self._visited):
            self._turn_away(network)

    def _keep(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _meet(self) -> list[str]:
        """Finds the holder, or starts one; returns the servers that it has."""
        around = Surroundings(
            tuple(Door(address, port) for address, port in self._doors if _is_address(address)),
            self._ranges.external_cidr,
            self._ranges.host_device,
            self._ranges.host_link,
        )
        hello = partial(self._link.ask, "hello", surroundings=around)
        try:
            known = await hello()
            if known["protocol"] != PROTOCOL:
                # It is of another version; its servers have to boot again.
                await self._link.ask("stop")
                raise NoHolder("it was of another version")
        except NoHolder:
            await self._link.start()
            known = await hello()
        self._images = Images(self._folder / "images", known["shifted"], self._unpack)
        return list(known["servers"])

    async def _watch(self) -> None:
        """Hears of servers that end by themselves, and notices if the holder does."""
        while True:
            await self._link.watch(self._heard)
            log.warning("The holder of the servers is gone; they are started again")
            try:
                await self._recover()
            except MachineryFailed as error:
                log.error("Servers cannot be held any more: %s", error)
                await asyncio.sleep(5)

    def _heard(self, message: dict[str, Any]) -> None:
        id = message["died"]
        self._orders.ended(id)
        if self._died is not None:
            self._keep(self._died(id))

    async def _recover(self) -> None:
        await self._meet()
        for id in list(self._visited):
            self._turn_away(id)
        for network in list(self._networks.values()):
            await self.set_network(network)
        for router in list(self._routers.values()):
            await self._link.ask("set_router", plan=router)
        for order in self._orders.running():
            await self._link.ask("boot", order=order)

    async def set_network(self, plan: NetworkPlan) -> None:
        self._networks[plan.id] = plan
        await self._link.ask("set_network", plan=plan)
        if plan.id not in self._visited:
            await self._receive(plan.id)

    async def _receive(self, network_id: str) -> None:
        """Waits for those who come from a network's servers."""
        answer = self._answer
        assert answer is not None
        self._visited[network_id] = []
        ports, files = await self._link.ask_for_files("listeners", id=network_id)
        for port, file in zip(ports, files, strict=True):
            listening = socket.socket(fileno=file)
            listening.setblocking(False)
            if port == 80:
                server = await serve_metadata(listening, network_id, answer)
            else:
                host = next(host for host, door in self._doors if door == port)
                server = await serve_door(listening, host, port)
            self._visited[network_id].append(server)

    def _turn_away(self, network_id: str) -> None:
        for server in self._visited.pop(network_id, []):
            server.close()

    async def drop_network(self, id: str) -> None:
        self._networks.pop(id, None)
        self._turn_away(id)
        await self._link.ask("drop_network", id=id)

    async def set_router(self, plan: RouterPlan) -> None:
        self._routers[plan.id] = plan
        await self._link.ask("set_router", plan=plan)
        self._wake_relays()

    def _wake_relays(self) -> None:
        if self._relays is not None:
            self._relays.wake()

    def _published(self) -> Iterator[Published]:
        for router in self._routers.values():
            if router.gateway is None:
                continue
            networks = [leg.network_id for leg in router.legs]
            for floating, fixed in router.floating:
                port = self._orders.port_at(networks, fixed)
                if port is not None:
                    yield Published(floating, router.gateway.network_id, port)

    async def drop_router(self, id: str) -> None:
        self._routers.pop(id, None)
        await self._link.ask("drop_router", id=id)

    async def set_port(self, plan: PortPlan) -> None:
        self._orders.set_port(plan)
        await self._link.ask("set_port", plan=plan)

    async def sweep(self, networks: frozenset[str], routers: frozenset[str], servers: frozenset[str]) -> None:
        for network in self._networks.keys() - networks:
            self._networks.pop(network)
            self._turn_away(network)
        for router in self._routers.keys() - routers:
            self._routers.pop(router)
        for order in self._orders.all():
            if order.id not in servers:
                self._orders.forget(order.id)
        told = {"networks": networks, "routers": routers, "servers": servers, "folder": self._servers}
        await self._link.ask("sweep", **told)
        if self._images is not None:
            used = (self._orders.get(id) for id in servers)
            self._images.forget(frozenset(order.layers[0] for order in used if order is not None))

    @property
    def _servers(self) -> Path:
        return self._folder / "servers"

    async def running(self) -> frozenset[str]:
        return frozenset(await self._link.ask("running"))

    async def boot(self, plan: ServerPlan, fresh: bool = False) -> None:
        folder = self._servers / plan.id
        if fresh:
            await self.destroy(plan.id)
        image = await self._image(plan)
        names = {host: METADATA_ADDRESS for host, _ in self._doors if not _is_address(host)}
        # User data may take a while to be understood.
        await asyncio.to_thread(write_boot, folder / "boot", plan, image.default_user, names)
        if plan.config_drive is not None:
            write_config_drive(folder / "config", plan.config_drive)
        for volume in plan.volumes:
            await self._prepare(volume)
        order = BootOrder(
            plan.id,
            plan.name,
            plan.host_name,
            folder,
            image.layers,
            image.usr_layers,
            image.has_host_usr,
            folder / "boot",
            None if plan.config_drive is None else folder / "config",
            plan.ports,
            plan.volumes,
            plan.vcpus,
            plan.memory_mb,
            self._root(plan),
        )
        self._orders.set(order)
        await self._link.ask("boot", order=order)
        self._orders.runs(plan.id)
        self._wake_relays()

    def _root(self, plan: ServerPlan) -> Path | None:
        """Of servers that share the volume they boot from, only the first can write to it."""
        if plan.root_volume is None:
            return None
        root = root_of(self._folder / "roots", plan.root_volume)
        others = (order for order in self._orders.running() if order.id != plan.id)
        return None if any(order.root == root for order in others) else root

    async def _image(self, plan: ServerPlan) -> Image:
        assert self._images is not None
        return await self._images.image(plan.image_name, plan.image)

    async def _unpack(self, archive: Path, target: Path) -> None:
        await self._link.ask("unpack", archive=archive, target=target)

    async def halt(self, id: str) -> None:
        self._orders.ended(id)
        await self._link.ask("halt", id=id)

    async def freeze(self, id: str) -> None:
        await self._link.ask("freeze", id=id, frozen=True)

    async def thaw(self, id: str) -> None:
        await self._link.ask("freeze", id=id, frozen=False)

    async def destroy(self, id: str) -> None:
        self._orders.forget(id)
        await self._link.ask("destroy", id=id, folder=self._servers / id)

    async def plug(self, server: str, plan: PortPlan) -> None:
        self._orders.set_port(plan, server)
        if self._orders.is_running(server):
            await self._link.ask("plug", id=server, plan=plan)

    async def unplug(self, server: str, port: str) -> None:
        self._orders.drop_port(server, port)
        if self._orders.is_running(server):
            await self._link.ask("unplug", id=server, port=port)

    async def _prepare(self, volume: VolumePlan) -> None:
        if self._is_root:
            assert self._images is not None
            await asyncio.to_thread(prepare_volume, volume, self._images.owner)

    async def attach(self, server: str, volume: VolumePlan) -> None:
        await self._prepare(volume)
        if self._orders.is_running(server):
            await self._link.ask("attach", id=server, volume=volume)
        self._orders.set_volume(server, volume)

    async def detach(self, server: str, volume: str) -> None:
        self._orders.drop_volume(server, volume)
        if self._orders.is_running(server):
            await self._link.ask("detach", id=server, volume=volume)

    async def drop_volume(self, volume: str) -> None:
        await self._link.ask("drop_volume", volume=volume)

    async def flush(self, volume: str) -> None:
        await self._link.ask("flush", volume=volume)

    async def grow(self, volume: str, file: Path) -> None:
        await self._link.ask("grow", volume=volume, file=file)

    async def console(self, id: str) -> str:
        file = self._servers / id / "console.log"
        return file.read_bytes().decode(errors="replace") if file.exists() else ""

    async def usage(self, id: str) -> Usage:
        return Usage(**await self._link.ask("usage", id=id)) if self._orders.is_running(id) else Usage()

    async def snapshot(self, id: str, target: Path) -> None:
        order = self._orders.get(id)
        if order is None:
            raise MachineryFailed("the server has never run")
        snapshot = Snapshot(order.disk, order.layers, order.usr_layers, order.has_host_usr, target)
        await self._link.ask("snapshot", snapshot=snapshot)


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
