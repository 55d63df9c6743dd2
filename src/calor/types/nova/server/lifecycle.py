"""The life cycle of servers: creation, attributes and deletion."""

from __future__ import annotations

import re
from typing import Any, ClassVar
from uuid import UUID

from calor.clouds.errors import NotFound
from calor.resources.context import AttributeContext, Context, ResourceView
from calor.resources.outcomes import ResourceFailed
from calor.resources.services import CloudServices
from calor.resources.values import JsonMapping, JsonObject, Properties
from calor.types.cloud_objects import SHOWN, CloudObject, Object
from calor.types.heat.software import agent_settings
from calor.types.nova.server import addresses, full_view, user_data
from calor.types.nova.server.interfaces import allocation, entry
from calor.types.nova.server.ports import OWN_PORTS, associate, delete_ports, port_for, release, unused
from calor.types.nova.server.request import (
    READ,
    WITH_SHARED_VOLUMES,
    Networks,
    new_server,
    version_for,
    volumes_of,
)

PASSING = frozenset(
    {
        "BUILD",
        "HARD_REBOOT",
        "MIGRATING",
        "PASSWORD",
        "REBOOT",
        "REBUILD",
        "RESCUE",
        "RESIZE",
        "REVERT_RESIZE",
        "SHUTOFF",
        "SUSPENDED",
        "VERIFY_RESIZE",
    }
)
"""The statuses from which a server may still become active."""


LEARNT = {
    "addresses": addresses.INTERFACES,
    "networks": addresses.INTERFACES,
    "console_urls": addresses.CONSOLES,
    "show": full_view.WHOLE,
}
"""The data key for attributes that are read only if the template uses them."""
SUBNET_PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8, 1.5, 3.0, 3.0)


class ServerLifecycle(CloudObject, extends=True):
    new_reference = True
    api = "compute"
    collection = ("servers",)
    wrapper = "server"
    details = "detail"
    version = READ
    time_member = "created"
    waits = True
    volatile: ClassVar[bool] = True
    login_user: ClassVar[str] = ""
    """Who can log in with the key pair, if not the user of the image."""
    adopted_data = (OWN_PORTS,)

    # Creation.

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        cloud = await ctx.cloud()
        given = await cls.given(cloud, props)
        body = await cls.new(ctx, given)
        hints = {"os:scheduler_hints": given["scheduler_hints"]} if given.get("scheduler_hints") else {}

        async def claim() -> Object | None:
            return await cls.claim(ctx, cloud, body)

        version = version_for(body, await cls._least_version(cloud, given))
        made = await cloud.create(
            "compute", "servers", body={"server": body, **hints}, find=claim, version=version
        )
        await cls.finish(ctx, cloud, given, made)

    @classmethod
    async def new(cls, ctx: Context, props: Properties) -> Object:
        """Creates what the server needs: ports, and the user of its agent."""
        cloud = await ctx.cloud()
        networks = await cls._networks(ctx, cloud, props)
        user_data = await cls.user_data(ctx, props)
        least = await cls._least_version(cloud, props)
        return new_server(props, cls.name_for(ctx, props), user_data, networks, least)

    @classmethod
    async def _least_version(cls, cloud: CloudServices, props: Properties) -> str:
        for volume in volumes_of(props):
            shown = await cloud.show_cached("volume", "volumes", volume)
            if shown is not None and shown.get("multiattach"):
                return WITH_SHARED_VOLUMES
        return READ

    @classmethod
    async def _networks(cls, ctx: Context, cloud: CloudServices, props: Properties) -> Networks:
        given = props.get("networks") or ()
        if allocated := allocation(given):
            return allocated
        ports = [await cls.plug(ctx, cloud, props, position) for position in range(len(given))]
        return [entry(network, port) for network, port in zip(given, ports, strict=True)] or None

    @classmethod
    async def plug(cls, ctx: Context, cloud: CloudServices, props: Properties, position: int) -> str | None:
        """The port of an entry, with its floating IP; None if Nova creates it."""
        network = props["networks"][position]
        if network.get("network") and not network.get("port"):
            await _await_subnet(ctx, cloud, str(network["network"]))
        port = await port_for(ctx, cloud, network, position, props.get("security_groups") or ())
        if port is not None and network.get("floating_ip"):
            await associate(cloud, str(network["floating_ip"]), port)
        return port

    @classmethod
    async def user_data(cls, ctx: Context, props: Properties) -> str:
        """What the server boots with."""
        text = str(props.get("user_data") or "")
        format = props["user_data_format"]
        if format == "HEAT_CFNTOOLS":
            return user_data.for_cfn_tools(text, ctx.metadata, ctx.cfn_url(), cls.login_user)
        text = await _stored(ctx, text)
        if format == "RAW":
            return text
        transport = props["software_config_transport"]
        if not agent_settings.is_connected(ctx.metadata, transport):
            await agent_settings.connect(ctx, transport, props.get("deployment_swift_data"))
        return user_data.for_agents(text, ctx.metadata)

    @classmethod
    async def find(cls, ctx: Context) -> bool:
        cloud = await ctx.cloud()
        if ctx.physical_id is not None:
            found = await cls.shown(ctx, cloud)
        else:
            given = await cls.given(cloud, ctx.properties)
            body = new_server(given, cls.name_for(ctx, given), "", None)
            found = await cls.claim(ctx, cloud, body)
        if ctx.action != "CREATE":
            if found is not None:
                ctx.set_physical_id(cls.id_of(found))
            # Objects created before the server are deleted even if there is no server.
            return (
                found is not None
                or "user_id" in ctx.data
                or bool(await unused(ctx, cloud, (), ctx.properties.get("networks")))
            )
        if found is None:
            return False
        await cls.finish(ctx, cloud, await cls.given(cloud, ctx.properties), found)
        return True

    @classmethod
    def list_filter(cls, body: Object) -> dict[str, str]:
        """Nova treats names as regular expressions."""
        return {"name": f"^{re.escape(str(body['name']))}$"}

    @classmethod
    def matches(cls, shown: Object, body: Object) -> bool:
        return (
            shown["name"] == body["name"]
            and shown.get("key_name") == body.get("key_name")
            and (shown.get("metadata") or {}) == body.get("metadata", {})
            and _is(shown.get("flavor"), body["flavorRef"])
            and _is(shown.get("image"), body.get("imageRef"))
        )

    @classmethod
    def is_ready(cls, shown: Object) -> bool:
        # Some clouds add a remark in parentheses.
        status = str(shown.get("status", "")).partition("(")[0].upper()
        if status == "ACTIVE":
            return True
        if not status or status in PASSING:
            return False
        if status == "ERROR":
            raise ResourceFailed(f'Went to status ERROR due to "{fault_of(shown)}"', "ResourceInError")
        raise ResourceFailed(
            f'{shown.get("name")} - Unknown status {shown.get("status")} due to "Unknown"',
            "ResourceUnknownStatus",
        )

    @classmethod
    async def is_healthy(cls, ctx: Context) -> bool:
        shown = await cls.shown(ctx, await ctx.cloud())
        return shown is not None and shown["status"] not in ("ERROR", "DELETED", "SOFT_DELETED")

    @classmethod
    async def after_create(cls, ctx: Context, cloud: CloudServices, props: Properties) -> None:
        if props.get("tags"):
            await cls.put_tags(ctx, cloud, props["tags"])
            ctx.set_data(**{SHOWN: {**ctx.data[SHOWN], "tags": list(props["tags"])}})
        await addresses.learn(ctx, cloud)
        await full_view.learn(ctx, cloud)

    @classmethod
    async def put_tags(cls, ctx: Context, cloud: CloudServices, tags: list[str]) -> None:
        """An empty list removes all of them."""
        await cloud.request(
            "compute", "PUT", "servers", str(ctx.physical_id), "tags", body={"tags": tags}, version=READ
        )

    # How it is looked at.

    @classmethod
    async def refresh(cls, ctx: Context) -> None:
        await super().refresh(ctx)
        if ctx.data.get(SHOWN) and addresses.has_unread_attributes(ctx):
            await addresses.learn(ctx, await ctx.cloud())
        await full_view.learn(ctx, await ctx.cloud())

    @classmethod
    def is_attribute_known(cls, ctx: ResourceView, attribute: str) -> bool:
        return (LEARNT.get(attribute) or SHOWN) in ctx.data

    @classmethod
    def attribute(cls, ctx: AttributeContext, name: str) -> object:
        if name == "os_collect_config":
            return full_view.settings(ctx)
        shown = ctx.data.get(SHOWN)
        if shown is None or name == "show":
            return full_view.shown(ctx)
        match name:
            case "addresses":
                return addresses.extended(ctx)
            case "networks":
                return addresses.by_network(ctx)
            case "first_address":
                return addresses.first(shown)
            case "instance_name":
                return shown.get("OS-EXT-SRV-ATTR:instance_name")
            case "console_urls":
                return ctx.data.get(addresses.CONSOLES)
        return shown.get(name)

    # Deletion.

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        cloud = await ctx.cloud()
        if ctx.physical_id is not None:
            await release(cloud, ctx.properties.get("networks"))
            await cls._remove_server(ctx, cloud)
        await delete_ports(ctx, cloud, await unused(ctx, cloud, (), ctx.properties.get("networks")))
        await ctx.remove_signalling()

    @classmethod
    async def _remove_server(cls, ctx: Context, cloud: CloudServices) -> None:
        try:
            await cls.remove(ctx, cloud)
        except NotFound:
            return
        left = await cls.until(ctx, cloud, cls.is_gone)
        if left is not None and left.get("status") == "SOFT_DELETED":
            # Some clouds keep servers for a while, and their ports with them.
            await cls.act(ctx, cloud, {"forceDelete": None})
            await cls.until(ctx, cloud, lambda shown: shown is None)

    @classmethod
    def is_gone(cls, shown: Object | None) -> bool:
        if shown is None or shown.get("status") in ("DELETED", "SOFT_DELETED"):
            return True
        if shown.get("status") == "ERROR" and shown.get("OS-EXT-STS:task_state") != "deleting":
            raise ResourceFailed(
                f'Server {shown.get("name")} delete failed: "{fault_of(shown)}"', "ResourceInError"
            )
        return False

    @classmethod
    async def act(
        cls, ctx: Context, cloud: CloudServices, action: JsonMapping, version: str = READ
    ) -> Object:
        return await cloud.request_once(
            "compute", "POST", "servers", str(ctx.physical_id), "action", body=action, version=version
        )


def _is(shown: Any, id: str | None) -> bool:
    """Whether a flavor or an image, as a server shows it, has an id; an empty text is none."""
    return bool((shown or {}).get("id") == id)


def fault_of(shown: JsonMapping) -> str:
    fault = shown.get("fault") or {}
    return f"Message: {fault.get('message', 'Unknown')}, Code: {fault.get('code', 'Unknown')}"


async def _await_subnet(ctx: Context, cloud: CloudServices, network: str) -> None:
    """Waits a while for a subnet: those of a parent stack may still be in progress, since a group's template does not
    show that its members need them. Nova refuses a network without subnets."""
    known = await cloud.show_cached("network", "networks", network)
    for pause in SUBNET_PAUSES:
        if known is None or known.get("subnets"):
            return
        await ctx.sleep(pause)
        known = await cloud.show("network", "networks", network)


async def _stored(ctx: Context, text: str) -> str:
    """The text itself, or that of the software configuration whose id it is."""
    try:
        UUID(text)
    except ValueError:
        return text
    config = await ctx.config(text)
    return text if config is None else str(config["config"] or "")
