"""What every service of the cloud stands on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from calor.fetching.web import Fetcher
from calor.localcloud.caller import Authenticate
from calor.localcloud.life import Life
from calor.localcloud.machinery import Machinery
from calor.localcloud.store import Store


@dataclass(frozen=True)
class Ground:
    store: Store
    folder: Path
    """Where a service keeps files, each in a folder of its own below."""
    life: Life
    clock: Callable[[], datetime]
    authenticate: Authenticate
    machinery: Machinery
    fetcher: Fetcher
    """How what users name by its web address is fetched."""
