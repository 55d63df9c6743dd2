"""Types whose resource is one object in a collection of a cloud's service."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, ClassVar

from calor.clouds.errors import NotFound, Permanent
from calor.language.schema import Resolve, ResourceType
from calor.types.behaviour import CloudServices, Context, ResourceFailed
from calor.types.naming import with_ids

SHOWN = "_shown"
"""Where a resource keeps what the service last said of its object."""
ABSENT = "_absent"
"""Where a resource notes that there was nothing like its object before it was asked for."""
SLACK = 60.0
"""Seconds by which the clocks of a cloud and of an engine may differ."""

Object = dict[str, Any]


class CloudObject(ResourceType):
    """What such types have in common: a subclass says what its requests hold, and what differs otherwise."""

    api: ClassVar[str]
    """The service, by the short name of `CloudServices`."""
    collection: ClassVar[tuple[str, ...]]
    """The path of the collection."""
    wrapper: ClassVar[str]
    """What requests wrap the object in."""
    plural: ClassVar[str] = ""
    """The member of a list that holds the objects, where that is not the last part of the path."""
    details: ClassVar[str | None] = None
    """What follows the collection in the path of a list with all members of its objects."""
    version: ClassVar[str | None] = None
    """The microversion in which the type speaks."""
    change_method: ClassVar[str] = "PUT"
    waits: ClassVar[bool] = False
    """Whether a new object takes time to be ready: see `is_ready`."""
    waits_for_removal: ClassVar[bool] = False
    """Whether a deleted object takes time to go."""
    time_member: ClassVar[str] = "created_at"
    """The member that says when an object was made."""

    # What a subclass says.

    @classmethod
    async def new(cls, ctx: Context, props: Mapping[str, Any]) -> Object:
        """What the request for a new object says. Names have become ids already, as `translations` tells."""
        raise NotImplementedError

    @classmethod
    def request(cls, props: Mapping[str, Any], body: Object) -> Object:
        """The whole request for a new object."""
        return {cls.wrapper: body}

    @classmethod
    async def change(cls, ctx: Context, props: Mapping[str, Any], changed: frozenset[str]) -> Object:
        """What the request for a change says; nothing is asked for if that is empty. By default that part of
        `new` which has the names of changed properties."""
        body = await cls.new(ctx, props)
        return {name: body.get(name) for name in changed if name in body}

    @classmethod
    def is_ready(cls, shown: Object) -> bool:
        """Whether it has become what it shall be. Raises ResourceFailed if it never will."""
        status = str(shown.get("status", "")).upper()
        if status.startswith("ERROR") or status == "FAILED":
            raise failed(shown)
        return status in ("", "ACTIVE", "AVAILABLE", "DOWN", "UP")

    @classmethod
    def likeness(cls, body: Object) -> dict[str, str]:
        """The parameters of a list that shows what was made by a request. By default the name."""
        return {"name": str(body["name"])} if body.get("name") else {}

    @classmethod
    def resembles(cls, shown: Object, body: Object) -> bool:
        """Whether an object may be what was made by a request."""
        return all(
            shown[name] == body[name] for name in ("name", "description") if name in shown and name in body
        )

    @classmethod
    async def furnish(cls, ctx: Context, cloud: CloudServices, props: Mapping[str, Any]) -> None:
        """What is to be done once the new object is ready. It may be done again after a crash."""

    @classmethod
    async def adjust(
        cls, ctx: Context, cloud: CloudServices, props: Mapping[str, Any], changed: frozenset[str]
    ) -> None:
        """What an update has to do besides the request for a change."""

    @classmethod
    async def clear(cls, ctx: Context, cloud: CloudServices) -> None:
        """What has to go before the object can be deleted."""

    @classmethod
    async def given(cls, cloud: CloudServices, props: Mapping[str, Any]) -> dict[str, Any]:
        """The properties with ids in place of names."""
        return await with_ids(cloud, cls, props)

    # What all of them do.

    @classmethod
    async def create(cls, ctx: Context, props: dict[str, Any]) -> None:
        cloud = await ctx.cloud()
        given = await cls.given(cloud, props)
        body = await cls.new(ctx, given)

        async def orphan() -> Object | None:
            return await cls.orphan(ctx, cloud, body)

        made = await cloud.make(
            cls.api, *cls.path(ctx), body=cls.request(given, body), find=orphan, version=cls.version
        )
        await cls.finish(ctx, cloud, given, made)

    @classmethod
    async def find(cls, ctx: Context) -> bool:
        cloud = await ctx.cloud()
        if ctx.physical_id is not None:
            found = await cls.shown(ctx, cloud)
            given = await cls.given(cloud, ctx.properties) if found is not None else {}
        else:
            given = await cls.given(cloud, ctx.properties)
            found = await cls.orphan(ctx, cloud, await cls.new(ctx, given))
        if found is None:
            return False
        if ctx.action == "CREATE":
            await cls.finish(ctx, cloud, given, found)
        else:
            ctx.made(cls.id_of(found))
        return True

    @classmethod
    async def finish(cls, ctx: Context, cloud: CloudServices, given: Mapping[str, Any], made: Object) -> None:
        """From the answer to the request on."""
        if ctx.physical_id is None:
            ctx.made(cls.id_of(made))
        if cls.waits and not cls.is_ready(made):
            made = await cls.await_ready(ctx, cloud, cls.is_ready)
        ctx.note(**{SHOWN: made})
        await cls.furnish(ctx, cloud, given)

    @classmethod
    async def await_ready(
        cls, ctx: Context, cloud: CloudServices, is_ready: Callable[[Object], bool]
    ) -> Object:
        def settled(shown: Object | None) -> bool:
            if shown is None:
                raise ResourceFailed(f"{ctx.physical_id} is gone", "NotFound")
            return is_ready(shown)

        found = await cls.until(ctx, cloud, settled)
        assert found is not None
        return found

    @classmethod
    async def until(
        cls, ctx: Context, cloud: CloudServices, settled: Callable[[Object | None], bool]
    ) -> Object | None:
        assert ctx.physical_id is not None
        return await cloud.until(
            cls.api,
            cls.path(ctx),
            ctx.physical_id,
            settled,
            key=cls._plural(),
            details=cls.details,
            version=cls.version,
        )

    @classmethod
    async def update(cls, ctx: Context, props: dict[str, Any], changed: frozenset[str]) -> None:
        cloud = await ctx.cloud()
        given = await cls.given(cloud, props)
        body = await cls.change(ctx, given, changed)
        if body:
            await cloud.ask(
                cls.api,
                cls.change_method,
                *cls.path(ctx),
                str(ctx.physical_id),
                body={cls.wrapper: body},
                version=cls.version,
            )
        await cls.adjust(ctx, cloud, given, changed)
        if (shown := await cls.shown(ctx, cloud)) is not None:
            ctx.note(**{SHOWN: shown})

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        if ctx.physical_id is None:
            return
        cloud = await ctx.cloud()
        try:
            await cls.clear(ctx, cloud)
            await cls.remove(ctx, cloud)
        except NotFound:
            return
        if cls.waits_for_removal:
            await cls.until(ctx, cloud, cls.is_gone)

    @classmethod
    async def remove(cls, ctx: Context, cloud: CloudServices) -> None:
        await cloud.ask(cls.api, "DELETE", *cls.path(ctx), str(ctx.physical_id), version=cls.version)

    @classmethod
    def is_gone(cls, shown: Object | None) -> bool:
        """Whether a deleted object is there no more. Raises ResourceFailed if it stays."""
        if shown is not None and str(shown.get("status", "")).upper() in ("ERROR", "ERROR_DELETING"):
            raise failed(shown)
        return shown is None or str(shown.get("status", "")).upper() == "DELETED"

    @classmethod
    async def check(cls, ctx: Context) -> None:
        shown = await cls.shown(ctx, await ctx.cloud()) if ctx.physical_id is not None else None
        if shown is None:
            raise ResourceFailed(f"{ctx.physical_id} is gone", "NotFound")
        ctx.note(**{SHOWN: shown})
        if not cls.is_ready(shown):
            raise failed(shown)

    @classmethod
    async def exists(cls, ctx: Context) -> bool:
        return await cls.shown(ctx, await ctx.cloud()) is not None

    @classmethod
    async def observe(cls, ctx: Context) -> None:
        """Reads the object anew, for its attributes."""
        if ctx.physical_id is None:
            return
        shown = await cls.look_at(ctx, await ctx.cloud())
        if shown is not None:
            ctx.note(**{SHOWN: shown})

    @classmethod
    async def live(cls, ctx: Context) -> Object | None:
        shown = await cls.look_at(ctx, await ctx.cloud())
        return None if shown is None else cls.live_properties(ctx, shown)

    @classmethod
    async def look_at(cls, ctx: Context, cloud: CloudServices) -> Object | None:
        """The object as it is at present. Many are read at once by a list, if their ids are those of the resources."""
        return await cls.until(ctx, cloud, lambda shown: True)

    @classmethod
    def live_properties(cls, ctx: Context, shown: Object) -> Object:
        """The properties that an object shows under their own names. What was not given is not compared, nor what
        a template may call by a name where the service has an id."""
        named = {rule.path[0] for rule in cls.translations if isinstance(rule, Resolve)}
        return {
            name: shown[name]
            for name, declared in cls.properties.items()
            if declared.update_allowed
            and name in shown
            and name not in named
            and ctx.properties.get(name) is not None
        }

    @classmethod
    def attribute(cls, ctx: Context, name: str) -> Any:
        shown = ctx.data.get(SHOWN)
        if name == "show" or shown is None:
            return shown
        return shown.get(name)

    # Its parts.

    @classmethod
    def path(cls, ctx: Context) -> tuple[str, ...]:
        return cls.collection

    @classmethod
    def id_of(cls, shown: Object) -> str:
        return str(shown["id"])

    @classmethod
    def name_for(cls, ctx: Context, props: Mapping[str, Any]) -> str:
        return str(props.get("name") or ctx.physical_name(cls.name_limit))

    @classmethod
    async def shown(cls, ctx: Context, cloud: CloudServices) -> Object | None:
        return await cloud.show(cls.api, *cls.path(ctx), str(ctx.physical_id), version=cls.version)

    @classmethod
    async def orphan(cls, ctx: Context, cloud: CloudServices, body: Object) -> Object | None:
        """What a request has made whose answer nobody heard; the resource has it from now on."""
        found = await cls.nobodys(ctx, cloud, body)
        if found is not None:
            # At once, before another resource that looks for the same can find it.
            ctx.made(cls.id_of(found))
        return found

    @classmethod
    async def nobodys(cls, ctx: Context, cloud: CloudServices, body: Object) -> Object | None:
        """What a request may have made. Names that templates give are not unique: what was there before the step
        began, or belongs to another resource, is not meant. Where the name is unique, no clock is asked."""
        unique = body.get("name") == ctx.physical_name(cls.name_limit)
        alike = [
            shown
            for shown in await cls._listed(ctx, cloud, cls.likeness(body))
            if cls.resembles(shown, body) and (unique or is_new(shown, ctx, cls.time_member))
        ]
        if not alike:
            return None
        taken = await ctx.taken([cls.id_of(shown) for shown in alike])
        return next((shown for shown in alike if cls.id_of(shown) not in taken), None)

    @classmethod
    async def _listed(cls, ctx: Context, cloud: CloudServices, params: dict[str, str]) -> list[Object]:
        """What a list shows, of which the parameters only make it shorter: services refuse to filter by some members,
        by others than they did in their last version."""
        path = (*cls.path(ctx), *([cls.details] if cls.details else []))
        read = partial(cloud.all, cls.api, *path, key=cls._plural(), version=cls.version)
        try:
            return await read(params=params)
        except Permanent as error:
            if error.status != 400 or not params:
                raise
            return await read()

    @classmethod
    def _plural(cls) -> str:
        return cls.plural or cls.collection[-1].replace("-", "_")


class UniquelyNamedObject(CloudObject):
    """The service does not tell when such an object was made, but takes no second one of the same name: what is there
    is the resource's own if it was not there before."""

    @classmethod
    async def create(cls, ctx: Context, props: dict[str, Any]) -> None:
        cloud = await ctx.cloud()
        body = await cls.new(ctx, await cls.given(cloud, props))
        if await cls.nobodys(ctx, cloud, body) is None:
            ctx.note(**{ABSENT: True})
            await ctx.intend()
        await super().create(ctx, props)

    @classmethod
    async def orphan(cls, ctx: Context, cloud: CloudServices, body: Object) -> Object | None:
        return await super().orphan(ctx, cloud, body) if ctx.data.get(ABSENT) else None


def failed(shown: Mapping[str, Any]) -> ResourceFailed:
    """The failure of an object that has a bad status, with the service's words for it."""
    fault = shown.get("fault")
    words = fault.get("message") if isinstance(fault, Mapping) else None
    status = str(shown.get("status"))
    if words:
        return ResourceFailed(f'Went to status {status} due to "{words}"', "ResourceInError")
    return ResourceFailed(f"Went to status {status}", "ResourceInError")


def is_new(shown: Mapping[str, Any], ctx: Context, member: str = "created_at") -> bool:
    """Whether an object may have been made in the present step."""
    written = shown.get(member)
    if not isinstance(written, str):
        return True
    try:
        made = datetime.fromisoformat(written)
    except ValueError:
        return True
    return (made if made.tzinfo else made.replace(tzinfo=UTC)).timestamp() >= ctx.began_at - SLACK


def some(props: Mapping[str, Any], names: Sequence[str]) -> Object:
    """Those of the properties that have a value."""
    return {name: props[name] for name in names if props.get(name) is not None}
