from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calor.language.schema import Property, supported
from calor.types.behaviour import CloudServices, Context
from calor.types.cinder.base import UniquelyNamed, texts
from calor.types.cloud_objects import Object


class QoSSpecs(UniquelyNamed):
    type_name = "OS::Cinder::QoSSpecs"
    support = supported("7.0.0")
    extension = "qos-specs"
    entity = "qos_specs"
    properties = {
        "name": Property(str),
        "specs": Property(dict, required=True, update_allowed=True),
    }
    collection = ("qos-specs",)
    wrapper = "qos_specs"

    @classmethod
    async def new(cls, ctx: Context, props: Mapping[str, Any]) -> Object:
        return {"name": cls.name_for(ctx, props), **texts(props["specs"])}

    @classmethod
    def likeness(cls, body: Object) -> dict[str, str]:
        return {}

    @classmethod
    def resembles(cls, shown: Object, body: Object) -> bool:
        return bool(shown.get("name") == body["name"])

    @classmethod
    async def change(cls, ctx: Context, props: Mapping[str, Any], changed: frozenset[str]) -> Object:
        return texts(props["specs"]) if "specs" in changed else {}

    @classmethod
    async def adjust(
        cls, ctx: Context, cloud: CloudServices, props: Mapping[str, Any], changed: frozenset[str]
    ) -> None:
        gone = sorted(set(ctx.properties["specs"]) - set(props["specs"]))
        if gone:
            path = (*cls.collection, str(ctx.physical_id), "delete_keys")
            await cloud.ask(cls.api, "PUT", *path, body={"keys": gone})

    @classmethod
    async def clear(cls, ctx: Context, cloud: CloudServices) -> None:
        """Specs that a volume type uses cannot be deleted."""
        await cloud.ask(cls.api, "GET", *cls.collection, str(ctx.physical_id), "disassociate_all")
