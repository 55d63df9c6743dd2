"""Types whose resource is an object of the identity service."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from calor.types.behaviour import Context
from calor.types.cloud_objects import CloudObject, Object, UniquelyNamedObject

MARK = "calor_resource"
"""A further member of most objects: the resource that they were made for. The identity service does not tell when an
object was made, and names that templates give say nothing of who made it."""

LONGEST_NAME = 64
"""Projects, domains and groups take no longer names."""


class KeystoneType(CloudObject):
    service = "keystone"
    api = "identity"
    change_method = "PATCH"
    members: ClassVar[Mapping[str, str]]
    """What requests call the properties."""
    nullable: ClassVar[frozenset[str]] = frozenset({"description"})
    """Properties that can be taken back; the service keeps the last value of others."""
    mark: ClassVar[str | None] = MARK
    """The member that says which resource an object was made for, if it can have one: the service shows no domain, no
    endpoint and none of somebody's roles that has a member it does not know."""
    listed_by: ClassVar[tuple[str, ...]] = ("name",)
    """The members by which a list can be narrowed down."""

    @classmethod
    def name_for(cls, ctx: Context, props: Mapping[str, Any]) -> str:
        return str(props.get("name") or ctx.physical_name(LONGEST_NAME))

    @classmethod
    async def new(cls, ctx: Context, props: Mapping[str, Any]) -> Object:
        given = {**props, "name": cls.name_for(ctx, props)}
        said = {member: given[name] for name, member in cls.members.items() if given.get(name) is not None}
        return {**said, **({cls.mark: ctx.id} if cls.mark else {})}

    @classmethod
    async def change(cls, ctx: Context, props: Mapping[str, Any], changed: frozenset[str]) -> Object:
        given = {**props, "name": cls.name_for(ctx, props)}
        return {
            member: given.get(name)
            for name, member in cls.members.items()
            if name in changed and (given.get(name) is not None or name in cls.nullable)
        }

    @classmethod
    def likeness(cls, body: Object) -> dict[str, str]:
        return {name: str(body[name]) for name in cls.listed_by if body.get(name) is not None}

    @classmethod
    def resembles(cls, shown: Object, body: Object) -> bool:
        return bool(shown.get(cls.mark) == body[cls.mark]) if cls.mark else super().resembles(shown, body)


class UniquelyNamed(UniquelyNamedObject, KeystoneType):
    """Objects that say nothing of the resource that they were made for."""

    mark = None
