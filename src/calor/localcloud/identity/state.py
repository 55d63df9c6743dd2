"""What the handlers of the identity service work with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from calor.localcloud.identity.hashing import Passwords
from calor.localcloud.identity.records import Records


def now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class Identity:
    records: Records
    passwords: Passwords = field(default_factory=Passwords)
    clock: Callable[[], datetime] = now

    def stamp(self) -> str:
        return stamped(self.clock())


def stamped(moment: datetime) -> str:
    """A time as the API writes it. Such texts sort by time."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
