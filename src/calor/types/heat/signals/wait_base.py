"""Wait conditions and their handles, of Heat and CloudFormation.

A handle keeps the signals in its metadata, by their ids.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, ClassVar

from calor.resources.context import AttributeContext, Context
from calor.resources.contract import ResourceType
from calor.resources.outcomes import ResourceFailed
from calor.resources.values import JsonMapping, JsonObject, Properties
from calor.types.heat.signals.signal_user import SignalledResource

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

    def merged(self, received: JsonMapping, signal: Any) -> JsonObject:
        """The signals with another one; of two with the same id the later holds."""
        if not isinstance(signal, dict) or set(signal) != {self.status, self.reason, self.id, self.data}:
            names = ", ".join((self.status, self.reason, self.id, self.data))
            raise ResourceFailed(f"a signal is a map of {names} and nothing else", "ValueError")
        if signal[self.status] not in STATUSES:
            raise ResourceFailed(f"{self.status} must be one of {', '.join(STATUSES)}", "ValueError")
        entry = {key: value for key, value in signal.items() if key != self.id}
        return {**received, str(signal[self.id]): entry}

    def reasons(self, received: JsonMapping, status: str) -> list[str]:
        return [str(entry[self.reason]) for entry in received.values() if entry[self.status] == status]

    def enough(self, received: JsonMapping, count: int) -> bool:
        """Whether a number of successes has been received. Raises ResourceFailed if there is a failure."""
        if any(entry[self.status] != "SUCCESS" for entry in received.values()):
            raise ResourceFailed(";".join(self.reasons(received, "FAILURE")), f"{self.kind}Failure")
        return len(received) >= count

    def timeout_error(self, received: JsonMapping, count: int) -> ResourceFailed:
        reasons = self.reasons(received, "SUCCESS")
        details = f" - {';'.join(reasons)}" if reasons else ""
        return ResourceFailed(f"{len(reasons)} of {count} received{details}", f"{self.kind}Timeout")


def with_defaults(details: Any, received: JsonMapping) -> Any:
    """A signal, of which all parts may be left out."""
    number = len(received) + 1
    defaults = {"status": "SUCCESS", "reason": f"Signal {number} received", "data": None, "id": number}
    if details is not None and not isinstance(details, dict):
        return details
    return {**defaults, **(details or {})}


class Handle(ResourceType, extends=True):
    """What keeps signals for a condition, however they get there."""

    keys: ClassVar[Keys]

    @classmethod
    def completed(cls, details: Any, received: JsonMapping) -> Any:
        """A signal with defaults."""
        return details

    @classmethod
    async def take(cls, ctx: Context, details: Any) -> str | None:
        """Stores a signal, and returns the reason for the event."""
        received = await ctx.read_metadata()
        signal = cls.completed(details, received)
        ctx.set_metadata(cls.keys.merged(received, signal))
        return f"status:{signal[cls.keys.status]} reason:{signal[cls.keys.reason]}"

    @classmethod
    async def collect(cls, ctx: Context) -> float:
        """Takes in signals that have to be fetched; the seconds after which to look again."""
        return LONGEST_SLEEP


class HandleType(SignalledResource, Handle, extends=True):
    """A handle that is signalled by a user created for it."""

    @classmethod
    async def signal(cls, ctx: Context, details: object) -> str | None:
        return await cls.take(ctx, details)


class ConditionType(ResourceType, extends=True):
    handle_property: ClassVar[str]
    timeout_property: ClassVar[str]
    count_property: ClassVar[str]
    data_attribute: ClassVar[str]

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        # Whoever takes over does not wait longer for it.
        if DEADLINE not in ctx.data:
            ctx.set_data(**{DEADLINE: ctx.now() + props[cls.timeout_property]})
        await cls._wait(ctx, props)

    @classmethod
    async def update(cls, ctx: Context, props: JsonObject, changed: frozenset[str]) -> None:
        ctx.set_data(**{DEADLINE: ctx.now() + props[cls.timeout_property]})
        await cls._wait(ctx, props)

    @classmethod
    def delete(cls, ctx: Context) -> None:
        handle = ctx.peer(ctx.properties[cls.handle_property])
        if handle is not None:
            handle.set_metadata({})

    @classmethod
    def attribute(cls, ctx: AttributeContext, name: str) -> str | None:
        if name != cls.data_attribute:
            return None
        handle = ctx.peer(ctx.properties[cls.handle_property])
        declared = handle.type if handle is not None else None
        if handle is None or declared is None or not issubclass(declared, Handle):
            return ""
        data = declared.keys.data
        return json.dumps({id: entry[data] for id, entry in handle.metadata.items()})

    @classmethod
    async def _wait(cls, ctx: Context, props: Properties) -> None:
        handle = ctx.peer(props[cls.handle_property])
        declared = handle.type if handle is not None else None
        if handle is None or declared is None or not issubclass(declared, Handle):
            message = f"{props[cls.handle_property]} is not a wait condition handle of the stack"
            raise ResourceFailed(message, "ValueError")
        keys = declared.keys
        count = props[cls.count_property]
        while True:
            interval = await declared.collect(handle)
            received = await handle.read_metadata()
            if keys.enough(received, count):
                return
            left = ctx.data[DEADLINE] - ctx.now()
            if left <= 0:
                raise keys.timeout_error(received, count)
            await ctx.wait_for_signal(min(left, interval))
