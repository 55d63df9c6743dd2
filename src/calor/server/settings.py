"""Where a server stores its files and listens."""

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
EMBEDDED_POLLING_INTERVAL = 3
FILES_VARIABLE = "CALOR_CONFIG_FILE"
_ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Wildcard addresses, each with an address at which the machine can be reached."""


def default_state_dir() -> Path:
    given = os.environ.get("CALOR_STATE_DIR")
    return Path(given) if given else Path.home() / ".local" / "share" / "calor"


def config_files_from_environment() -> list[str]:
    """The files that CALOR_CONFIG_FILE lists."""
    return [one for one in os.environ.get(FILES_VARIABLE, "").split(os.pathsep) if one]


@dataclass(frozen=True, slots=True)
class Address:
    """A host and a port to listen on."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{_bracketed(self.host)}:{self.port}"


@dataclass(frozen=True, slots=True)
class Settings:
    """Ports that are not configured derive from the REST API's, so that several servers can run on a machine."""

    state_dir: Path
    configured: Configured
    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    cloud_backend: str = "auto"
    cloud: Address | None = None
    """Where the embedded cloud listens, if it runs as a process of its own."""

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
        """Where clients reach it."""
        direct = f"http://{Address(self._public(self.cloud_host), self.cloud_port)}"
        return self.configured.api.public_cloud_url or direct

    @property
    def is_embedded(self) -> bool:
        """Whether the server uses the embedded cloud."""
        return self.configured.auth.account is None

    @property
    def agent_polling_interval(self) -> int | None:
        """How often agents on servers look for changes; None leaves it to them."""
        configured = self.configured.engine.agent_polling_interval
        return EMBEDDED_POLLING_INTERVAL if configured is None and self.is_embedded else configured

    @property
    def database_url(self) -> str:
        return self.configured.database_url or f"sqlite:///{self.state_dir / 'calor.db'}"

    @property
    def has_one_engine(self) -> bool:
        """Whether no other engine can work on the stacks in the database."""
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
        return self._public(self.host)

    @property
    def api_url(self) -> str:
        """Where clients reach the REST API."""
        return self.configured.api.public_url or self.direct_api_url

    @property
    def direct_api_url(self) -> str:
        """The REST API without a proxy."""
        return _url(self.configured.api.rest, self.public_host, self.port)

    @property
    def listening_api_url(self) -> str:
        """The REST API from this machine."""
        return _url(self.configured.api.rest, _ANY.get(self.host, self.host), self.port)

    @property
    def cfn_url(self) -> str:
        return self.configured.api.public_cfn_url or self.direct_cfn_url

    @property
    def direct_cfn_url(self) -> str:
        return _url(self.configured.api.cfn, self._public(self.cfn_host), self.cfn_port)

    @property
    def listening_cfn_url(self) -> str:
        return _url(self.configured.api.cfn, _ANY.get(self.cfn_host, self.cfn_host), self.cfn_port)

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
        """Where clients reach the identity service."""
        return self.configured.auth.public_url or f"{self.public_cloud_url}/identity"

    def _public(self, host: str) -> str:
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
    """The settings; arguments override what is configured."""
    return Settings(
        (Path(state_dir) if state_dir else default_state_dir()).absolute(),
        configured,
        host or configured.api.rest.host or DEFAULT_HOST,
        port or configured.api.rest.port or DEFAULT_PORT,
        cloud_backend,
    )
