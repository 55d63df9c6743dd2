"""What groups have in common: the templates that they make for their members, and how those are read."""

from __future__ import annotations

import hashlib
from base64 import b32encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from calor.language.values import Secret, Unknown
from calor.types.behaviour import Context, Member, StackBelow

MOST_MEMBERS = 10_000
"""Where identical members stop being written out: past any limit of resources, one more tells nothing new."""


def template_of(members: Mapping[str, Any]) -> dict[str, Any]:
    return {"heat_template_version": "2015-04-30", "resources": dict(members)}


def placeholder_names(count: int) -> Iterator[str]:
    """Names like those of scaled members, which are drawn at creation. These are the same each time, so that
    two looks at one template agree."""
    for index in range(min(count, MOST_MEMBERS)):
        digest = hashlib.sha256(str(index).encode()).digest()
        yield b32encode(digest)[:12].decode().lower()


def opened(value: Any) -> Any:
    """A map that is not known yet, or secret, as a map of such values: its keys have to be seen."""
    if isinstance(value, Unknown) and isinstance(value.stand_in, dict):
        return {key: Unknown(item, value.secret) for key, item in value.stand_in.items()}
    if isinstance(value, Secret) and isinstance(value.reveal(), dict):
        return {key: Secret(item) for key, item in value.reveal().items()}
    return value


def standing(ctx: Context) -> list[Member]:
    """The members that the template of the stack below speaks of, without what is left of replaced ones."""
    return [
        member
        for member in ctx.members
        if member.name in ctx.below and member.replaced_by is None and member.action != "DELETE"
    ]


def in_order_of_age(members: Iterable[Member]) -> list[Member]:
    """Failed ones first, then the oldest: in this order members are given up."""
    return sorted(members, key=lambda member: (member.status != "FAILED", member.created_at, member.name))


def references(below: StackBelow, names: Iterable[str]) -> dict[str, Any]:
    return {name: below.states.reference(name) for name in names}


def attribute_of(below: StackBelow, names: Iterable[str], path: Sequence[Any]) -> dict[str, Any]:
    """An attribute, and what a path leads to in it, of each member."""
    attribute, *rest = path
    return {name: below.read(name, str(attribute), rest) for name in names}


def member_value(below: StackBelow, name: str, steps: Sequence[Any]) -> Any:
    """A member's reference or, if there are steps, an attribute of it."""
    if not steps:
        return below.states.reference(name)
    return below.read(name, str(steps[0]), steps[1:])


def follow(value: Any, path: Sequence[Any]) -> Any:
    """What a path leads to; None where it ends early."""
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def named_attribute(below: StackBelow, names: Sequence[str], name: str, path: Sequence[Any]) -> Any:
    """An attribute of a group whose members have names of meaning."""
    kind, _, rest = name.partition(".")
    if kind == "resource" and rest:
        member, _, attribute = rest.partition(".")
        steps = [attribute, *path] if attribute else path
        return member_value(below, member, steps) if member in names else None
    if name == "refs":
        return follow(list(references(below, names).values()), path)
    if name == "refs_map":
        return follow(references(below, names), path)
    if name == "attributes":
        return attribute_of(below, names, path) if path else None
    return list(attribute_of(below, names, [name, *path]).values())
