"""The ports that are created for a server in advance, and their floating IPs."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence

from calor.clouds.errors import Conflict, NotFound
from calor.resources.context import Context
from calor.resources.outcomes import ResourceFailed
from calor.resources.services import CloudServices
from calor.resources.values import JsonMapping
from calor.types.cloud_objects import Object
from calor.types.naming import id_for
from calor.types.nova.server.interfaces import Network, matches_entry, needs_own_port, port_body

OWN_PORTS = "internal_ports"
"""The data key for the ids of the ports created for a server, as JSON text."""
PAUSES = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0)
"""The interval for retrying deletions of objects that are in use."""


def own_ports(data: JsonMapping) -> list[str]:
    kept = data.get(OWN_PORTS) or []
    listed = json.loads(kept) if isinstance(kept, str) else kept
    return [str(one["id"]) for one in listed]


def _note(ctx: Context, ids: Iterable[str]) -> None:
    ctx.set_data(**{OWN_PORTS: json.dumps([{"id": id} for id in ids])})


async def port_for(
    ctx: Context, cloud: CloudServices, network: Network, position: int, groups: Sequence[str]
) -> str | None:
    """The port of an entry, or one that is created for it; None if Nova creates it."""
    if network.get("port"):
        return str(network["port"])
    if not needs_own_port(network):
        return None
    name = _name(ctx, position)
    known = own_ports(ctx.data)

    def fitting(waiting: Iterable[Object]) -> Object | None:
        return next((port for port in waiting if _is_for(network, port)), None)

    async def made_before() -> Object | None:
        return fitting(await _waiting(cloud, name))

    left = await _waiting(cloud, name)
    port = fitting(left)
    if port is None:
        # Those for a place that was wanted earlier must not keep it from going.
        await delete_ports(ctx, cloud, [str(one["id"]) for one in left])
        ids = [await id_for(cloud, "neutron.security_group", str(group)) for group in groups]
        prepared = await _with_policy_id(cloud, network)
        body = port_body(prepared, await _network_of(cloud, network), name, ids)
        port = await cloud.create("network", "ports", body={"port": body}, find=made_before)
    if port["id"] not in known:
        _note(ctx, [*known, port["id"]])
    return str(port["id"])


def _name(ctx: Context, position: int) -> str:
    return f"{ctx.physical_name()}-port-{position}"


async def _waiting(cloud: CloudServices, name: str) -> list[Object]:
    """Ports that an interrupted attempt created for a server, or detached from it."""
    listed = await cloud.list_all("network", "ports", key="ports", params={"name": name})
    return [port for port in listed if port.get("name") == name and not port.get("device_id")]


async def unused(
    ctx: Context, cloud: CloudServices, kept: Collection[str], *wanted: Sequence[Network] | None
) -> list[str]:
    """The server's own ports that are not kept: the stored ones, and those that an interrupted attempt created for some
    networks without storing them."""
    found = [port for port in own_ports(ctx.data) if port not in kept]
    names = {
        _name(ctx, position)
        for networks in wanted
        for position, network in enumerate(networks or ())
        if needs_own_port(network)
    }
    for name in sorted(names):
        found += [str(port["id"]) for port in await _waiting(cloud, name)]
    return list(dict.fromkeys(found))


def _is_for(network: Network, port: Object) -> bool:
    interface = {"port_id": port["id"], "net_id": port["network_id"], "fixed_ips": port["fixed_ips"]}
    return matches_entry(network, interface)


async def _network_of(cloud: CloudServices, network: Network) -> str:
    if network.get("network"):
        return str(network["network"])
    subnet = await cloud.show_cached("network", "subnets", network["subnet"])
    if subnet is None:
        raise ResourceFailed(f"there is no subnet {network['subnet']}", "NotFound")
    return str(subnet["network_id"])


async def _with_policy_id(cloud: CloudServices, network: Network) -> Network:
    extras = network.get("port_extra_properties") or {}
    if not extras.get("qos_policy"):
        return network
    policy = await id_for(cloud, "neutron.qos_policy", extras["qos_policy"])
    return {**network, "port_extra_properties": {**extras, "qos_policy": policy}}


async def change_port(cloud: CloudServices, port: str, network: Network) -> None:
    """Sets the extra properties of an entry on a port that was created here."""
    prepared = await _with_policy_id(cloud, network)
    body = port_body(prepared, "", "", ())
    fixed = {"name", "network_id", "mac_address", "fixed_ips"}
    changes = {name: value for name, value in body.items() if name not in fixed}
    if (network.get("port_extra_properties") or {}).get("no_fixed_ips"):
        changes["fixed_ips"] = []
    if changes:
        await cloud.request("network", "PUT", "ports", port, body={"port": changes})


async def delete_ports(ctx: Context, cloud: CloudServices, ports: Iterable[str]) -> None:
    """Deletes ports of the server; missing ones are ignored."""
    for port in ports:
        await _delete_port(ctx, cloud, port)
        _note(ctx, [known for known in own_ports(ctx.data) if known != port])


async def _delete_port(ctx: Context, cloud: CloudServices, port: str) -> None:
    for pause in (*PAUSES, None):
        try:
            await cloud.request("network", "DELETE", "ports", port)
        except NotFound:
            return
        except Conflict:
            if pause is None:
                raise
            await ctx.sleep(pause)
        else:
            return


async def associate(cloud: CloudServices, floating_ip: str, port: str | None) -> None:
    """Gives a floating address to a port or, without one, takes it away; then it may be gone, too."""
    try:
        await cloud.request(
            "network", "PUT", "floatingips", floating_ip, body={"floatingip": {"port_id": port}}
        )
    except NotFound:
        if port is not None:
            raise


async def release(cloud: CloudServices, networks: Sequence[Network] | None) -> None:
    """Takes away the floating addresses that entries name."""
    for network in networks or ():
        if network.get("floating_ip"):
            await associate(cloud, str(network["floating_ip"]), None)


async def external_network(cloud: CloudServices) -> str:
    """The id of a network that leads outside, for those who name none."""
    listed = await cloud.list_all("network", "networks", key="networks", params={"router:external": "True"})
    if not listed:
        raise ResourceFailed("there is no external network", "NotFound")
    return str(listed[0]["id"])
