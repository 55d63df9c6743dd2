"""How the members of a group change step by step. A group's members are maps of names to definitions."""

from __future__ import annotations

import secrets
from base64 import b32encode
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from calor.language.values import bare
from calor.resources.outcomes import ResourceFailed, Stage
from calor.resources.values import JsonMapping, JsonObject
from calor.types.heat.groups.member_templates import template_of
from calor.types.heat.groups.sizes import batches, pauses

Members = JsonObject


@dataclass(frozen=True, slots=True)
class Rolling:
    """How a change reaches the members of a group."""

    in_service: int
    batch: int
    pause: float

    @classmethod
    def of(cls, policy: JsonMapping | None) -> Rolling | None:
        if policy is None:
            return None
        return cls(policy.get("min_in_service") or 0, policy["max_batch_size"], policy["pause_time"])


def random_name() -> str:
    """A name for a new member: twelve lower-case letters and digits."""
    return b32encode(secrets.token_bytes(8)).decode()[:12].lower()


def outdated(members: JsonMapping, define: Callable[[str], object]) -> list[str]:
    """The names of members that do not have their new definition."""
    return [name for name, present in members.items() if present != bare(define(name))]


# In scaling groups, members differ only by age.


def resized(members: JsonMapping, definition: object, size: int, changes: int = 0) -> Members:
    """A group resized. The first members are removed first; at most `changes` are created or changed, in the same
    order. Changed members count as younger than others."""
    kept = dict(islice(members.items(), max(len(members) - size, 0), None))
    made = size - len(kept)
    changed = outdated(kept, lambda name: definition)[: max(changes - made, 0)] if changes else []
    for name in changed:
        del kept[name]
    return kept | dict.fromkeys(changed, definition) | {random_name(): definition for _ in range(made)}


def scaled_stages(
    members: JsonMapping,
    definition: object,
    wanted: int | None,
    size: int,
    rolling: Rolling | None,
    timeout: float | None,
) -> Iterator[Stage]:
    """The stages in which a group reaches a definition and a size. `wanted` is the size in its properties, if any."""
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
    members: JsonMapping,
    define: Callable[[str], object],
    names: Callable[[int], Sequence[str]],
    target: int,
    rolling: Rolling | None,
    timeout: float | None,
) -> Iterator[Stage]:
    """The stages in which a group reaches the definitions that `define` returns for `names`."""
    present = dict(members)
    if rolling is not None:
        steps = list(batches(target, len(present), rolling.batch, rolling.in_service, extras_go=True))
        check_pauses(len(steps), rolling.pause, timeout)
        for step in steps[:-1]:
            present = _renewed(present, define, names(step.size), target, step.changes)
            yield Stage(template_of(present), rolling.pause)
    yield Stage(template_of({name: define(name) for name in names(target)}))


def _renewed(
    present: JsonMapping, define: Callable[[str], object], names: Sequence[str], target: int, changes: int
) -> Members:
    """A group with other names, in which at most `changes` members are created or changed. Members within the target
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
