"""Where a server keeps its things and where it listens."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

DEFAULT_PORT = 8004


def default_state_dir() -> Path:
    stated = os.environ.get("CALOR_STATE_DIR")
    return Path(stated) if stated else Path.home() / ".local" / "share" / "calor"


@dataclass(frozen=True, slots=True)
class Settings:
    """All ports derive from one, so that several servers can run side by side."""

    state_dir: Path
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    cloud_backend: str = "auto"
    encrypt_parameters_and_properties: bool = False
    """Whether all stacks are encrypted, not only those with hidden parameters."""

    @property
    def cfn_port(self) -> int:
        return self.port + 1

    @property
    def cloud_port(self) -> int:
        return self.port + 2

    @property
    def database_url(self) -> str:
        return f"sqlite:///{self.state_dir / 'calor.db'}"

    @property
    def cloud_database(self) -> Path:
        return self.state_dir / "cloud.db"

    @property
    def clouds_file(self) -> Path:
        return self.state_dir / "clouds.yaml"

    def url(self, port: int) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{port}"

    @property
    def auth_url(self) -> str:
        return f"{self.url(self.cloud_port)}/identity"
