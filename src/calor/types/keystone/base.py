"""Types whose resource is an object of the identity service."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from calor.resources.context import Context
from calor.resources.values import Properties
from calor.types.cloud_objects import CloudObject, Object, UniquelyNamedObject

MARK = "calor_resource"
"""An extra member of most objects: the resource that they were created for. The identity service does not show when an
object was created, and names in templates do not show by whom."""

LONGEST_NAME = 64
"""Projects, domains and groups take no longer names."""


class KeystoneType(CloudObject, extends=True):
    service = "keystone"
    api = "identity"
    change_method = "PATCH"
    members: ClassVar[Mapping[str, str]]
    """What requests call the properties."""
    nullable: ClassVar[frozenset[str]] = frozenset({"description"})
    """Properties that can be taken back; the service keeps the last value of others."""
    mark: ClassVar[str | None] = MARK
    """The member with the resource that an object was created for, if it can have one: the service does not show
    domains, endpoints and roles with unknown members."""
    listed_by: ClassVar[tuple[str, ...]] = ("name",)
    """The members by which a list can be narrowed down."""

    @classmethod
    def name_for(cls, ctx: Context, props: Properties) -> str:
        return str(props.get("name") or ctx.physical_name(LONGEST_NAME))

    @classmethod
    async def new(cls, ctx: Context, props: Properties) -> Object:
        given = {**props, "name": cls.name_for(ctx, props)}
        body = {member: given[name] for name, member in cls.members.items() if given.get(name) is not None}
        return {**body, **({cls.mark: ctx.id} if cls.mark else {})}

    @classmethod
    async def change(cls, ctx: Context, props: Properties, changed: frozenset[str]) -> Object:
        given = {**props, "name": cls.name_for(ctx, props)}
        return {
            member: given.get(name)
            for name, member in cls.members.items()
            if name in changed and (given.get(name) is not None or name in cls.nullable)
        }

    @classmethod
    def list_filter(cls, body: Object) -> dict[str, str]:
        return {name: str(body[name]) for name in cls.listed_by if body.get(name) is not None}

    @classmethod
    def matches(cls, shown: Object, body: Object) -> bool:
        return bool(shown.get(cls.mark) == body[cls.mark]) if cls.mark else super().matches(shown, body)


class UniquelyNamed(UniquelyNamedObject, KeystoneType, extends=True):
    """Objects that do not show the resource that they were created for."""

    mark = None
