"""The configuration of the embedded cloud."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from calor.fetching.addresses import PUBLIC_ONLY, Allowed

REGION = "RegionOne"

GUEST_SOURCE_ADDRESS = "127.0.0.254"
"""The source address of connections from servers to services of the host. Requests that are for the host only are
rejected from there."""


@dataclass(frozen=True)
class AnnouncedService:
    """A service in the catalog; `%(project_id)s` in the URL is replaced by the project of the token."""

    type: str
    name: str
    url: str
    internal_url: str | None = None
    """The internal URL, without a proxy; None if it is the same."""


@dataclass(frozen=True)
class HostService:
    """A service of the host that servers can reach, by the host name or address and port that clients use."""

    host: str
    port: int
    direct: tuple[str, int] | None = None
    """The address and port on which it listens, if usable: a fallback if the host cannot resolve the name."""


@dataclass(frozen=True)
class CloudConfig:
    host: str
    port: int
    database: Path
    announced: tuple[AnnouncedService, ...] = ()
    backend: str = "auto"
    """auto, linux or simulated."""
    host_services: tuple[HostService, ...] = ()

    @property
    def folder(self) -> Path:
        """The folder for files of the services, beside the database."""
        return self.database.with_suffix("")

    public_url: str | None = None
    """The URL for clients, if it is not the one on which the cloud listens."""
    internal_url: str | None = None
    """The URL for Calor itself."""
    fetch_allowed: Allowed = PUBLIC_ONLY
    """Addresses from which images can be downloaded, in addition to public ones."""

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"


@dataclass(frozen=True)
class Credentials:
    """The passwords of users that were just created, by name: empty except at the first start. They are not stored."""

    passwords: Mapping[str, str]
