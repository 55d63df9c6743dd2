"""Types whose resource is one object of the network service."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar

from calor.clouds.errors import Conflict, Transient
from calor.types.behaviour import CloudServices, Context
from calor.types.cloud_objects import SHOWN, CloudObject, Object
from calor.types.neutron.base import NeutronType

WHILE_IN_USE = (0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 5.0, 5.0, 10.0, 10.0, 10.0, 10.0)
"""Seconds after which what others still use is asked for again: they may be about to go."""
WHILE_AWAY = (0.2, 1.0, 3.0, 10.0)
"""Seconds after which one looks whether a request was carried out whose answer is lost."""


class NetworkObject(NeutronType, CloudObject):
    """What such types have in common: requests hold the properties, most of them under their own names."""

    api = "network"
    new_reference = True
    members: ClassVar[Mapping[str, str]] = {}
    """What the service calls properties for which it has other names."""
    apart: ClassVar[frozenset[str]] = frozenset()
    """Properties that requests for the object do not hold."""
    nullable: ClassVar[frozenset[str]] = frozenset()
    """Members for which null takes a text away; ids and addresses are such anyway."""
    named: ClassVar[bool] = True
    """Whether an object gets a name where the template gives none."""
    unwatched: ClassVar[frozenset[str]] = frozenset()
    """Properties that others may change, or that the service shows in another form than it was given."""
    likened: ClassVar[tuple[str, ...]] = ()
    """The members, besides the name, by which an object is known again."""

    @classmethod
    async def said(cls, ctx: Context, props: Mapping[str, Any]) -> Object:
        """The properties as requests hold them; what is left out of this is never sent."""
        never = cls.apart | {"tags", "value_specs"}
        said = {name: value for name, value in props.items() if name not in never}
        if cls.named and "name" in said:
            said["name"] = cls.name_for(ctx, props)
        return said

    @classmethod
    async def new(cls, ctx: Context, props: Mapping[str, Any]) -> Object:
        said = await cls.said(ctx, props)
        body = {cls.members.get(name, name): value for name, value in said.items() if value is not None}
        return {**body, **(props.get("value_specs") or {})}

    @classmethod
    async def change(cls, ctx: Context, props: Mapping[str, Any], changed: frozenset[str]) -> Object:
        said = await cls.said(ctx, props)
        body: Object = {}
        for name in sorted(changed & said.keys()):
            member = cls.members.get(name, name)
            kind = cls.properties[name].kind
            if said[name] is not None:
                body[member] = said[name]
            elif kind not in (bool, int):
                body[member] = cls._nothing(kind, member)
        if "value_specs" in changed:
            body.update(props.get("value_specs") or {})
        return body

    @classmethod
    def _nothing(cls, kind: Any, member: str) -> Any:
        """What takes a value away: no request may say null where the service wants a text, a list or a map."""
        if kind is str:
            return None if member in cls.nullable or member.endswith(("_id", "_address")) else ""
        return [] if kind is list else {}

    @classmethod
    async def look_around(cls, ctx: Context, cloud: CloudServices) -> None:
        """Notes what attributes tell besides the object itself."""

    @classmethod
    async def finish(cls, ctx: Context, cloud: CloudServices, given: Mapping[str, Any], made: Object) -> None:
        await super().finish(ctx, cloud, given, made)
        await cls.look_around(ctx, cloud)

    @classmethod
    async def update(cls, ctx: Context, props: dict[str, Any], changed: frozenset[str]) -> None:
        await super().update(ctx, props, changed)
        cloud = await ctx.cloud()
        if cls.waits and not cls.is_ready(ctx.data.get(SHOWN) or {}):
            ctx.note(**{SHOWN: await cls.await_ready(ctx, cloud, cls.is_ready)})
        await cls.look_around(ctx, cloud)

    @classmethod
    async def observe(cls, ctx: Context) -> None:
        await super().observe(ctx)
        await cls.look_around(ctx, await ctx.cloud())

    @classmethod
    async def is_well(cls, ctx: Context) -> bool:
        shown = await cls.shown(ctx, await ctx.cloud())
        return shown is not None and shown.get("status") != "ERROR"

    @classmethod
    async def furnish(cls, ctx: Context, cloud: CloudServices, props: Mapping[str, Any]) -> None:
        if props.get("tags"):
            await cls._tag(ctx, cloud, props["tags"])
            ctx.note(**{SHOWN: {**ctx.data[SHOWN], "tags": props["tags"]}})

    @classmethod
    async def adjust(
        cls, ctx: Context, cloud: CloudServices, props: Mapping[str, Any], changed: frozenset[str]
    ) -> None:
        if "tags" in changed:
            await cls._tag(ctx, cloud, props.get("tags") or [])

    @classmethod
    async def _tag(cls, ctx: Context, cloud: CloudServices, tags: list[str]) -> None:
        await cloud.ask(
            "network", "PUT", *cls.path(ctx), str(ctx.physical_id), "tags", body={"tags": list(tags)}
        )

    @classmethod
    async def remove(cls, ctx: Context, cloud: CloudServices) -> None:
        async def attempt() -> Object:
            return await cloud.ask("network", "DELETE", *cls.path(ctx), str(ctx.physical_id))

        await once_unused(ctx, attempt)

    @classmethod
    def live_properties(cls, ctx: Context, shown: Object) -> Object:
        given = ctx.properties
        return {
            name: given[name] if _same(given[name], value) else value
            for name, value in super().live_properties(ctx, shown).items()
            if name not in cls.unwatched and not _holds_maps(given[name])
        }

    @classmethod
    def likeness(cls, body: Object) -> dict[str, str]:
        known = {name: str(body[name]) for name in cls.likened if body.get(name) is not None}
        return {**super().likeness(body), **known}

    @classmethod
    def resembles(cls, shown: Object, body: Object) -> bool:
        known = ("name", "description", *cls.likened)
        return all(str(shown[name]) == str(body[name]) for name in known if name in shown and name in body)


def _same(given: Any, shown: Any) -> bool:
    """Whether what the service shows is what was given: it may order lists, and have numbers for texts."""
    if isinstance(given, list) and isinstance(shown, list):
        return sorted(map(str, given)) == sorted(map(str, shown))
    return str(given) == str(shown)


def _holds_maps(given: Any) -> bool:
    """Such as fixed addresses: the service fills in what they leave open."""
    return isinstance(given, dict) or (
        isinstance(given, list) and any(isinstance(one, dict) for one in given)
    )


async def once_unused(ctx: Context, attempt: Callable[[], Awaitable[Object]]) -> Object:
    """Does what is refused while something is in use, and waits for that to end. Raises Conflict if it does not."""
    for pause in WHILE_IN_USE:
        try:
            return await attempt()
        except Conflict:
            await ctx.sleep(pause)
    return await attempt()


async def just_once(
    ctx: Context, attempt: Callable[[], Awaitable[Object]], is_done: Callable[[], Awaitable[bool]]
) -> None:
    """Does what a service refuses to do a second time; where an answer is lost, one looks whether it is done."""
    for pause in WHILE_AWAY:
        try:
            await attempt()
            return
        except Transient:
            await ctx.sleep(pause)
            if await is_done():
                return
    await attempt()
