"""Where a server keeps its things and where it listens."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from calor.config.settings import Listening
    from calor.config.settings import Settings as Configured

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8004
FILES_VARIABLE = "CALOR_CONFIG_FILE"
_ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Addresses that stand for all of a machine, and one at which it can be reached."""


def default_state_dir() -> Path:
    stated = os.environ.get("CALOR_STATE_DIR")
    return Path(stated) if stated else Path.home() / ".local" / "share" / "calor"


def stated_files() -> list[str]:
    """The configuration files that the environment names."""
    return [one for one in os.environ.get(FILES_VARIABLE, "").split(os.pathsep) if one]


@dataclass(frozen=True, slots=True)
class Address:
    """Where something listens."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{_bracketed(self.host)}:{self.port}"


@dataclass(frozen=True, slots=True)
class Settings:
    """Ports derive from one unless they are configured, so that several servers can run side by side."""

    state_dir: Path
    configured: Configured
    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    cloud_backend: str = "auto"
    cloud: Address | None = None
    """Where the embedded cloud is, if it was told to be somewhere else than beside the API."""

    @property
    def cfn_host(self) -> str:
        return self.configured.api.cfn.host or self.host

    @property
    def cfn_port(self) -> int:
        return self.configured.api.cfn.port or self.port + 1

    @property
    def cloud_host(self) -> str:
        return self.cloud.host if self.cloud is not None else self.host

    @property
    def cloud_port(self) -> int:
        return self.cloud.port if self.cloud is not None else self.port + 2

    @property
    def cloud_url(self) -> str:
        """Where the processes of the server reach the embedded cloud."""
        return f"http://{Address(_ANY.get(self.cloud_host, self.cloud_host), self.cloud_port)}"

    @property
    def public_cloud_url(self) -> str:
        """Where others do."""
        direct = f"http://{Address(self._told(self.cloud_host), self.cloud_port)}"
        return self.configured.api.public_cloud_url or direct

    @property
    def is_embedded(self) -> bool:
        """Whether the server brings its own cloud."""
        return self.configured.auth.account is None

    @property
    def database_url(self) -> str:
        return self.configured.database_url or f"sqlite:///{self.state_dir / 'calor.db'}"

    @property
    def has_one_engine(self) -> bool:
        """Whether nobody else can work on the stacks in the database."""
        return self.configured.database_url is None and self.configured.engine.workers == 1

    @property
    def bells(self) -> Path:
        return self.state_dir / "bells"

    @property
    def engines(self) -> Path:
        return self.state_dir / "engines"

    @property
    def cloud_database(self) -> Path:
        return self.state_dir / "cloud.db"

    @property
    def clouds_file(self) -> Path:
        return self.state_dir / "clouds.yaml"

    @property
    def public_host(self) -> str:
        return self._told(self.host)

    @property
    def api_url(self) -> str:
        """Where clients reach the REST API, as are the others below."""
        return self.configured.api.public_url or self.direct_api_url

    @property
    def direct_api_url(self) -> str:
        """The same without what is in front of it."""
        return _url(self.configured.api.rest, self.public_host, self.port)

    @property
    def cfn_url(self) -> str:
        return self.configured.api.public_cfn_url or self.direct_cfn_url

    @property
    def direct_cfn_url(self) -> str:
        return _url(self.configured.api.cfn, self._told(self.cfn_host), self.cfn_port)

    @property
    def servers_cfn_url(self) -> str:
        """Where servers in the cloud reach the CFN API."""
        return self.configured.api.servers_cfn_url or self.cfn_url

    @property
    def auth_url(self) -> str:
        account = self.configured.auth.account
        if account is not None:
            return account.auth_url
        return f"{self.cloud_url}/identity"

    @property
    def public_auth_url(self) -> str:
        """Where others reach the identity service; the server itself may know a shorter way."""
        return self.configured.auth.public_url or f"{self.public_cloud_url}/identity"

    def _told(self, host: str) -> str:
        return self.configured.api.public_host or _ANY.get(host, host)


def _url(listening: Listening, host: str, port: int) -> str:
    return f"{'https' if listening.cert_file else 'http'}://{Address(host, port)}"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def server_settings(
    configured: Configured,
    state_dir: str | None = None,
    host: str | None = None,
    port: int | None = None,
    cloud_backend: str = "auto",
) -> Settings:
    """Settings from what is configured, and from what goes before it."""
    return Settings(
        (Path(state_dir) if state_dir else default_state_dir()).absolute(),
        configured,
        host or configured.api.rest.host or DEFAULT_HOST,
        port or configured.api.rest.port or DEFAULT_PORT,
        cloud_backend,
    )
