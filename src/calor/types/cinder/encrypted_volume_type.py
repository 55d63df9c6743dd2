from __future__ import annotations

from contextlib import suppress

from calor.clouds.errors import NotFound
from calor.language.constraints import custom, one_of
from calor.language.schema import Property, supported
from calor.resources.context import AttributeContext, Context
from calor.resources.services import CloudServices
from calor.resources.values import JsonMapping, JsonObject, Properties
from calor.types.cinder.base import CinderType
from calor.types.cloud_objects import ABSENT, SHOWN, Object, some
from calor.types.naming import id_for


class EncryptedVolumeType(CinderType):
    type_name = "OS::Cinder::EncryptedVolumeType"
    support = supported("5.0.0")
    extension = "encryption"
    properties = {
        "provider": Property(str, required=True, update_allowed=True),
        "control_location": Property(
            str, default="front-end", update_allowed=True, constraints=[one_of("front-end", "back-end")]
        ),
        "cipher": Property(
            str, update_allowed=True, constraints=[one_of("aes-xts-plain64", "aes-cbc-essiv")]
        ),
        "key_size": Property(int, update_allowed=True),
        "volume_type": Property(str, required=True, constraints=[custom("cinder.vtype")]),
    }

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        cloud = await ctx.cloud()
        volume_type = await id_for(cloud, "cinder.vtype", props["volume_type"])

        async def found() -> Object | None:
            return await _encryption(cloud, volume_type)

        if await found() is None:
            ctx.set_data(**{ABSENT: True})
            await ctx.flush()
        body = {"encryption": _settings(props)}
        made = await cloud.create("volume", "types", volume_type, "encryption", body=body, find=found)
        ctx.set_physical_id(volume_type)
        ctx.set_data(**{SHOWN: made})

    @classmethod
    async def find(cls, ctx: Context) -> bool:
        if not ctx.data.get(ABSENT):
            return False
        cloud = await ctx.cloud()
        volume_type = await id_for(cloud, "cinder.vtype", ctx.properties["volume_type"])
        found = await _encryption(cloud, volume_type)
        if found is None:
            return False
        ctx.set_physical_id(volume_type)
        ctx.set_data(**{SHOWN: found})
        return True

    @classmethod
    async def update(cls, ctx: Context, props: JsonObject, changed: frozenset[str]) -> None:
        cloud = await ctx.cloud()
        found = await _encryption(cloud, str(ctx.physical_id))
        if found is None:
            raise NotFound(f"The volume type {ctx.physical_id} is not encrypted.", status=404)
        await cloud.request("volume", "PUT", *_path(ctx, found), body={"encryption": _settings(props)})
        ctx.set_data(**{SHOWN: await _encryption(cloud, str(ctx.physical_id))})

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        if ctx.physical_id is None:
            return
        cloud = await ctx.cloud()
        found = await _encryption(cloud, ctx.physical_id)
        if found is not None:
            with suppress(NotFound):
                await cloud.request("volume", "DELETE", *_path(ctx, found))

    @classmethod
    def attribute(cls, ctx: AttributeContext, name: str) -> object:
        return ctx.data.get(SHOWN) if name == "show" else None


def _settings(props: Properties) -> Object:
    return some(props, ("provider", "control_location", "cipher", "key_size"))


async def _encryption(cloud: CloudServices, volume_type: str) -> Object | None:
    """The encryption of a volume type as the service shows it: empty if there is none."""
    return await cloud.show("volume", "types", volume_type, "encryption") or None


def _path(ctx: Context, found: JsonMapping) -> tuple[str, ...]:
    return "types", str(ctx.physical_id), "encryption", str(found["encryption_id"])
