from __future__ import annotations

from calor.language.constraints import custom
from calor.language.schema import Property, supported
from calor.resources.context import Context
from calor.resources.services import CloudServices
from calor.resources.values import Properties
from calor.types.cloud_objects import Object, UniquelyNamedObject, some
from calor.types.nova.base import NovaObject


class HostAggregate(UniquelyNamedObject, NovaObject):
    """Hosts of the compute service that have something in common, such as a zone. For administrators only."""

    type_name = "OS::Nova::HostAggregate"
    support = supported("6.0.0")
    collection = ("os-aggregates",)
    plural = "aggregates"
    wrapper = "aggregate"
    properties = {
        "name": Property(str, required=True, update_allowed=True),
        "availability_zone": Property(str, update_allowed=True),
        "hosts": Property(list, update_allowed=True, items=Property(str, constraints=[custom("nova.host")])),
        "metadata": Property(dict, default={}, update_allowed=True),
    }

    @classmethod
    async def new(cls, ctx: Context, props: Properties) -> Object:
        return some(props, ("name", "availability_zone"))

    @classmethod
    async def change(cls, ctx: Context, props: Properties, changed: frozenset[str]) -> Object:
        return {name: props.get(name) for name in ("name", "availability_zone") if name in changed}

    @classmethod
    def list_filter(cls, body: Object) -> dict[str, str]:
        return {}

    @classmethod
    async def after_create(cls, ctx: Context, cloud: CloudServices, props: Properties) -> None:
        await cls._arrange(ctx, cloud, props)

    @classmethod
    async def after_update(
        cls, ctx: Context, cloud: CloudServices, props: Properties, changed: frozenset[str]
    ) -> None:
        if changed & {"hosts", "metadata"}:
            await cls._arrange(ctx, cloud, props)

    @classmethod
    async def before_delete(cls, ctx: Context, cloud: CloudServices) -> None:
        await cls._arrange(ctx, cloud, {})

    @classmethod
    async def _arrange(cls, ctx: Context, cloud: CloudServices, props: Properties) -> None:
        """Gives it exactly the hosts and metadata that are wanted."""
        present = await cls.shown(ctx, cloud)
        if present is None:
            return
        hosts, wanted = set(present.get("hosts") or ()), set(props.get("hosts") or ())
        for host in sorted(hosts - wanted):
            await cls._act(ctx, cloud, {"remove_host": {"host": host}})
        for host in sorted(wanted - hosts):
            await cls._act(ctx, cloud, {"add_host": {"host": host}})
        # The zone is among the metadata, and has its own property.
        known = {name: None for name in present.get("metadata") or {} if name != "availability_zone"}
        metadata = {**known, **{name: str(value) for name, value in (props.get("metadata") or {}).items()}}
        if metadata:
            await cls._act(ctx, cloud, {"set_metadata": {"metadata": metadata}})

    @classmethod
    async def _act(cls, ctx: Context, cloud: CloudServices, action: Object) -> None:
        await cloud.request("compute", "POST", "os-aggregates", str(ctx.physical_id), "action", body=action)
