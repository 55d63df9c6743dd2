"""Generates and reads the templates of a group's members."""

from __future__ import annotations

import hashlib
from base64 import b32encode
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from calor.language.values import Secret, Unknown, concealed
from calor.resources.context import GroupContext, Member, NestedStack
from calor.resources.values import JsonMapping, JsonObject

MOST_MEMBERS = 10_000
"""The maximum number of identical members in a generated template: beyond any limit of resources, more make no
difference."""


def template_of(members: JsonMapping) -> JsonObject:
    return {"heat_template_version": "2015-04-30", "resources": dict(members)}


def placeholder_names(count: int) -> Iterator[str]:
    """Names like those of scaled members, which are drawn at creation. These are the same each time, so that
    two looks at one template agree."""
    for index in range(min(count, MOST_MEMBERS)):
        digest = hashlib.sha256(str(index).encode()).digest()
        yield b32encode(digest)[:12].decode().lower()


def unwrap_map(value: Any) -> Any:
    """A map that is unknown or secret as a plain map of such values, so that its keys can be read."""
    if isinstance(value, Unknown) and isinstance(value.stand_in, dict):
        return {key: Unknown(item, value.secret) for key, item in value.stand_in.items()}
    if isinstance(value, Secret) and isinstance(value.reveal(), dict):
        return {key: Secret(item) for key, item in value.reveal().items()}
    return value


def current_members(ctx: GroupContext) -> list[Member]:
    """The members in the template of the nested stack, without replaced ones that are not deleted yet."""
    return [
        member
        for member in ctx.members
        if member.name in ctx.nested_definitions and member.replaced_by is None and member.action != "DELETE"
    ]


def by_age(members: Iterable[Member]) -> list[Member]:
    """Failed members first, then the oldest: the order in which members are removed."""
    return sorted(members, key=lambda member: (member.status != "FAILED", member.created_at, member.name))


def references(below: NestedStack, names: Iterable[str]) -> JsonObject:
    return {name: below.reference(name) for name in names}


def attribute_of(below: NestedStack, names: Iterable[str], path: Sequence[object]) -> JsonObject:
    """An attribute, and what a path leads to in it, of each member."""
    attribute, *rest = path
    return {name: below.read(name, str(attribute), rest) for name in names}


def member_value(below: NestedStack, name: str, steps: Sequence[Any]) -> Any:
    """A member's reference or, if there are steps, an attribute of it."""
    if not steps:
        return below.reference(name)
    return below.read(name, str(steps[0]), steps[1:])


def follow(value: Any, path: Sequence[Any]) -> Any:
    """What a path leads to, secret if the whole is; None where it ends early."""
    for index, step in enumerate(path):
        if isinstance(value, Secret):
            return concealed(follow(value.reveal(), path[index:]))
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def named_attribute(below: NestedStack, names: Sequence[str], name: str, path: Sequence[object]) -> object:
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
