"""The compute service: what its handlers work with."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from weakref import WeakValueDictionary

from calor.localcloud.caller import Caller
from calor.localcloud.compute.records import Records, Server
from calor.localcloud.context import Context
from calor.localcloud.peers import Images, Networks, Volumes
from calor.localcloud.roles import MEMBER, READER

HOST = "calor"
"""The name of the only host."""


class ServerLocks:
    """Serializes the tasks of each server."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def of(self, server_id: str) -> asyncio.Lock:
        return self._locks.setdefault(server_id, asyncio.Lock())


class ComputeService:
    def __init__(self, context: Context, networks: Networks, images: Images, volumes: Volumes) -> None:
        self.context = context
        self.records = Records(context.store)
        self.networks = networks
        self.images = images
        self.volumes = volumes
        self.server_locks = ServerLocks()

    def stamp(self) -> str:
        return format_time(self.context.clock())


def format_time(moment: datetime) -> str:
    """A time in the API's format, which sorts by time."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def with_microseconds(stamp: str) -> str:
    """The format of some attributes."""
    return f"{stamp[:-1]}.000000"


def owner_of(server: Server) -> Caller:
    """A caller with the rights of the server's owner, for background tasks."""
    return Caller(
        token_id="",
        user_id=server.user_id,
        user_name="",
        user_domain_id="",
        project_id=server.project_id,
        roles=frozenset({MEMBER, READER}),
    )
