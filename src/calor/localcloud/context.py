"""What all services have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from calor.fetching.web import Fetcher
from calor.localcloud.backend import Backend
from calor.localcloud.background import Background
from calor.localcloud.caller import Authenticate
from calor.localcloud.store import Store


@dataclass(frozen=True)
class Context:
    store: Store
    folder: Path
    """The folder for files; each service has a subfolder."""
    background: Background
    clock: Callable[[], datetime]
    authenticate: Authenticate
    backend: Backend
    fetcher: Fetcher
    """Fetches URLs given by users."""
