from __future__ import annotations

from calor.clouds.errors import NotFound
from calor.language.constraints import custom
from calor.language.schema import Property, Replace, Resolve, deprecated, exactly_one, hidden, supported
from calor.resources.context import Context
from calor.resources.outcomes import ResourceFailed
from calor.resources.services import CloudServices
from calor.resources.values import JsonMapping, JsonObject, Properties
from calor.types.cloud_objects import Object, is_new
from calor.types.naming import with_ids
from calor.types.neutron.base import NeutronType
from calor.types.neutron.network_object import retry_while_used


class RouterInterface(NeutronType):
    """Connects a subnet to a router.

    With a subnet, the router gets its gateway address; with a port, the address of the port.
    """

    type_name = "OS::Neutron::RouterInterface"
    association_properties = ("router", "subnet", "port")
    extension = "router"
    properties = {
        "router": Property(
            str,
            "The router, by name or id, to be joined to.",
            required=True,
            constraints=[custom("neutron.router")],
        ),
        "router_id": Property(
            str,
            "Use router.",
            constraints=[custom("neutron.router")],
            support=hidden("6.0.0", deprecated("2015.1", supported("2013.1"))),
        ),
        "subnet_id": Property(
            str,
            "Use subnet.",
            constraints=[custom("neutron.subnet")],
            support=hidden("5.0.0", deprecated("2014.2")),
        ),
        "subnet": Property(
            str,
            "The subnet, by name or id, whose gateway the router becomes. Excludes port.",
            constraints=[custom("neutron.subnet")],
        ),
        "port_id": Property(
            str,
            "Use port.",
            constraints=[custom("neutron.port")],
            support=hidden("6.0.0", deprecated("2015.1", supported("2014.1"))),
        ),
        "port": Property(
            str,
            "An unused port, by name or id, whose address the router takes over. Excludes subnet.",
            constraints=[custom("neutron.port")],
            support=supported("2015.1"),
        ),
    }
    translations = [
        Replace(("port",), source=("port_id",)),
        Replace(("router",), source=("router_id",)),
        Replace(("subnet",), source=("subnet_id",)),
        Resolve(("port",), "neutron.port"),
        Resolve(("router",), "neutron.router"),
        Resolve(("subnet",), "neutron.subnet"),
    ]
    rules = exactly_one("subnet", "port")

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        cloud = await ctx.cloud()
        given = await with_ids(cloud, cls, props)
        what, id = _end(given)

        async def is_joined() -> bool:
            return await _port(ctx, cloud, given) is not None

        path = ("routers", given["router"], "add_router_interface")
        await cloud.request_once("network", "PUT", *path, body={what: id}, is_done=is_joined)
        ctx.set_physical_id(f"{given['router']}:{what}={id}")

    @classmethod
    async def find(cls, ctx: Context) -> bool:
        cloud = await ctx.cloud()
        given = await with_ids(cloud, cls, ctx.properties)
        what, id = _end(given)
        known = f"{given['router']}:{what}={id}"
        port = await _port(ctx, cloud, given)
        if port is None or (ctx.physical_id is None and await ctx.claimed([known])):
            return False
        ctx.set_physical_id(known)
        return True

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        # A replacement may have joined the same again.
        if ctx.physical_id is None or await ctx.claimed([ctx.physical_id]):
            return
        cloud = await ctx.cloud()
        router, what, id = _parts(ctx.physical_id)

        async def part() -> Object:
            path = ("routers", router, "remove_router_interface")
            return await cloud.request("network", "PUT", *path, body={what: id})

        try:
            await retry_while_used(ctx, part)
        except NotFound:
            return

    @classmethod
    async def check(cls, ctx: Context) -> None:
        cloud = await ctx.cloud()
        router, what, id = _parts(str(ctx.physical_id))
        if not [port for port in await _ports(cloud, router) if _ends_at(port, what, id)]:
            raise ResourceFailed(f"{ctx.physical_id} is gone", "NotFound")


def _end(given: Properties) -> tuple[str, str]:
    """What is joined to the router, as a request names it, and its id."""
    return ("port_id", given["port"]) if given["port"] else ("subnet_id", given["subnet"])


def _parts(physical_id: str) -> tuple[str, str, str]:
    """Router, kind of end and its id. In stacks of old, ends are subnets without saying so."""
    router, _, end = physical_id.partition(":")
    what, _, id = end.rpartition("=")
    return router, what or "subnet_id", id


async def _ports(cloud: CloudServices, router: str) -> list[Object]:
    return await cloud.list_all("network", "ports", key="ports", params={"device_id": router})


def _ends_at(port: JsonMapping, what: str, id: str) -> bool:
    if what == "port_id":
        return bool(port["id"] == id)
    return any(address["subnet_id"] == id for address in port.get("fixed_ips") or ())


async def _port(ctx: Context, cloud: CloudServices, given: Properties) -> Object | None:
    """The router's port that was created in this step, or that was given."""
    what, id = _end(given)
    for port in await _ports(cloud, given["router"]):
        if _ends_at(port, what, id) and (what == "port_id" or is_new(port, ctx)):
            return port
    return None
