"""Attributes of a server about its addresses and consoles."""

from __future__ import annotations

from collections.abc import Mapping

from calor.clouds.errors import CloudError
from calor.resources.context import Context, ResourceView
from calor.resources.services import CloudServices
from calor.resources.values import JsonMapping
from calor.types.cloud_objects import SHOWN, Object

INTERFACES = "_interfaces"
PLACES = "_places"
"""Where a server keeps networks and subnets, by their ids."""
CONSOLES = "_consoles"
KINDS_OF_CONSOLE = (
    ("novnc", "vnc"),
    ("spice-html5", "spice"),
    ("rdp-html5", "rdp"),
    ("serial", "serial"),
    ("webmks", "mks"),
)
WITH_CONSOLES = "2.8"


async def learn(ctx: Context, cloud: CloudServices) -> None:
    """Notes what a server's own answer does not have, if the template reads it: to which ports its addresses belong,
    and its consoles."""
    if reads_interfaces(ctx):
        await _learn_interfaces(ctx, cloud)
    if ctx.reads("console_urls"):
        ctx.set_data(**{CONSOLES: await _consoles(ctx, cloud)})


def reads_interfaces(ctx: Context) -> bool:
    return ctx.reads("addresses") or ctx.reads("networks")


async def _learn_interfaces(ctx: Context, cloud: CloudServices) -> None:
    interfaces = await cloud.list_all(
        "compute", "servers", str(ctx.physical_id), "os-interface", key="interfaceAttachments"
    )
    places: dict[str, Object] = {}
    if await cloud.has("network"):
        for interface in interfaces:
            wanted = [("networks", interface.get("net_id"))]
            wanted += [("subnets", address.get("subnet_id")) for address in interface.get("fixed_ips") or ()]
            for collection, id in wanted:
                if id and id not in places:
                    places[str(id)] = await cloud.show_cached("network", collection, str(id)) or {}
    ctx.set_data(**{INTERFACES: interfaces, PLACES: places})


def has_unread_attributes(ctx: Context) -> bool:
    """Whether there are attributes that have not been read yet."""
    addresses = [address for listed in _shown(ctx).values() for address in listed]
    if reads_interfaces(ctx) and any(not _interface_of(ctx, address) for address in addresses):
        return True
    return ctx.reads("console_urls") and CONSOLES not in ctx.data


async def _consoles(ctx: Context, cloud: CloudServices) -> dict[str, str]:
    found = {}
    for kind, protocol in KINDS_OF_CONSOLE:
        asked = {"remote_console": {"type": kind, "protocol": protocol}}
        try:
            console = await cloud.create(
                "compute",
                "servers",
                str(ctx.physical_id),
                "remote-consoles",
                body=asked,
                version=WITH_CONSOLES,
            )
        except CloudError as error:
            # No cloud has all kinds of console.
            found[kind] = error.message
        else:
            found[kind] = str(console["url"])
    return found


def extended(ctx: ResourceView) -> dict[str, list[Object]]:
    """The addresses as Nova shows them, each with its port, subnets and network; under names and again under ids."""
    places = ctx.data.get(PLACES) or {}
    found: dict[str, list[Object]] = {}
    for name, listed in _shown(ctx).items():
        for address in listed:
            interface = _interface_of(ctx, address)
            network = str(interface.get("net_id", ""))
            subnets = [one.get("subnet_id") for one in interface.get("fixed_ips") or ()]
            whole = {
                **address,
                "port": interface.get("port_id"),
                "network": places.get(network),
                "subnets": [places[id] for id in subnets if places.get(id)],
            }
            for key in (name, network) if network else (name,):
                found.setdefault(key, []).append(whole)
    return found


def by_network(ctx: ResourceView) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, listed in _shown(ctx).items():
        for address in listed:
            network = str(_interface_of(ctx, address).get("net_id", ""))
            for key in (name, network) if network else (name,):
                found.setdefault(key, []).append(str(address["addr"]))
    return found


def first(shown: JsonMapping) -> str:
    listed = [address for addresses in (shown.get("addresses") or {}).values() for address in addresses]
    return str(listed[0]["addr"]) if listed else ""


def _shown(ctx: ResourceView) -> Mapping[str, list[Object]]:
    return (ctx.data.get(SHOWN) or {}).get("addresses") or {}


def _interface_of(ctx: ResourceView, address: JsonMapping) -> Object:
    """A floating address has the hardware address of the port that it leads to."""
    for interface in ctx.data.get(INTERFACES) or ():
        if interface.get("mac_addr") == address.get("OS-EXT-IPS-MAC:mac_addr"):
            return dict(interface)
    return {}
