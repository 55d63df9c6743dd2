from __future__ import annotations

from calor.language.schema import Property, supported
from calor.resources.context import Context
from calor.resources.services import CloudServices
from calor.resources.values import Properties
from calor.types.cinder.base import UniquelyNamed, texts
from calor.types.cloud_objects import Object


class QoSSpecs(UniquelyNamed):
    type_name = "OS::Cinder::QoSSpecs"
    support = supported("7.0.0")
    extension = "qos-specs"
    properties = {
        "name": Property(str),
        "specs": Property(dict, required=True, update_allowed=True),
    }
    collection = ("qos-specs",)
    wrapper = "qos_specs"

    @classmethod
    async def new(cls, ctx: Context, props: Properties) -> Object:
        return {"name": cls.name_for(ctx, props), **texts(props["specs"])}

    @classmethod
    def list_filter(cls, body: Object) -> dict[str, str]:
        return {}

    @classmethod
    def matches(cls, shown: Object, body: Object) -> bool:
        return bool(shown.get("name") == body["name"])

    @classmethod
    async def change(cls, ctx: Context, props: Properties, changed: frozenset[str]) -> Object:
        return texts(props["specs"]) if "specs" in changed else {}

    @classmethod
    async def after_update(
        cls, ctx: Context, cloud: CloudServices, props: Properties, changed: frozenset[str]
    ) -> None:
        gone = sorted(set(ctx.properties["specs"]) - set(props["specs"]))
        if gone:
            path = (*cls.collection, str(ctx.physical_id), "delete_keys")
            await cloud.request(cls.api, "PUT", *path, body={"keys": gone})

    @classmethod
    async def before_delete(cls, ctx: Context, cloud: CloudServices) -> None:
        """Specs that a volume type uses cannot be deleted."""
        await cloud.request(cls.api, "GET", *cls.collection, str(ctx.physical_id), "disassociate_all")
