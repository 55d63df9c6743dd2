"""What the embedded cloud is told at its start, and what it tells once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from calor.fetching.addresses import PUBLIC_ONLY, Allowed

REGION = "RegionOne"

SERVERS_COME_FROM = "127.0.0.254"
"""The address from which the services of the host are asked on behalf of servers: what is meant for the host alone is
not answered there."""


@dataclass(frozen=True)
class Announced:
    """A service the catalog shows; `%(project_id)s` in the URL becomes the id of the project of the token."""

    type: str
    name: str
    url: str
    internal_url: str | None = None
    """Where it is reached from within, without what may be in front of it; the same if there is none."""


@dataclass(frozen=True)
class CloudConfig:
    host: str
    port: int
    database: Path
    announced: tuple[Announced, ...] = ()
    backend: str = "auto"
    """Which machinery is wanted: auto, linux or simulated."""
    doors: tuple[tuple[str, int], ...] = ()
    """Addresses and ports of the host that servers reach at the very same addresses."""

    @property
    def folder(self) -> Path:
        """Where the services keep files, beside the database."""
        return self.database.with_suffix("")

    public_url: str | None = None
    """Where clients reach the cloud, if that is not where it listens."""
    internal_url: str | None = None
    """Where Calor itself does."""
    fetch_allowed: Allowed = PUBLIC_ONLY
    """Where images may be fetched from, beside public addresses."""

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"


@dataclass(frozen=True)
class Credentials:
    """Passwords by user name of the users made just now: empty but for the first start, and kept nowhere."""

    passwords: Mapping[str, str]
