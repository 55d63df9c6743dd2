"""The Linux backend: sends requests to the holder, which runs networks and servers."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from calor.localcloud.backend import (
    BackendError,
    MetadataHandler,
    NetworkPlan,
    PortPlan,
    RouterPlan,
    ServerPlan,
    Usage,
    VolumePlan,
)
from calor.localcloud.background import LONG_AT_ONCE
from calor.localcloud.config import HostService
from calor.localcloud.linux.boot_specs import BootSpecs
from calor.localcloud.linux.booting import write_boot, write_config_drive
from calor.localcloud.linux.guest_connections import forward_connections, serve_metadata
from calor.localcloud.linux.guest_limits import GuestLimits
from calor.localcloud.linux.host_services import assign_relays, host_names
from calor.localcloud.linux.images import Image, Images
from calor.localcloud.linux.link import Link, NoHolder
from calor.localcloud.linux.netlink import Netlink
from calor.localcloud.linux.protocol import VERSION
from calor.localcloud.linux.ranges import load_ranges
from calor.localcloud.linux.relays import Published, Relays
from calor.localcloud.linux.roots import root_of
from calor.localcloud.linux.rules import METADATA_ADDRESS
from calor.localcloud.linux.servers import BootSpec
from calor.localcloud.linux.snapshots import Snapshot
from calor.localcloud.linux.user_data import UserDataReader
from calor.localcloud.linux.volumes import prepare_volume
from calor.localcloud.linux.wiring import HostSettings
from calor.localcloud.slots import Slots
from calor.localcloud.types import Json

log = logging.getLogger("calor.localcloud")

OnServerExit = Callable[[str], Awaitable[None]]


class Linux:
    """Runs servers and networks in namespaces of this machine. Plans are kept, to restore everything if the holder is
    killed."""

    name = "linux"
    needs_network_plans = True

    def __init__(self, folder: Path, host_services: tuple[HostService, ...] = ()) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._folder = folder
        self._is_root = os.geteuid() == 0
        self._host_services = assign_relays(host_services)
        with Netlink() as netlink:
            self._ranges = load_ranges(folder, netlink.destinations(), self._is_root)
        self._link = Link(folder)
        self._networks: dict[str, NetworkPlan] = {}
        self._routers: dict[str, RouterPlan] = {}
        self._specs = BootSpecs(folder / "servers")
        self._guest_limits = GuestLimits(self._specs.server_at)
        self._snapshots = Slots(LONG_AT_ONCE)
        self._prepared = Slots(LONG_AT_ONCE)
        self._user_data = UserDataReader()
        self._preparing = ThreadPoolExecutor(LONG_AT_ONCE, "volumes")
        self._guest_servers: dict[str, list[asyncio.Server]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._images: Images | None = None
        self._relays = None if self._is_root else Relays(self._link, self._published)
        self._answer: MetadataHandler | None = None
        self._on_exit: OnServerExit | None = None

    @property
    def external_cidr(self) -> str:
        return self._ranges.external_cidr

    async def start(self, answer: MetadataHandler, on_exit: OnServerExit) -> None:
        self._answer, self._on_exit = answer, on_exit
        self._specs.set_running(await self._connect())
        self._spawn(self._watch())
        if self._relays is not None:
            self._spawn(self._relays.run())

    async def stop(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for network in list(self._guest_servers):
            self._stop_serving(network)
        self._user_data.close()
        self._preparing.shutdown(wait=False, cancel_futures=True)

    def _spawn(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _connect(self) -> list[str]:
        """Connects to the holder, and starts one if needed. Returns the ids of running servers."""
        settings = HostSettings(
            tuple(self._host_services),
            self._ranges.external_cidr,
            self._ranges.host_device,
            self._ranges.host_link,
        )
        hello = partial(self._link.ask, "hello", settings=settings)
        try:
            if not await self._is_compatible():
                # Its servers have to boot again.
                await self._link.ask("stop")
                raise NoHolder("the holder has another version")
        except NoHolder:
            await self._link.start()
        known = await hello()
        self._images = Images(self._folder / "images", known["shifted"], self._unpack)
        return list(known["servers"])

    async def _is_compatible(self) -> bool:
        """Raises NoHolder if no holder is running."""
        try:
            return bool(await self._link.ask("version") == VERSION)
        except NoHolder:
            raise
        except BackendError:
            # Before version 5, holders did not know this request.
            return False

    async def _watch(self) -> None:
        """Handles servers that exit by themselves, and restarts the holder if it dies."""
        while True:
            await self._link.watch(self._on_message)
            log.warning("The holder process has died; all servers are started again")
            try:
                await self._recover()
            except BackendError as error:
                log.error("Cannot restart the holder process: %s", error)
                await asyncio.sleep(5)

    def _on_message(self, message: Json) -> None:
        id = message["died"]
        self._specs.mark_stopped(id)
        if self._on_exit is not None:
            self._spawn(self._on_exit(id))

    async def _recover(self) -> None:
        await self._connect()
        for id in list(self._guest_servers):
            self._stop_serving(id)
        for network in list(self._networks.values()):
            await self._restore(f"network {network.id}", self.set_network(network))
        for router in list(self._routers.values()):
            await self._restore(f"router {router.id}", self._link.ask("set_router", plan=router))
        for spec in self._specs.running():
            if not await self._restore(f"server {spec.id}", self._link.ask("boot", spec=spec)):
                self._on_message({"died": spec.id})

    async def _restore(self, what: str, work: Awaitable[object]) -> bool:
        """Whether it succeeded: one impossible plan must not keep all others from being restored."""
        try:
            await work
        except NoHolder:
            raise
        except BackendError as error:
            log.error("Cannot restore %s: %s", what, error)
            return False
        return True

    async def set_network(self, plan: NetworkPlan) -> None:
        self._networks[plan.id] = plan
        await self._link.ask("set_network", plan=plan)
        if plan.id not in self._guest_servers:
            await self._serve_guests(plan.id)

    async def _serve_guests(self, network_id: str) -> None:
        """Accepts connections from the servers of a network."""
        answer = self._answer
        assert answer is not None
        self._guest_servers[network_id] = []
        host_services = {
            (service.relay, service.port): target for service, target in self._host_services.items()
        }
        places, files = await self._link.ask_for_files("listeners", id=network_id)
        for (address, port), file in zip(places, files, strict=True):
            listening = socket.socket(fileno=file)
            listening.setblocking(False)
            if address == METADATA_ADDRESS:
                server = await serve_metadata(listening, network_id, answer, self._guest_limits)
            else:
                service = host_services[address, port]
                server = await forward_connections(listening, network_id, service, self._guest_limits)
            self._guest_servers[network_id].append(server)

    def _stop_serving(self, network_id: str) -> None:
        for server in self._guest_servers.pop(network_id, []):
            server.close()

    async def drop_network(self, id: str) -> None:
        self._networks.pop(id, None)
        self._stop_serving(id)
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
                port = self._specs.port_at(networks, fixed)
                if port is not None:
                    yield Published(floating, router.gateway.network_id, port)

    async def drop_router(self, id: str) -> None:
        self._routers.pop(id, None)
        await self._link.ask("drop_router", id=id)

    async def set_port(self, plan: PortPlan) -> None:
        self._specs.set_port(plan)
        await self._link.ask("set_port", plan=plan)

    async def sweep(self, networks: frozenset[str], routers: frozenset[str], servers: frozenset[str]) -> None:
        for network in self._networks.keys() - networks:
            self._networks.pop(network)
            self._stop_serving(network)
        for router in self._routers.keys() - routers:
            self._routers.pop(router)
        for spec in self._specs.all():
            if spec.id not in servers:
                self._specs.forget(spec.id)
        details = {"networks": networks, "routers": routers, "servers": servers, "folder": self._servers}
        await self._link.ask("sweep", **details)
        if self._images is not None:
            used = (self._specs.get(id) for id in servers)
            self._images.remove_orphaned(frozenset(spec.layers[0] for spec in used if spec is not None))

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
        names = host_names(self._host_services)
        user_data = await self._user_data.parse(plan.user_data or b"")
        await asyncio.to_thread(write_boot, folder / "boot", plan, user_data, image.default_user, names)
        if plan.config_drive is not None:
            write_config_drive(folder / "config", plan.config_drive)
        for volume in plan.volumes:
            await self._prepare(volume, plan.project)
        spec = BootSpec(
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
            plan.project,
        )
        self._specs.set(spec)
        await self._link.ask("boot", spec=spec)
        self._specs.mark_running(plan.id)
        self._wake_relays()

    def _root(self, plan: ServerPlan) -> Path | None:
        """The disk kept with the volume it boots from, unless another running server uses it."""
        if plan.root_volume is None:
            return None
        root = root_of(self._folder / "roots", plan.root_volume)
        others = (spec for spec in self._specs.running() if spec.id != plan.id)
        return None if any(spec.root == root for spec in others) else root

    async def _image(self, plan: ServerPlan) -> Image:
        assert self._images is not None
        return await self._images.image(plan.image_name, plan.image, plan.project)

    async def _unpack(self, archive: Path, target: Path) -> None:
        await self._link.ask("unpack", archive=archive, target=target)

    async def halt(self, id: str) -> None:
        self._specs.mark_stopped(id)
        await self._link.ask("halt", id=id)

    async def freeze(self, id: str) -> None:
        await self._link.ask("freeze", id=id, frozen=True)

    async def thaw(self, id: str) -> None:
        await self._link.ask("freeze", id=id, frozen=False)

    async def destroy(self, id: str) -> None:
        self._specs.forget(id)
        await self._link.ask("destroy", id=id, folder=self._servers / id)

    async def plug(self, server: str, plan: PortPlan) -> None:
        self._specs.set_port(plan, server)
        if self._specs.is_running(server):
            await self._link.ask("plug", id=server, plan=plan)

    async def unplug(self, server: str, port: str) -> None:
        self._specs.drop_port(server, port)
        if self._specs.is_running(server):
            await self._link.ask("unplug", id=server, port=port)

    async def _prepare(self, volume: VolumePlan, project: str) -> None:
        assert self._images is not None
        # Without root, volumes are folders.
        if self._images.owner:
            # Programs that look over a large file system take long: nothing else waits for them.
            async with self._prepared.of(project):
                loop = asyncio.get_running_loop()
                await loop.run_in_executor(self._preparing, prepare_volume, volume, self._images.owner)

    async def attach(self, server: str, volume: VolumePlan) -> None:
        spec = self._specs.get(server)
        await self._prepare(volume, "" if spec is None else spec.project)
        if self._specs.is_running(server):
            await self._link.ask("attach", id=server, volume=volume)
        self._specs.set_volume(server, volume)

    async def detach(self, server: str, volume: str) -> None:
        self._specs.drop_volume(server, volume)
        if self._specs.is_running(server):
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
        return Usage(**await self._link.ask("usage", id=id)) if self._specs.is_running(id) else Usage()

    async def snapshot(self, id: str, target: Path) -> None:
        spec = self._specs.get(id)
        if spec is None:
            raise BackendError("the server has never been started")
        snapshot = Snapshot(spec.disk, spec.layers, spec.usr_layers, spec.has_host_usr, target)
        async with self._snapshots.of(spec.project):
            await self._link.ask("snapshot", snapshot=snapshot)
