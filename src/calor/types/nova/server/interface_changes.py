"""Gives a server that runs other networks."""

from __future__ import annotations

from collections.abc import Sequence

from calor.clouds.errors import Conflict, NotFound
from calor.resources.context import Context
from calor.resources.outcomes import ResourceFailed
from calor.resources.services import CloudServices
from calor.resources.values import Properties
from calor.types.cloud_objects import Object
from calor.types.nova.server.interfaces import InterfaceChanges, Network, attachment, plan_interfaces
from calor.types.nova.server.ports import associate, change_port, delete_ports, port_for, unused

WITH_TAGS = "2.49"
DETACHING_TAKES = 600.0
"""Seconds after which an interface that still exists is assumed not to be detached."""


async def change_interfaces(
    ctx: Context, cloud: CloudServices, before: Sequence[Network] | None, props: Properties
) -> None:
    """Leads from the networks before to those that the properties have; names are ids by then."""
    after = props.get("networks") or ()
    plan = plan_interfaces(before, after, await interfaces(ctx, cloud))
    wanted = {network.get("floating_ip") for network in after}
    for network in before or ():
        if network.get("floating_ip") and network["floating_ip"] not in wanted:
            await associate(cloud, str(network["floating_ip"]), None)
    await unplug(ctx, cloud, plan.detached)
    await delete_ports(ctx, cloud, await unused(ctx, cloud, [port for *_, port in plan.kept], before, after))
    for position, network in plan.attached:
        port = await port_for(ctx, cloud, network, position, props.get("security_groups") or ())
        await plug(ctx, cloud, network, port)
        if port is not None and network.get("floating_ip"):
            await associate(cloud, str(network["floating_ip"]), port)
    await _adjust(cloud, plan)


async def _adjust(cloud: CloudServices, plan: InterfaceChanges) -> None:
    """What can be changed without another interface."""
    for before, after, port in plan.kept:
        same_extras = before.get("port_extra_properties") == after.get("port_extra_properties")
        if not same_extras and not after.get("port"):
            await change_port(cloud, port, after)
        if after.get("floating_ip") and before.get("floating_ip") != after["floating_ip"]:
            await associate(cloud, str(after["floating_ip"]), port)


async def interfaces(ctx: Context, cloud: CloudServices, server: str | None = None) -> list[Object]:
    """Those of the server, or of another one."""
    id = server or str(ctx.physical_id)
    return await cloud.list_all("compute", "servers", id, "os-interface", key="interfaceAttachments")


async def plug(ctx: Context, cloud: CloudServices, network: Network, port: str | None) -> None:
    async def plugged() -> Object | None:
        return next((one for one in await interfaces(ctx, cloud) if one.get("port_id") == port), None)

    wanted = attachment(network, port)
    await cloud.create(
        "compute",
        "servers",
        str(ctx.physical_id),
        "os-interface",
        body={"interfaceAttachment": wanted},
        find=plugged if port is not None else None,
        version=WITH_TAGS if "tag" in wanted else None,
    )


async def unplug(ctx: Context, cloud: CloudServices, ports: Sequence[str], server: str | None = None) -> None:
    """Returns when the server, or another one, has none of the ports any more."""
    id = server or str(ctx.physical_id)
    for port in ports:
        await _detach(ctx, cloud, port, id)
    began, pause = ctx.now(), 0.1
    while ports and (
        left := {one["port_id"] for one in await interfaces(ctx, cloud, id)}.intersection(ports)
    ):
        if ctx.now() - began > DETACHING_TAKES:
            raise ResourceFailed(f"the server keeps its interface {', '.join(sorted(left))}", "Error")
        await ctx.sleep(pause)
        pause = min(pause * 1.5, 5.0)


async def _detach(ctx: Context, cloud: CloudServices, port: str, server: str) -> None:
    """Requests that a port is detached from a server. This is refused while the server is being built, for instance
    after a cancelled creation, and always if the build failed: then the network service detaches the port."""
    began, pause = ctx.now(), 0.2
    settled = False
    while True:
        try:
            await cloud.request("compute", "DELETE", "servers", server, "os-interface", port)
            return
        except NotFound:
            return
        except Conflict:
            if settled or ctx.now() - began > DETACHING_TAKES:
                raise
            shown = await cloud.show("compute", "servers", server)
            if shown is None:
                return
            if shown["status"] == "ERROR":
                body = {"port": {"device_id": "", "device_owner": ""}}
                await cloud.request("network", "PUT", "ports", port, body=body)
                return
            # It may have settled since it refused.
            settled = shown["status"] != "BUILD" and shown.get("OS-EXT-STS:task_state") is None
        await ctx.sleep(pause)
        pause = min(pause * 1.5, 5.0)
