"""The simulated backend, which runs nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from calor.localcloud.backend import (
    MetadataHandler,
    NetworkPlan,
    PortPlan,
    RouterPlan,
    ServerPlan,
    Usage,
    VolumePlan,
)


class Simulated:
    """Servers boot at once and never exit. Their state is not stored: after a restart of
    the cloud they boot again."""

    name = "simulated"
    needs_network_plans = False
    external_cidr = "172.24.4.0/24"

    def __init__(self) -> None:
        self._consoles: dict[str, str] = {}

    async def start(self, answer: MetadataHandler, died: Callable[[str], Awaitable[None]]) -> None:
        pass

    async def stop(self) -> None:
        pass

    async def set_network(self, plan: NetworkPlan) -> None:
        pass

    async def drop_network(self, id: str) -> None:
        pass

    async def set_router(self, plan: RouterPlan) -> None:
        pass

    async def drop_router(self, id: str) -> None:
        pass

    async def set_port(self, plan: PortPlan) -> None:
        pass

    async def sweep(self, networks: frozenset[str], routers: frozenset[str], servers: frozenset[str]) -> None:
        self._consoles = {id: text for id, text in self._consoles.items() if id in servers}

    async def running(self) -> frozenset[str]:
        return frozenset(self._consoles)

    async def boot(self, plan: ServerPlan, fresh: bool = False) -> None:
        earlier = "" if fresh else self._consoles.get(plan.id, "")
        self._consoles[plan.id] = f"{earlier}{_boot_log(plan)}"

    async def halt(self, id: str) -> None:
        pass

    async def freeze(self, id: str) -> None:
        pass

    async def thaw(self, id: str) -> None:
        pass

    async def destroy(self, id: str) -> None:
        self._consoles.pop(id, None)

    async def plug(self, server: str, plan: PortPlan) -> None:
        pass

    async def unplug(self, server: str, port: str) -> None:
        pass

    async def attach(self, server: str, volume: VolumePlan) -> None:
        pass

    async def detach(self, server: str, volume: str) -> None:
        pass

    async def drop_volume(self, volume: str) -> None:
        pass

    async def flush(self, volume: str) -> None:
        pass

    async def grow(self, volume: str, file: Path) -> None:
        pass

    async def console(self, id: str) -> str:
        return self._consoles.get(id, "")

    async def usage(self, id: str) -> Usage:
        return Usage()

    async def snapshot(self, id: str, target: Path) -> None:
        target.write_bytes(b"")


def _boot_log(plan: ServerPlan) -> str:
    """Console output like that of a small Linux, with as many lines as clients and tests expect."""
    addresses = [address.address for port in plan.ports for address in port.addresses]
    lines = [
        f"Booting {plan.image_name or 'from a volume'}",
        f"cpu: {plan.vcpus}",
        f"memory: {plan.memory_mb} MiB",
        f"disk: {plan.disk_gb} GiB",
        f"interfaces: {len(plan.ports)}",
        *(f"address: {address}" for address in addresses),
        *(f"volume: {volume.device}" for volume in plan.volumes),
        f"user data: {len(plan.user_data or b'')} bytes, kept and not run",
        f"public keys: {len(plan.public_keys)}",
        f"host name: {plan.host_name}",
        "This server is simulated.",
        "",
        f"{plan.host_name} login: ",
    ]
    return "\n".join(lines)
