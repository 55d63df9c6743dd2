"""What the handlers of the compute service work with."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime
from weakref import WeakValueDictionary

from calor.localcloud.caller import Caller
from calor.localcloud.compute.records import Records, Server
from calor.localcloud.ground import Ground
from calor.localcloud.neighbours import Images, Networks, Volumes

HOST = "calor"
"""The one host there is."""


class Turns:
    """Whatever takes time with a server is done one after the other."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def of(self, server_id: str) -> asyncio.Lock:
        return self._locks.setdefault(server_id, asyncio.Lock())


@dataclass(frozen=True)
class Compute:
    ground: Ground
    records: Records
    networks: Networks
    images: Images
    volumes: Volumes
    turns: Turns = field(default_factory=Turns)

    def stamp(self) -> str:
        return stamped(self.ground.clock())


def stamped(moment: datetime) -> str:
    """A time as most of the API writes it. Such texts sort by time."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def with_fractions(stamp: str) -> str:
    """The same as a few attributes are written."""
    return f"{stamp[:-1]}.000000"


def owner_of(server: Server) -> Caller:
    """In whose name something is done with a server when no one asks for it."""
    return Caller(
        token_id="",
        user_id=server.user_id,
        user_name="",
        user_domain_id="",
        project_id=server.project_id,
        roles=frozenset({"member", "reader"}),
    )
