"""Types whose resource is one object in a collection of a cloud's service."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import ClassVar

from calor.clouds.errors import NotFound, Permanent
from calor.clouds.lookups import Lookup
from calor.language.schema import Resolve
from calor.resources.context import (
    AttributeContext,
    Context,
    LiveContext,
    LookupContext,
    ObjectView,
    ResourceView,
)
from calor.resources.contract import ResourceType
from calor.resources.outcomes import ResourceFailed
from calor.resources.services import CloudReader, CloudServices
from calor.resources.values import JsonMapping, JsonObject, Properties
from calor.types.naming import with_ids

SHOWN = "_shown"
"""The data key for the object as the service last showed it."""
ABSENT = "_absent"
"""The data key for the fact that no matching object existed before the create request."""
SLACK = 60.0
"""Seconds by which the clocks of a cloud and of an engine may differ."""

Object = JsonObject


class CloudObject(ResourceType, extends=True):
    """Base of types whose resource is one object of a collection. A subclass defines the bodies of requests, and
    overrides what differs."""

    api: ClassVar[str]
    """The service, by the short name of `CloudServices`."""
    collection: ClassVar[tuple[str, ...]]
    """The path of the collection."""
    wrapper: ClassVar[str]
    """The member of requests and responses that holds the object."""
    plural: ClassVar[str] = ""
    """The member of a list that holds the objects, where that is not the last part of the path."""
    details: ClassVar[str | None] = None
    """What follows the collection in the path of a list with all members of its objects."""
    version: ClassVar[str | None] = None
    """The microversion of requests."""
    change_method: ClassVar[str] = "PUT"
    waits: ClassVar[bool] = False
    """Whether a new object is not ready at once: see `is_ready`."""
    waits_for_removal: ClassVar[bool] = False
    """Whether a deletion takes time."""
    time_member: ClassVar[str] = "created_at"
    """The member with the time of creation."""

    constraint: ClassVar[str] = ""
    """The custom constraint for names and ids of such objects, such as `neutron.subnetpool`, if the type declares
    it."""
    noun: ClassVar[str] = ""
    """The name of the object in messages of that constraint."""

    @classmethod
    def lookup(cls) -> Lookup:
        """How to find objects by name or id, for the constraint."""
        key = cls.plural or cls.collection[-1].replace("-", "_")
        return Lookup(cls.api, cls.collection, key, cls.noun or cls.wrapper, version=cls.version)

    # What a subclass defines.

    @classmethod
    async def new(cls, ctx: Context, props: Properties) -> Object:
        """The body of the create request. Names have been replaced by ids, as `translations` declares."""
        raise NotImplementedError

    @classmethod
    def request(cls, props: Properties, body: Object) -> Object:
        """The whole request for a new object."""
        return {cls.wrapper: body}

    @classmethod
    async def change(cls, ctx: Context, props: Properties, changed: frozenset[str]) -> Object:
        """The body of the update request; if it is empty, no request is sent. By default the members of `new` that
        have the names of changed properties."""
        body = await cls.new(ctx, props)
        return {name: body.get(name) for name in changed if name in body}

    @classmethod
    def is_ready(cls, shown: Object) -> bool:
        """Whether the object is ready. Raises ResourceFailed if it has failed."""
        status = str(shown.get("status", "")).upper()
        if status.startswith("ERROR") or status == "FAILED":
            raise failed(shown)
        return status in ("", "ACTIVE", "AVAILABLE", "DOWN", "UP")

    @classmethod
    def list_filter(cls, body: Object) -> dict[str, str]:
        """The query parameters of a list that contains the object of a request. By default the name."""
        return {"name": str(body["name"])} if body.get("name") else {}

    @classmethod
    def matches(cls, shown: Object, body: Object) -> bool:
        """Whether an object may be the one that a request created."""
        return all(
            shown[name] == body[name] for name in ("name", "description") if name in shown and name in body
        )

    @classmethod
    async def after_create(cls, ctx: Context, cloud: CloudServices, props: Properties) -> None:
        """Called when the new object is ready; called again after a crash."""

    @classmethod
    async def after_update(
        cls, ctx: Context, cloud: CloudServices, props: Properties, changed: frozenset[str]
    ) -> None:
        """Called after the update request, for changes that need other requests."""

    @classmethod
    async def before_delete(cls, ctx: Context, cloud: CloudServices) -> None:
        """Removes what would keep the object from being deleted."""

    @classmethod
    async def given(cls, cloud: CloudServices, props: Properties) -> JsonObject:
        """The properties with ids in place of names."""
        return await with_ids(cloud, cls, props)

    # The hooks.

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        cloud = await ctx.cloud()
        given = await cls.given(cloud, props)
        body = await cls.new(ctx, given)

        async def claim() -> Object | None:
            return await cls.claim(ctx, cloud, body)

        made = await cloud.create(
            cls.api, *cls.path(ctx), body=cls.request(given, body), find=claim, version=cls.version
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
            found = await cls.claim(ctx, cloud, await cls.new(ctx, given))
        if found is None:
            return False
        if ctx.action == "CREATE":
            await cls.finish(ctx, cloud, given, found)
        else:
            ctx.set_physical_id(cls.id_of(found))
        return True

    @classmethod
    async def finish(cls, ctx: Context, cloud: CloudServices, given: Properties, made: Object) -> None:
        """Everything after the response to the create request."""
        if ctx.physical_id is None:
            ctx.set_physical_id(cls.id_of(made))
        if cls.waits and not cls.is_ready(made):
            made = await cls.await_ready(ctx, cloud, cls.is_ready)
        ctx.set_data(**{SHOWN: made})
        await cls.after_create(ctx, cloud, given)

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
        cls, ctx: ObjectView, cloud: CloudReader, settled: Callable[[Object | None], bool]
    ) -> Object | None:
        assert ctx.physical_id is not None
        return await cloud.wait_until(
            cls.api,
            cls.path(ctx),
            ctx.physical_id,
            settled,
            key=cls._plural(),
            details=cls.details,
            version=cls.version,
        )

    @classmethod
    async def update(cls, ctx: Context, props: JsonObject, changed: frozenset[str]) -> None:
        cloud = await ctx.cloud()
        given = await cls.given(cloud, props)
        body = await cls.change(ctx, given, changed)
        if body:
            await cloud.request(
                cls.api,
                cls.change_method,
                *cls.path(ctx),
                str(ctx.physical_id),
                body={cls.wrapper: body},
                version=cls.version,
            )
        await cls.after_update(ctx, cloud, given, changed)
        if (shown := await cls.shown(ctx, cloud)) is not None:
            ctx.set_data(**{SHOWN: shown})

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        if ctx.physical_id is None:
            return
        cloud = await ctx.cloud()
        try:
            await cls.before_delete(ctx, cloud)
            await cls.remove(ctx, cloud)
        except NotFound:
            return
        if cls.waits_for_removal:
            await cls.until(ctx, cloud, cls.is_gone)

    @classmethod
    async def remove(cls, ctx: Context, cloud: CloudServices) -> None:
        await cloud.request(cls.api, "DELETE", *cls.path(ctx), str(ctx.physical_id), version=cls.version)

    @classmethod
    def is_gone(cls, shown: Object | None) -> bool:
        """Whether a deleted object is gone. Raises ResourceFailed if it cannot be deleted."""
        if shown is not None and str(shown.get("status", "")).upper() in ("ERROR", "ERROR_DELETING"):
            raise failed(shown)
        return shown is None or str(shown.get("status", "")).upper() == "DELETED"

    @classmethod
    async def check(cls, ctx: Context) -> None:
        shown = await cls.shown(ctx, await ctx.cloud()) if ctx.physical_id is not None else None
        if shown is None:
            raise ResourceFailed(f"{ctx.physical_id} is gone", "NotFound")
        ctx.set_data(**{SHOWN: shown})
        if not cls.is_ready(shown):
            raise failed(shown)

    @classmethod
    async def exists(cls, ctx: LookupContext) -> bool:
        return await cls.shown(ctx, await ctx.cloud()) is not None

    @classmethod
    async def refresh(cls, ctx: Context) -> None:
        """Reads the object again, for its attributes."""
        if ctx.physical_id is None:
            return
        shown = await cls.read_object(ctx, await ctx.cloud())
        if shown is not None:
            ctx.set_data(**{SHOWN: shown})

    @classmethod
    async def live_state(cls, ctx: LiveContext) -> Object | None:
        shown = await cls.read_object(ctx, await ctx.cloud())
        return None if shown is None else cls.live_properties(ctx, shown)

    @classmethod
    async def read_object(cls, ctx: ObjectView, cloud: CloudReader) -> Object | None:
        """The current object. Many are read at once by one list."""
        return await cls.until(ctx, cloud, lambda shown: True)

    @classmethod
    def live_properties(cls, ctx: ResourceView, shown: Object) -> Object:
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
    def attribute(cls, ctx: AttributeContext, name: str) -> object:
        shown = ctx.data.get(SHOWN)
        if name == "show" or shown is None:
            return shown
        return shown.get(name)

    # Helpers.

    @classmethod
    def path(cls, ctx: ObjectView) -> tuple[str, ...]:
        return cls.collection

    @classmethod
    def id_of(cls, shown: Object) -> str:
        return str(shown["id"])

    @classmethod
    def name_for(cls, ctx: Context, props: Properties) -> str:
        return str(props.get("name") or ctx.physical_name(cls.name_limit))

    @classmethod
    async def shown(cls, ctx: ObjectView, cloud: CloudReader) -> Object | None:
        return await cloud.show(cls.api, *cls.path(ctx), str(ctx.physical_id), version=cls.version)

    @classmethod
    async def claim(cls, ctx: Context, cloud: CloudServices, body: Object) -> Object | None:
        """Finds the unclaimed object of a request whose response was lost, and claims it for the resource."""
        found = await cls.unclaimed(ctx, cloud, body)
        if found is not None:
            # At once, before another resource that looks for the same can find it.
            ctx.set_physical_id(cls.id_of(found))
        return found

    @classmethod
    async def unclaimed(cls, ctx: Context, cloud: CloudServices, body: Object) -> Object | None:
        """The object that a request may have created. Names in templates are not unique: objects that are older than
        the step or belong to another resource do not count. If the name is unique, times are not compared."""
        unique = body.get("name") == ctx.physical_name(cls.name_limit)
        alike = [
            shown
            for shown in await cls._listed(ctx, cloud, cls.list_filter(body))
            if cls.matches(shown, body) and (unique or is_new(shown, ctx, cls.time_member))
        ]
        if not alike:
            return None
        taken = await ctx.claimed([cls.id_of(shown) for shown in alike])
        return next((shown for shown in alike if cls.id_of(shown) not in taken), None)

    @classmethod
    async def _listed(cls, ctx: Context, cloud: CloudServices, params: dict[str, str]) -> list[Object]:
        """The matching objects in a list. The query parameters are only an optimization: which filters services support
        differs by version."""
        path = (*cls.path(ctx), *([cls.details] if cls.details else []))
        read = partial(cloud.list_all, cls.api, *path, key=cls._plural(), version=cls.version)
        try:
            return await read(params=params)
        except Permanent as error:
            if error.status != 400 or not params:
                raise
            return await read()

    @classmethod
    def _plural(cls) -> str:
        return cls.plural or cls.collection[-1].replace("-", "_")


class UniquelyNamedObject(CloudObject, extends=True):
    """The service does not show when such an object was created, but accepts only one of a name: it is the resource's
    own if it did not exist before."""

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        cloud = await ctx.cloud()
        body = await cls.new(ctx, await cls.given(cloud, props))
        if await cls.unclaimed(ctx, cloud, body) is None:
            ctx.set_data(**{ABSENT: True})
            await ctx.flush()
        await super().create(ctx, props)

    @classmethod
    async def claim(cls, ctx: Context, cloud: CloudServices, body: Object) -> Object | None:
        return await super().claim(ctx, cloud, body) if ctx.data.get(ABSENT) else None


def failed(shown: JsonMapping) -> ResourceFailed:
    """The error for an object in a failed status, with the message of the service."""
    fault = shown.get("fault")
    words = fault.get("message") if isinstance(fault, Mapping) else None
    status = str(shown.get("status"))
    if words:
        return ResourceFailed(f'Went to status {status} due to "{words}"', "ResourceInError")
    return ResourceFailed(f"Went to status {status}", "ResourceInError")


def is_new(shown: JsonMapping, ctx: Context, member: str = "created_at") -> bool:
    """Whether an object may have been created in the current step."""
    written = shown.get(member)
    if not isinstance(written, str):
        return True
    try:
        made = datetime.fromisoformat(written)
    except ValueError:
        return True
    return (made if made.tzinfo else made.replace(tzinfo=UTC)).timestamp() >= ctx.started_at - SLACK


def some(props: Properties, names: Sequence[str]) -> Object:
    """The properties that have a value."""
    return {name: props[name] for name in names if props.get(name) is not None}
