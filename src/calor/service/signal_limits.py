"""Limits on the number and size of a resource's signals."""

from __future__ import annotations

from dataclasses import dataclass

from calor.language.budget import LIMIT
from calor.language.values import size_of
from calor.resources.contract import ResourceType
from calor.service.errors import ServiceError
from calor.store import records
from calor.store.signals import PendingSignals
from calor.types.heat.signals.wait_base import Handle

BUSY = "HTTPConflict"
MOST_WAITING = 64 * 1024 * 1024
"""The maximum size of signals that wait for a tree of stacks: a single engine reads all of them."""


@dataclass(frozen=True, slots=True)
class SignalLimits:
    """The maximum number and size in bytes of the signals that a resource keeps, or that wait for it."""

    count: int
    size: int

    def check(
        self,
        resource: records.Resource,
        declared: type[ResourceType],
        details: object,
        waiting: PendingSignals,
    ) -> None:
        """Raises ServiceError if a resource cannot accept a signal, or not until others are handled."""
        size = size_of(details, self.size)
        if size > self.size:
            raise ServiceError(LIMIT, f"A signal may have at most {self.size:,} bytes.")
        kept = resource.metadata or {} if issubclass(declared, Handle) else {}
        if len(kept) >= self.count or size_of(kept, self.size) + size > self.size:
            message = (
                f"{resource.name} has reached the maximum of {self.count:,} signals, or {self.size:,} bytes."
            )
            raise ServiceError(LIMIT, message)
        if len(kept) + waiting.count >= self.count or waiting.size + size > self.size:
            raise ServiceError(BUSY, f"Too many signals are waiting for {resource.name}. Try again later.")
        if waiting.size_in_tree + size > MOST_WAITING:
            raise ServiceError(BUSY, "Too many signals are waiting for the stack. Try again later.")
