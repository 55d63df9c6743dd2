from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calor.language.constraints import custom
from calor.language.schema import SHOW, Attribute, Property, Resolve, supported
from calor.types.behaviour import CloudServices, Context
from calor.types.cloud_objects import SHOWN, Object, UniquelyNamedObject
from calor.types.nova.base import NovaObject


class Flavor(UniquelyNamedObject, NovaObject):
    """A size of server: how much memory, how many processors and which disks.

    Most clouds let administrators alone create flavors. Apart from extra_specs and tenants a flavor cannot be
    changed: any other change makes a new one.
    """

    type_name = "OS::Nova::Flavor"
    support = supported("2014.2")
    entity = "flavors"
    collection = ("flavors",)
    wrapper = "flavor"
    details = "detail"
    properties = {
        "tenants": Property(
            list,
            "The projects, by name or id, that may use a flavor that is not public.",
            default=[],
            update_allowed=True,
            support=supported("8.0.0"),
            items=Property(str, constraints=[custom("keystone.project")]),
        ),
        "flavorid": Property(
            str,
            "The id that the flavor is to have. It must be free. Left out, it is drawn at random.",
            support=supported("7.0.0"),
        ),
        "name": Property(
            str,
            "What servers may call it instead of its id. Left out, it is made up.",
            support=supported("7.0.0"),
        ),
        "ram": Property(int, "Memory in MiB.", required=True),
        "vcpus": Property(int, "Number of virtual processors.", required=True),
        "disk": Property(
            int,
            "Size of the root disk in GiB. With 0 it is as large as the image, so that nothing limits it; "
            "that suits servers that start from a volume.",
            default=0,
        ),
        "swap": Property(int, "Size of the swap disk in MiB; 0 means none.", default=0),
        "ephemeral": Property(
            int,
            "Size in GiB of a further empty disk that lives as long as the server; 0 means none.",
            default=0,
        ),
        "rxtx_factor": Property(
            float,
            "Multiplies the bandwidth that the network grants, where the hypervisor knows how to.",
            default=1.0,
        ),
        "extra_specs": Property(
            dict,
            "What else the scheduler and the hypervisor shall heed, such as hw:cpu_policy or quotas.",
            update_allowed=True,
        ),
        "is_public": Property(
            bool,
            "False hides it from all projects but those in tenants.",
            default=True,
            support=supported("6.0.0"),
        ),
    }
    attributes = {
        "is_public": Attribute(bool, "Whether all projects can use it.", support=supported("6.0.0")),
        "extra_specs": Attribute(
            dict, "The extra specs that the compute service has for it.", support=supported("7.0.0")
        ),
        "show": SHOW,
    }
    translations = [Resolve(("tenants",), "get_project_id")]

    @classmethod
    async def new(cls, ctx: Context, props: Mapping[str, Any]) -> Object:
        return {
            "name": cls.name_for(ctx, props),
            "ram": props["ram"],
            "vcpus": props["vcpus"],
            "disk": props["disk"],
            "swap": props["swap"],
            "OS-FLV-EXT-DATA:ephemeral": props["ephemeral"],
            "rxtx_factor": props["rxtx_factor"],
            "os-flavor-access:is_public": props["is_public"],
            **({"id": props["flavorid"]} if props.get("flavorid") else {}),
        }

    @classmethod
    def likeness(cls, body: Object) -> dict[str, str]:
        return {"is_public": "None"}

    @classmethod
    def resembles(cls, shown: Object, body: Object) -> bool:
        return bool(shown.get("name") == body["name"])

    @classmethod
    async def furnish(cls, ctx: Context, cloud: CloudServices, props: Mapping[str, Any]) -> None:
        if props.get("extra_specs"):
            await cls._specify(ctx, cloud, props)
        if props.get("tenants") and not props["is_public"]:
            await cls._admit(ctx, cloud, props)
        await cls._learn(ctx, cloud)

    @classmethod
    async def change(cls, ctx: Context, props: Mapping[str, Any], changed: frozenset[str]) -> Object:
        return {}

    @classmethod
    async def adjust(
        cls, ctx: Context, cloud: CloudServices, props: Mapping[str, Any], changed: frozenset[str]
    ) -> None:
        if "extra_specs" in changed:
            await cls._specify(ctx, cloud, props)
        if "tenants" in changed and not props["is_public"]:
            await cls._admit(ctx, cloud, props)
        await cls._learn(ctx, cloud)

    @classmethod
    async def _specs(cls, ctx: Context, cloud: CloudServices) -> dict[str, str]:
        answer = await cloud.ask("compute", "GET", "flavors", str(ctx.physical_id), "os-extra_specs")
        found: dict[str, str] = answer["extra_specs"]
        return found

    @classmethod
    async def _specify(cls, ctx: Context, cloud: CloudServices, props: Mapping[str, Any]) -> None:
        flavor, wanted = str(ctx.physical_id), props.get("extra_specs") or {}
        for name in await cls._specs(ctx, cloud):
            if name not in wanted:
                await cloud.ask("compute", "DELETE", "flavors", flavor, "os-extra_specs", name)
        if wanted:
            body = {"extra_specs": {name: str(value) for name, value in wanted.items()}}
            await cloud.ask("compute", "POST", "flavors", flavor, "os-extra_specs", body=body)

    @classmethod
    async def _admit(cls, ctx: Context, cloud: CloudServices, props: Mapping[str, Any]) -> None:
        """Lets exactly those projects use it that are wanted."""
        flavor, wanted = str(ctx.physical_id), set(props.get("tenants") or ())
        listed = await cloud.all("compute", "flavors", flavor, "os-flavor-access", key="flavor_access")
        present = {str(one["tenant_id"]) for one in listed}
        for action, projects in (
            ("addTenantAccess", wanted - present),
            ("removeTenantAccess", present - wanted),
        ):
            for project in sorted(projects):
                body = {action: {"tenant": project}}
                await cloud.ask("compute", "POST", "flavors", flavor, "action", body=body)

    @classmethod
    async def _learn(cls, ctx: Context, cloud: CloudServices) -> None:
        ctx.note(_specs=await cls._specs(ctx, cloud))

    @classmethod
    def attribute(cls, ctx: Context, name: str) -> Any:
        if name == "extra_specs":
            return ctx.data.get("_specs")
        if name == "is_public":
            return (ctx.data.get(SHOWN) or {}).get("os-flavor-access:is_public")
        return super().attribute(ctx, name)
