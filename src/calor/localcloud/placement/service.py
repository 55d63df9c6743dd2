"""The placement service, read-only: the one host is the one resource provider, and servers are its consumers. It stores
nothing; the compute service knows it all."""

from __future__ import annotations

from dataclasses import dataclass

from calor.localcloud.context import Context
from calor.localcloud.peers import Servers


@dataclass(frozen=True)
class PlacementService:
    context: Context
    servers: Servers
