from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress

from calor.clouds.errors import NotFound
from calor.language.constraints import custom
from calor.language.schema import Property, Resolve, supported
from calor.resources.context import Context
from calor.resources.services import CloudServices
from calor.resources.values import JsonObject
from calor.types.cinder.base import CinderType
from calor.types.naming import id_for, with_ids


class QoSAssociation(CinderType):
    type_name = "OS::Cinder::QoSAssociation"
    support = supported("8.0.0")
    extension = "qos-specs"
    properties = {
        "qos_specs": Property(str, required=True, constraints=[custom("cinder.qos_specs")]),
        "volume_types": Property(
            list,
            required=True,
            update_allowed=True,
            items=Property(str, constraints=[custom("cinder.vtype")]),
        ),
    }
    translations = [
        Resolve(("volume_types",), "cinder.vtype"),
        Resolve(("qos_specs",), "cinder.qos_specs"),
    ]

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        await cls._change(ctx, props, ())

    @classmethod
    async def update(cls, ctx: Context, props: JsonObject, changed: frozenset[str]) -> None:
        await cls._change(ctx, props, await cls._present(ctx))

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        with suppress(NotFound):
            await cls._change(ctx, {**ctx.properties, "volume_types": []}, await cls._present(ctx))

    @classmethod
    async def _change(cls, ctx: Context, props: JsonObject, before: Collection[str]) -> None:
        """To associate or part them once more does no harm."""
        cloud = await ctx.cloud()
        given = await with_ids(cloud, cls, props)
        for each in before:
            if each not in given["volume_types"]:
                with suppress(NotFound):
                    await _send(cloud, given["qos_specs"], "disassociate", each)
        for each in given["volume_types"]:
            await _send(cloud, given["qos_specs"], "associate", each)

    @classmethod
    async def _present(cls, ctx: Context) -> Collection[str]:
        """The volume types so far, without those that are gone."""
        cloud = await ctx.cloud()
        found: dict[str, None] = {}
        for named in ctx.properties["volume_types"]:
            with suppress(NotFound):
                found[await id_for(cloud, "cinder.vtype", named)] = None
        return found


async def _send(cloud: CloudServices, specs: str, action: str, volume_type: str) -> None:
    await cloud.request("volume", "GET", "qos-specs", specs, action, params={"vol_type_id": volume_type})
