from calor.language.schema import Property, supported
from calor.resources.context import Context
from calor.resources.services import CloudServices
from calor.types.keystone.base import UniquelyNamed


class Domain(UniquelyNamed):
    type_name = "OS::Keystone::Domain"
    support = supported("8.0.0")
    properties = {
        "name": Property(str, update_allowed=True),
        "description": Property(str, update_allowed=True),
        "enabled": Property(bool, default=True, update_allowed=True),
    }
    collection = ("domains",)
    wrapper = "domain"
    members = {"name": "name", "description": "description", "enabled": "enabled"}

    @classmethod
    async def before_delete(cls, ctx: Context, cloud: CloudServices) -> None:
        """Only a domain that is disabled can be deleted."""
        body = {"domain": {"enabled": False}}
        await cloud.request(cls.api, "PATCH", *cls.collection, str(ctx.physical_id), body=body)
