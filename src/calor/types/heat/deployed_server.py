from __future__ import annotations

from typing import Any, ClassVar

from calor.language.schema import SHOW, Attribute, Property, ResourceType, deprecated, supported
from calor.types.behaviour import Context
from calor.types.heat import collecting
from calor.types.heat.common import DEPLOYMENT_SWIFT_DATA, SOFTWARE_CONFIG_TRANSPORTS


class DeployedServer(ResourceType):
    """A server that exists already and is not managed by Nova, as a target for software deployments.

    Nothing is created but credentials and a place for metadata. The agent on the machine has to be told about
    them: the attribute os_collect_config holds what it needs.
    """

    type_name = "OS::Heat::DeployedServer"
    service = "heat"
    entity = "servers"
    name_limit = 53
    owns_user = True
    snapshots_on_delete = True
    properties = {
        "name": Property(
            str,
            "A name to show. Left out, one is made from those of the stack and the resource.",
            update_allowed=True,
        ),
        "metadata": Property(
            dict, "Ignored.", update_allowed=True, support=deprecated("9.0.0", supported("8.0.0"))
        ),
        "software_config_transport": Property(
            str,
            "How the machine's agent gets its deployments: by asking the CloudFormation API "
            "(POLL_SERVER_CFN) or the orchestration API (POLL_SERVER_HEAT), by reading an object in Swift "
            "(POLL_TEMP_URL) or a queue in Zaqar (ZAQAR_MESSAGE).",
            default="POLL_SERVER_CFN",
            update_allowed=True,
            constraints=[SOFTWARE_CONFIG_TRANSPORTS],
        ),
        "deployment_swift_data": DEPLOYMENT_SWIFT_DATA,
    }
    attributes = {
        "name": Attribute(str, "The name in use, also when it was made automatically."),
        "os_collect_config": Attribute(
            dict,
            "The settings for os-collect-config on the machine, credentials included. Put them into its "
            "configuration file to connect it.",
            live=True,
            support=supported("9.0.0"),
        ),
        "show": SHOW,
    }

    own_metadata: ClassVar[tuple[str, ...]] = (collecting.SETTINGS, "deployments")
    follows_metadata = True

    @classmethod
    async def create(cls, ctx: Context, props: dict[str, Any]) -> None:
        await collecting.connect(ctx, props["software_config_transport"], props.get("deployment_swift_data"))
        ctx.made(ctx.id)

    @classmethod
    async def update(cls, ctx: Context, props: dict[str, Any], changed: frozenset[str]) -> None:
        if changed & {"software_config_transport", "deployment_swift_data"}:
            transport = props["software_config_transport"]
            await collecting.connect(ctx, transport, props.get("deployment_swift_data"))

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        await ctx.remove_signalling()

    @classmethod
    async def suspend(cls, ctx: Context) -> None:
        await ctx.enable_user(False)

    @classmethod
    async def resume(cls, ctx: Context) -> None:
        await ctx.enable_user(True)

    @classmethod
    def attribute(cls, ctx: Context, name: str) -> Any:
        if name == "os_collect_config":
            return ctx.metadata.get(collecting.SETTINGS)
        if name == "name":
            return ctx.properties.get("name") or ctx.physical_name(cls.name_limit)
        return None
