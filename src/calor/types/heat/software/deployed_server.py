from __future__ import annotations

from typing import ClassVar

from calor.language.schema import SHOW, Attribute, Property, deprecated, supported
from calor.resources.context import AttributeContext, Context
from calor.resources.contract import ResourceType
from calor.resources.values import JsonObject
from calor.types.heat.common import DEPLOYMENT_SWIFT_DATA, SOFTWARE_CONFIG_TRANSPORTS
from calor.types.heat.software import agent_settings


class DeployedServer(ResourceType):
    """A server that exists already and is not managed by Nova, as a target for software deployments.

    Nothing is created but credentials and a place for metadata. The agent on the machine needs them: the
    attribute os_collect_config holds what it needs.
    """

    type_name = "OS::Heat::DeployedServer"
    service = "heat"
    name_limit = 53
    snapshots_on_delete = True
    properties = {
        "name": Property(
            str,
            "A name to show. Generated from those of the stack and the resource by default.",
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
        "name": Attribute(str, "The name, including a generated one."),
        "os_collect_config": Attribute(
            dict,
            "The settings for os-collect-config on the machine, credentials included. Put them into its "
            "configuration file to connect it.",
            live=True,
            support=supported("9.0.0"),
        ),
        "show": SHOW,
    }

    own_metadata: ClassVar[tuple[str, ...]] = (agent_settings.SETTINGS, "deployments")
    refresh_metadata_on_signal = True

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        await agent_settings.connect(
            ctx, props["software_config_transport"], props.get("deployment_swift_data")
        )
        ctx.set_physical_id(ctx.id)

    @classmethod
    async def update(cls, ctx: Context, props: JsonObject, changed: frozenset[str]) -> None:
        if changed & {"software_config_transport", "deployment_swift_data"}:
            transport = props["software_config_transport"]
            await agent_settings.connect(ctx, transport, props.get("deployment_swift_data"))

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
    def attribute(cls, ctx: AttributeContext, name: str) -> object:
        if name == "os_collect_config":
            return ctx.metadata.get(agent_settings.SETTINGS)
        if name == "name":
            return ctx.properties.get("name") or ctx.physical_name(cls.name_limit)
        return None
