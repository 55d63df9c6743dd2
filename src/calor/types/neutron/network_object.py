"""Types whose resource is one object of the network service."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import ClassVar

from calor.clouds.errors import Conflict
from calor.resources.context import Context, ResourceView
from calor.resources.services import CloudServices
from calor.resources.values import JsonObject, Properties
from calor.types.cloud_objects import SHOWN, CloudObject, Object
from calor.types.neutron.base import NeutronType

WHILE_IN_USE = (0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 5.0, 5.0, 10.0, 10.0, 10.0, 10.0)
"""The interval for retrying the deletion of objects in use, whose users may be about to be deleted."""


class NetworkObject(NeutronType, CloudObject, extends=True):
    """Base of types whose requests consist of the properties, mostly under their own names."""

    api = "network"
    new_reference = True
    members: ClassVar[Mapping[str, str]] = {}
    """What the service calls properties for which it has other names."""
    apart: ClassVar[frozenset[str]] = frozenset()
    """Properties that requests for the object do not hold."""
    nullable: ClassVar[frozenset[str]] = frozenset()
    """Members that are cleared by null, in addition to ids and addresses."""
    named: ClassVar[bool] = True
    """Whether a name is generated if the template has none."""
    unwatched: ClassVar[frozenset[str]] = frozenset()
    """Properties that others may change, or that the service shows in another form than it was given."""
    likened: ClassVar[tuple[str, ...]] = ()
    """The members, in addition to the name, that identify an object."""

    @classmethod
    async def request_body(cls, ctx: Context, props: Properties) -> Object:
        """The members of requests for the properties."""
        never = cls.apart | {"tags", "value_specs"}
        request_body = {name: value for name, value in props.items() if name not in never}
        if cls.named and "name" in request_body:
            request_body["name"] = cls.name_for(ctx, props)
        return request_body

    @classmethod
    async def new(cls, ctx: Context, props: Properties) -> Object:
        request_body = await cls.request_body(ctx, props)
        body = {
            cls.members.get(name, name): value for name, value in request_body.items() if value is not None
        }
        return {**body, **(props.get("value_specs") or {})}

    @classmethod
    async def change(cls, ctx: Context, props: Properties, changed: frozenset[str]) -> Object:
        request_body = await cls.request_body(ctx, props)
        body: Object = {}
        for name in sorted(changed & request_body.keys()):
            member = cls.members.get(name, name)
            kind = cls.properties[name].kind
            if request_body[name] is not None:
                body[member] = request_body[name]
            elif kind not in (bool, int):
                body[member] = cls._nothing(kind, member)
        if "value_specs" in changed:
            body.update(props.get("value_specs") or {})
        return body

    @classmethod
    def _nothing(cls, kind: object, member: str) -> object:
        """The value that clears a member: null is not allowed where the service expects a string, a list or a map."""
        if kind is str:
            return None if member in cls.nullable or member.endswith(("_id", "_address")) else ""
        return [] if kind is list else {}

    @classmethod
    async def read_related(cls, ctx: Context, cloud: CloudServices) -> None:
        """Stores what attributes need in addition to the object itself."""

    @classmethod
    async def finish(cls, ctx: Context, cloud: CloudServices, given: Properties, made: Object) -> None:
        await super().finish(ctx, cloud, given, made)
        await cls.read_related(ctx, cloud)

    @classmethod
    async def update(cls, ctx: Context, props: JsonObject, changed: frozenset[str]) -> None:
        await super().update(ctx, props, changed)
        cloud = await ctx.cloud()
        if cls.waits and not cls.is_ready(ctx.data.get(SHOWN) or {}):
            ctx.set_data(**{SHOWN: await cls.await_ready(ctx, cloud, cls.is_ready)})
        await cls.read_related(ctx, cloud)

    @classmethod
    async def refresh(cls, ctx: Context) -> None:
        await super().refresh(ctx)
        await cls.read_related(ctx, await ctx.cloud())

    @classmethod
    async def is_healthy(cls, ctx: Context) -> bool:
        shown = await cls.shown(ctx, await ctx.cloud())
        return shown is not None and shown.get("status") != "ERROR"

    @classmethod
    async def after_create(cls, ctx: Context, cloud: CloudServices, props: Properties) -> None:
        if props.get("tags"):
            await cls._tag(ctx, cloud, props["tags"])
            ctx.set_data(**{SHOWN: {**ctx.data[SHOWN], "tags": props["tags"]}})

    @classmethod
    async def after_update(
        cls, ctx: Context, cloud: CloudServices, props: Properties, changed: frozenset[str]
    ) -> None:
        if "tags" in changed:
            await cls._tag(ctx, cloud, props.get("tags") or [])

    @classmethod
    async def _tag(cls, ctx: Context, cloud: CloudServices, tags: list[str]) -> None:
        await cloud.request(
            "network", "PUT", *cls.path(ctx), str(ctx.physical_id), "tags", body={"tags": list(tags)}
        )

    @classmethod
    async def remove(cls, ctx: Context, cloud: CloudServices) -> None:
        async def attempt() -> Object:
            return await cloud.request("network", "DELETE", *cls.path(ctx), str(ctx.physical_id))

        await retry_while_used(ctx, attempt)

    @classmethod
    def live_properties(cls, ctx: ResourceView, shown: Object) -> Object:
        given = ctx.properties
        return {
            name: given[name] if _same(given[name], value) else value
            for name, value in super().live_properties(ctx, shown).items()
            if name not in cls.unwatched and not _holds_maps(given[name])
        }

    @classmethod
    def list_filter(cls, body: Object) -> dict[str, str]:
        known = {name: str(body[name]) for name in cls.likened if body.get(name) is not None}
        return {**super().list_filter(body), **known}

    @classmethod
    def matches(cls, shown: Object, body: Object) -> bool:
        known = ("name", "description", *cls.likened)
        return all(str(shown[name]) == str(body[name]) for name in known if name in shown and name in body)


def _same(given: object, shown: object) -> bool:
    """Whether what the service shows is what was given: it may order lists, and have numbers for texts."""
    if isinstance(given, list) and isinstance(shown, list):
        return sorted(map(str, given)) == sorted(map(str, shown))
    return str(given) == str(shown)


def _holds_maps(given: object) -> bool:
    """Such as fixed addresses: the service fills in what they leave open."""
    return isinstance(given, dict) or (
        isinstance(given, list) and any(isinstance(one, dict) for one in given)
    )


async def retry_while_used(ctx: Context, attempt: Callable[[], Awaitable[Object]]) -> Object:
    """Retries a request that is refused while an object is in use. Raises Conflict if it remains in use."""
    for pause in WHILE_IN_USE:
        try:
            return await attempt()
        except Conflict:
            await ctx.sleep(pause)
    return await attempt()
