"""How the members of a group change step by step. A group's members are maps of names to definitions."""

from __future__ import annotations

import secrets
from base64 import b32encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from calor.language.values import bare
from calor.types.behaviour import ResourceFailed, Stage
from calor.types.heat.groups import template_of
from calor.types.heat.sizing import batches, pauses

Members = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Rolling:
    """How a change reaches the members of a group."""

    in_service: int
    batch: int
    pause: float

    @classmethod
    def of(cls, policy: Mapping[str, Any] | None) -> Rolling | None:
        if policy is None:
            return None
        return cls(policy.get("min_in_service") or 0, policy["max_batch_size"], policy["pause_time"])


def random_name() -> str:
    """A name for a new member: twelve lower-case letters and digits."""
    return b32encode(secrets.token_bytes(8)).decode()[:12].lower()


def outdated(members: Mapping[str, Any], define: Callable[[str], Any]) -> list[str]:
    """The names of members that are not as they shall be."""
    return [name for name, present in members.items() if present != bare(define(name))]


# Groups that scale: members are told apart by nothing but their age.


def resized(members: Mapping[str, Any], definition: Any, size: int, changes: int = 0) -> Members:
    """A group at another size. The first members go first; at most so many are made or changed, in the same
    order. Those that were changed count as younger than those that were not."""
    kept = dict(islice(members.items(), max(len(members) - size, 0), None))
    made = size - len(kept)
    changed = outdated(kept, lambda name: definition)[: max(changes - made, 0)] if changes else []
    for name in changed:
        del kept[name]
    return kept | dict.fromkeys(changed, definition) | {random_name(): definition for _ in range(made)}


def scaled_stages(
    members: Mapping[str, Any],
    definition: Any,
    wanted: int | None,
    size: int,
    rolling: Rolling | None,
    timeout: float | None,
) -> Iterator[Stage]:
    """The way of a group to a definition and a size. `wanted` is the size its properties ask for, if they do."""
    members = dict(members)
    if rolling is not None and outdated(members, lambda name: definition):
        target = min(wanted or len(members), len(members))
        steps = list(batches(target, len(members), rolling.batch, rolling.in_service))
        check_pauses(len(steps), rolling.pause, timeout)
        for index, step in enumerate(steps):
            members = resized(members, definition, step.size, step.changes)
            last = index == len(steps) - 1
            if last and len(members) == size:
                break
            yield Stage(template_of(members), 0 if last else rolling.pause)
    yield Stage(template_of(resized(members, definition, size)))


# Groups whose members have names that the group knows beforehand.


def named_stages(
    members: Mapping[str, Any],
    define: Callable[[str], Any],
    names: Callable[[int], Sequence[str]],
    target: int,
    rolling: Rolling | None,
    timeout: float | None,
) -> Iterator[Stage]:
    """The way of a group to the definitions that `define` gives for names; `names` gives so many of them."""
    present = dict(members)
    if rolling is not None:
        steps = list(batches(target, len(present), rolling.batch, rolling.in_service, extras_go=True))
        check_pauses(len(steps), rolling.pause, timeout)
        for step in steps[:-1]:
            present = _renewed(present, define, names(step.size), target, step.changes)
            yield Stage(template_of(present), rolling.pause)
    yield Stage(template_of({name: define(name) for name in names(target)}))


def _renewed(
    present: Mapping[str, Any], define: Callable[[str], Any], names: Sequence[str], target: int, changes: int
) -> Members:
    """A group of other names, in which at most so many members are made or changed. Those within the target
    are changed from the last to the first."""
    made = [name for name in names if name not in present]
    left = max(changes - len(made), 0)
    old = outdated({name: present[name] for name in names[:target] if name in present}, define)
    new = {*made, *(old[-left:] if left else ())}
    return {name: define(name) if name in new else present[name] for name in names}


def check_pauses(count: int, seconds: float, timeout: float | None) -> None:
    if timeout is not None and pauses(count, seconds) >= timeout:
        message = f"the pauses between {count} batches alone take longer than the stack's timeout"
        raise ResourceFailed(message, "ValueError")
