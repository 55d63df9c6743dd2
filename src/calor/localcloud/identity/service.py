"""The identity service: what its handlers work with."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from calor.localcloud.identity.hashing import Passwords
from calor.localcloud.identity.records import Records
from calor.localcloud.store import Store


def now() -> datetime:
    return datetime.now(UTC)


class IdentityService:
    """Has no `Context`: a context needs this service to authenticate callers."""

    def __init__(self, store: Store, clock: Callable[[], datetime] = now) -> None:
        self.records = Records(store)
        self.passwords = Passwords()
        self.clock = clock

    def stamp(self) -> str:
        return format_time(self.clock())


def format_time(moment: datetime) -> str:
    """A time as the API writes it. Such strings sort by time."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
