"""Conditions that wait for signals, and the handles that take them, of both dialects.

A handle keeps the signals in its metadata, by their ids.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from calor.language.schema import ResourceType
from calor.types.behaviour import Context, ResourceFailed
from calor.types.heat.signalling import SignalledResource

STATUSES = ("SUCCESS", "FAILURE")

POLLED_EVERY = 1.0
"""Seconds between looks for signals that have to be fetched."""

LONGEST_SLEEP = 60.0
"""Seconds after which to look for signals even if nothing was heard of one."""


DEADLINE = "_deadline"
"""Where a condition notes until when it waits."""


@dataclass(frozen=True, slots=True)
class Keys:
    """What the parts of a signal are called."""

    status: str
    reason: str
    id: str
    data: str
    kind: str = "WaitCondition"
    """What the classes of its errors begin with."""

    def merged(self, received: Mapping[str, Any], signal: Any) -> dict[str, Any]:
        """The signals with another one; of two with the same id the later holds."""
        if not isinstance(signal, dict) or set(signal) != {self.status, self.reason, self.id, self.data}:
            names = ", ".join((self.status, self.reason, self.id, self.data))
            raise ResourceFailed(f"a signal is a map of {names} and nothing else", "ValueError")
        if signal[self.status] not in STATUSES:
            raise ResourceFailed(f"{self.status} must be one of {', '.join(STATUSES)}", "ValueError")
        entry = {key: value for key, value in signal.items() if key != self.id}
        return {**received, str(signal[self.id]): entry}

    def reasons(self, received: Mapping[str, Any], status: str) -> list[str]:
        return [str(entry[self.reason]) for entry in received.values() if entry[self.status] == status]

    def enough(self, received: Mapping[str, Any], count: int) -> bool:
        """Whether a number of successes has been received. Raises ResourceFailed if there is a failure."""
        if any(entry[self.status] != "SUCCESS" for entry in received.values()):
            raise ResourceFailed(";".join(self.reasons(received, "FAILURE")), f"{self.kind}Failure")
        return len(received) >= count

    def too_late(self, received: Mapping[str, Any], count: int) -> ResourceFailed:
        reasons = self.reasons(received, "SUCCESS")
        told = f" - {';'.join(reasons)}" if reasons else ""
        return ResourceFailed(f"{len(reasons)} of {count} received{told}", f"{self.kind}Timeout")


def with_defaults(details: Any, received: Mapping[str, Any]) -> Any:
    """A signal, of which all parts may be left out."""
    number = len(received) + 1
    defaults = {"status": "SUCCESS", "reason": f"Signal {number} received", "data": None, "id": number}
    if details is not None and not isinstance(details, dict):
        return details
    return {**defaults, **(details or {})}


class Handle(ResourceType):
    """What keeps signals for a condition, however they get there."""

    keys: ClassVar[Keys]

    @classmethod
    def completed(cls, details: Any, received: Mapping[str, Any]) -> Any:
        """A signal with defaults for what it leaves out."""
        return details

    @classmethod
    async def take(cls, ctx: Context, details: Any) -> str | None:
        """Keeps a signal; gives the reason for the event."""
        received = await ctx.fresh_metadata()
        signal = cls.completed(details, received)
        ctx.set_metadata(cls.keys.merged(received, signal))
        return f"status:{signal[cls.keys.status]} reason:{signal[cls.keys.reason]}"

    @classmethod
    async def collect(cls, ctx: Context) -> float:
        """Takes in signals that have to be fetched; the seconds after which to look again."""
        return LONGEST_SLEEP


class HandleType(SignalledResource, Handle):
    """A handle to which signals are sent in the name of a user of its own."""

    @classmethod
    async def signal(cls, ctx: Context, details: Any) -> str | None:
        return await cls.take(ctx, details)


class ConditionType(ResourceType):
    handle_property: ClassVar[str]
    timeout_property: ClassVar[str]
    count_property: ClassVar[str]
    data_attribute: ClassVar[str]

    @classmethod
    async def create(cls, ctx: Context, props: dict[str, Any]) -> None:
        # Whoever takes over does not wait longer for it.
        if DEADLINE not in ctx.data:
            ctx.note(**{DEADLINE: ctx.now() + props[cls.timeout_property]})
        await cls._wait(ctx, props)

    @classmethod
    async def update(cls, ctx: Context, props: dict[str, Any], changed: frozenset[str]) -> None:
        ctx.note(**{DEADLINE: ctx.now() + props[cls.timeout_property]})
        await cls._wait(ctx, props)

    @classmethod
    def delete(cls, ctx: Context) -> None:
        handle = ctx.peer(ctx.properties[cls.handle_property])
        if handle is not None:
            handle.set_metadata({})

    @classmethod
    def attribute(cls, ctx: Context, name: str) -> str | None:
        if name != cls.data_attribute:
            return None
        handle = ctx.peer(ctx.properties[cls.handle_property])
        if handle is None:
            return ""
        data = handle.type.keys.data
        return json.dumps({id: entry[data] for id, entry in handle.metadata.items()})

    @classmethod
    async def _wait(cls, ctx: Context, props: Mapping[str, Any]) -> None:
        handle = ctx.peer(props[cls.handle_property])
        if handle is None or not (isinstance(handle.type, type) and issubclass(handle.type, Handle)):
            message = f"{props[cls.handle_property]} is no wait condition handle of the stack"
            raise ResourceFailed(message, "ValueError")
        keys: Keys = handle.type.keys
        count = props[cls.count_property]
        while True:
            interval = await handle.type.collect(handle)
            received = await handle.fresh_metadata()
            if keys.enough(received, count):
                return
            left = ctx.data[DEADLINE] - ctx.now()
            if left <= 0:
                raise keys.too_late(received, count)
            await ctx.await_signal(min(left, interval))
