"""Tells the machinery what has changed: in the background, in order, each object once however often it changed.

Plans are made of what is stored at the moment they are told, and are whole: so it does not matter if something is told
that has not changed after all.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from typing import Literal

from calor.localcloud.ground import Ground
from calor.localcloud.network.plans import Planner
from calor.localcloud.network.records import Records

log = logging.getLogger("calor.localcloud")

GATHERING_SECONDS = 0.1

What = Literal["network", "router", "port", "group", "members", "ports on"]


class Wiring:
    def __init__(self, ground: Ground, records: Records) -> None:
        self._ground = ground
        self._records = records
        self._queue: dict[tuple[What, str], int] = {}
        """What is still to be told, each with a number that grows."""
        self._asked = 0
        self._working = False
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []
        self._joined: set[str] = set()
        """The groups with new members that are still to be told."""

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
        """Ports have joined a security group, left it or changed their addresses: it matters to the ports whose rules
        name the group. They are told a moment later, so that many who join at once are one change for each."""
        if not self._joined:
            self._ground.life.later(GATHERING_SECONDS, self._tell_of_members)
        self._joined.add(group_id)

    def _tell_of_members(self) -> None:
        groups, self._joined = self._joined, set()
        for group_id in groups:
            self._add("members", group_id)

    def everything(self) -> None:
        """After a start."""
        for network in self._records.networks.find():
            self.network(network.id)
        for router in self._records.routers.find():
            self.router(router.id)
        for network in self._records.networks.find():
            self.ports_on(network.id)

    async def wired(self) -> None:
        """Returns when all that was added until now is told."""
        if self._queue or self._working:
            done = asyncio.get_running_loop().create_future()
            self._waiting.append((self._asked, done))
            await done

    def _add(self, what: What, id: str) -> None:
        if (what, id) in self._queue or not self._ground.machinery.wires:
            return
        self._asked += 1
        self._queue[what, id] = self._asked
        if not self._working:
            self._working = True
            self._ground.life.later(0, self._work)

    async def _work(self) -> None:
        try:
            while self._queue:
                await self._tell_batch()
        finally:
            self._working = False

    async def _tell_batch(self) -> None:
        batch, self._queue = self._queue, {}
        last = self._asked
        planner = Planner(self._records)
        ports: dict[str, None] = {}
        for what, id in batch:
            if what in ("network", "router"):
                await self._tell(planner, what, id)
            else:
                ports.update(dict.fromkeys(_ports_meant(planner, what, id)))
        for port_id in ports:
            await self._tell(planner, "port", port_id)
        for number, done in self._waiting:
            if number <= last and not done.done():
                done.set_result(None)
        self._waiting = [each for each in self._waiting if each[0] > last]

    async def _tell(self, planner: Planner, what: What, id: str) -> None:
        machinery = self._ground.machinery
        try:
            if what == "network":
                network = planner.network(id)
                await (machinery.set_network(network) if network else machinery.drop_network(id))
            elif what == "router":
                router = planner.router(id)
                await (machinery.set_router(router) if router else machinery.drop_router(id))
            elif port := planner.server_port(id):
                await machinery.set_port(port)
        except Exception:
            # Whoever waits for the wiring must not wait for ever, and other objects can be wired.
            log.exception("The machinery could not carry out the plan of %s %s", what, id)
        # Requests are answered meanwhile, even where the machinery has nothing to wait for.
        await asyncio.sleep(0)


def _ports_meant(planner: Planner, what: What, id: str) -> Iterable[str]:
    if what == "ports on":
        return planner.server_ports_on(id)
    if what == "group":
        return planner.members(id)
    if what == "members":
        return planner.concerned_by_members_of(id)
    return (id,)
