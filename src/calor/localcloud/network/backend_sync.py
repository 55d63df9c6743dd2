"""Sends plans of changed objects to the backend: in the background, in order, repeated changes only once.

Plans are complete, and created from the store when they are sent: superfluous ones do no harm.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from typing import Literal

from calor.localcloud.context import Context
from calor.localcloud.network.plans import Planner
from calor.localcloud.network.records import Records

log = logging.getLogger("calor.localcloud")

GATHERING_SECONDS = 0.1

What = Literal["network", "router", "port", "group", "members", "ports on"]


class BackendSync:
    def __init__(self, context: Context, records: Records) -> None:
        self._context = context
        self._records = records
        self._queue: dict[tuple[What, str], int] = {}
        """Pending changes with increasing numbers."""
        self._last_number = 0
        self._working = False
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []
        self._changed_groups: set[str] = set()
        """Security groups with changed members."""

    def network(self, id: str) -> None:
        self._add("network", id)

    def router(self, id: str) -> None:
        self._add("router", id)

    def port(self, id: str) -> None:
        self._add("port", id)

    def ports_on(self, network_id: str) -> None:
        self._add("ports on", network_id)

    def group(self, id: str) -> None:
        """The rules of a security group have changed."""
        self._add("group", id)

    def members_of(self, group_id: str) -> None:
        """Members of a security group, or their addresses, have changed, which affects ports with rules that refer to
        the group. Sent a moment later, so that many changes are sent as one."""
        if not self._changed_groups:
            self._context.background.later(GATHERING_SECONDS, self._add_member_changes)
        self._changed_groups.add(group_id)

    def _add_member_changes(self) -> None:
        groups, self._changed_groups = self._changed_groups, set()
        for group_id in groups:
            self._add("members", group_id)

    def sync_all(self) -> None:
        """Sends all plans, after a start."""
        for network in self._records.networks.find():
            self.network(network.id)
        for router in self._records.routers.find():
            self.router(router.id)
        for network in self._records.networks.find():
            self.ports_on(network.id)

    async def wait_until_synced(self) -> None:
        """Returns when all present changes are sent."""
        if self._queue or self._working:
            done = asyncio.get_running_loop().create_future()
            self._waiting.append((self._last_number, done))
            await done

    def _add(self, what: What, id: str) -> None:
        if (what, id) in self._queue or not self._context.backend.needs_network_plans:
            return
        self._last_number += 1
        self._queue[what, id] = self._last_number
        if not self._working:
            self._working = True
            self._context.background.later(0, self._work)

    async def _work(self) -> None:
        try:
            while self._queue:
                await self._send_batch()
        finally:
            self._working = False

    async def _send_batch(self) -> None:
        batch, self._queue = self._queue, {}
        last = self._last_number
        planner = Planner(self._records)
        ports: dict[str, None] = {}
        for what, id in batch:
            if what in ("network", "router"):
                await self._send(planner, what, id)
            else:
                ports.update(dict.fromkeys(_affected_ports(planner, what, id)))
        for port_id in ports:
            await self._send(planner, "port", port_id)
        for number, done in self._waiting:
            if number <= last and not done.done():
                done.set_result(None)
        self._waiting = [each for each in self._waiting if each[0] > last]

    async def _send(self, planner: Planner, what: What, id: str) -> None:
        backend = self._context.backend
        try:
            if what == "network":
                network = planner.network(id)
                await (backend.set_network(network) if network else backend.drop_network(id))
            elif what == "router":
                router = planner.router(id)
                await (backend.set_router(router) if router else backend.drop_router(id))
            elif port := planner.server_port(id):
                await backend.set_port(port)
        except Exception:
            # Waiting tasks must not hang, and other plans may be fine.
            log.exception("The backend failed to apply the plan of %s %s", what, id)
        # Yield to requests, even if the backend does not.
        await asyncio.sleep(0)


def _affected_ports(planner: Planner, what: What, id: str) -> Iterable[str]:
    if what == "ports on":
        return planner.server_ports_on(id)
    if what == "group":
        return planner.members(id)
    if what == "members":
        return planner.ports_referring_to(id)
    return (id,)
