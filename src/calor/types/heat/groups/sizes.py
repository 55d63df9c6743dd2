"""The sizes of groups and how they change: scaling, batches, cooldown. Numbers only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from calor.resources.values import JsonMapping, JsonObject

EXACT = ("exact_capacity", "ExactCapacity")
PERCENT = ("percent_change_in_capacity", "PercentChangeInCapacity")


@dataclass(frozen=True, slots=True)
class Sizes:
    """The size in a group's properties."""

    smallest: int
    largest: int
    wanted: int | None

    @property
    def at_start(self) -> int:
        # No group asks for nothing this way: zero has always meant the same as no value.
        return self.wanted or self.smallest

    def next(self, present: int) -> int:
        """The size of a group after an update of the stack."""
        return self.within(self.wanted or present)

    def within(self, size: int) -> int:
        return max(self.smallest, min(size, self.largest))


@dataclass(frozen=True, slots=True)
class Adjustment:
    """What a scaling policy does to a size. The kind is as written in either dialect; members to add unless it
    is an exact size or a percentage."""

    amount: float
    kind: str
    least_step: int | None = None

    def applied(self, size: int, sizes: Sizes) -> int:
        if self.kind in EXACT:
            return sizes.within(int(self.amount))
        step = self._percent(size) if self.kind in PERCENT else int(self.amount)
        return sizes.within(size + step)

    def _percent(self, size: int) -> int:
        """Rounded towards zero, but at least one, and at least the minimum step, unless it is zero."""
        share = size * self.amount / 100
        sign = (self.amount > 0) - (self.amount < 0)
        least = max(1 if share else 0, self.least_step or 0)
        return sign * max(int(abs(share)), least)

    def __str__(self) -> str:
        return f"{self.kind} : {self.amount:g}"


@dataclass(frozen=True, slots=True)
class Batch:
    """The size of the group after a batch, and the maximum number of members created or changed in it."""

    size: int
    changes: int


def batches(
    target: int, present: int, largest: int, in_service: int, *, extras_go: bool = False
) -> Iterator[Batch]:
    """The batches in which a group of a present size gets to its target size with all members changed.

    As many members as must be in service are left alone in each batch, for which the group may grow past its
    target. Those extra members take the place of others in the end, unless `extras_go`: then changing them
    brings the group no further.
    """
    changed = 0
    while present != target or changed < target:
        changes = min(max(largest, 1), max(target - changed, 0))
        untouched = max(min(present, target - changes), min(in_service, target, present))
        size = changes + untouched
        yield Batch(size, changes)
        changed += changes - (max(size - max(present, target), 0) if extras_go else 0)
        present = size


def pauses(count: int, seconds: float) -> float:
    """How long a number of batches rests altogether."""
    return seconds * max(count - 1, 0)


def cooling(metadata: JsonMapping, now: float) -> bool:
    """Whether a group is not to be scaled yet."""
    ends = _cooldown_ends(metadata)
    return bool(ends) and _written(now) < ends[0]


def with_cooldown(metadata: JsonMapping, reason: str, seconds: float, now: float) -> JsonObject:
    """A group's metadata after a change of its size. A cooldown is never cut short."""
    end = max(_written(now + seconds), *_cooldown_ends(metadata), "")
    return {**metadata, "cooldown_end": {end: reason}, "scaling_in_progress": False}


def _cooldown_ends(metadata: JsonMapping) -> Sequence[str]:
    ends = metadata.get("cooldown_end")
    return list(ends) if isinstance(ends, dict) else []


def _written(seconds: float) -> str:
    """A time in UTC. All have the same number of digits, so that they compare as text."""
    return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None).isoformat(timespec="microseconds")
