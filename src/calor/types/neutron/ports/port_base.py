"""Behaviour of ports: addresses, security groups and information about their networks."""

from __future__ import annotations

from contextlib import suppress

from calor.clouds.errors import NotFound
from calor.resources.context import AttributeContext, Context, ResourceView
from calor.resources.services import CloudServices
from calor.resources.values import JsonMapping, Properties
from calor.types.cloud_objects import SHOWN, Object, some
from calor.types.naming import id_for
from calor.types.neutron.network_object import NetworkObject

NEIGHBOURHOOD = "_neighbourhood"
"""The data key for the network and the subnets of a port, as the service shows them."""
LENT = "_lent"
"""Where a port keeps the addresses that it has given to its replacement."""
ADDRESSES = frozenset({"fixed_ips", "no_fixed_ips"})


class PortLifecycle(NetworkObject, extends=True):
    collection = ("ports",)
    wrapper = "port"
    waits = True
    # Servers plug themselves in, and routers take addresses over.
    volatile = True
    members = {"network": "network_id", "qos_policy": "qos_policy_id"}
    unwatched = frozenset({"device_id", "device_owner", "security_groups", "qos_policy"})
    apart = frozenset({"no_fixed_ips", "replacement_policy"})
    likened = ("network_id",)

    @classmethod
    async def request_body(cls, ctx: Context, props: Properties) -> Object:
        cloud = await ctx.cloud()
        request_body = await super().request_body(ctx, props)
        if props["no_fixed_ips"]:
            request_body["fixed_ips"] = []
        elif props["fixed_ips"]:
            request_body["fixed_ips"] = addresses(props["fixed_ips"])
        else:
            # An empty list would remove the port's addresses.
            del request_body["fixed_ips"]
        pairs = props["allowed_address_pairs"]
        if pairs is not None:
            request_body["allowed_address_pairs"] = [
                some(pair, ("ip_address", "mac_address")) for pair in pairs
            ]
        groups = props["security_groups"]
        if groups is not None:
            request_body["security_groups"] = [
                await id_for(cloud, "neutron.security_group", group) for group in groups
            ]
        if props["qos_policy"]:
            request_body["qos_policy"] = await id_for(cloud, "neutron.qos_policy", props["qos_policy"])
        return request_body

    @classmethod
    async def change(cls, ctx: Context, props: Properties, changed: frozenset[str]) -> Object:
        # What takes addresses away has another name than the addresses.
        touched = changed | ADDRESSES if changed & ADDRESSES else changed
        body = await super().change(ctx, props, touched)
        if "security_groups" in changed and props["security_groups"] is None:
            default = await (await ctx.cloud()).id_of("neutron.security_group", "default")
            body["security_groups"] = [default]
        return body

    @classmethod
    def matches(cls, shown: Object, body: Object) -> bool:
        has = [address.items() for address in shown.get("fixed_ips") or ()]
        return (
            super().matches(shown, body)
            and all(any(wanted.items() <= one for one in has) for wanted in body.get("fixed_ips") or ())
            and (
                "security_groups" not in body or set(body["security_groups"]) == set(shown["security_groups"])
            )
        )

    @classmethod
    def is_always_replaced(cls, props: Properties) -> bool:
        return bool(props["replacement_policy"] == "REPLACE_ALWAYS")

    @classmethod
    async def before_replace(cls, ctx: Context) -> None:
        """The port that replaces this one may want the same addresses."""
        shown = await cls.shown(ctx, await ctx.cloud()) if ctx.physical_id is not None else None
        if shown is not None and shown.get("fixed_ips"):
            ctx.set_data(**{LENT: shown["fixed_ips"]})
            await cls._set_addresses(ctx, str(ctx.physical_id), [])

    @classmethod
    async def revert_replace(cls, ctx: Context) -> None:
        lent = ctx.data.get(LENT)
        if not lent:
            return
        cloud = await ctx.cloud()
        network = {"network_id": str((ctx.data.get(SHOWN) or {}).get("network_id"))}
        for port in await cloud.list_all("network", "ports", key="ports", params=network):
            left = [address for address in port.get("fixed_ips") or () if address not in lent]
            if port["id"] != ctx.physical_id and left != port.get("fixed_ips"):
                await cls._set_addresses(ctx, port["id"], left)
        await cls._set_addresses(ctx, str(ctx.physical_id), lent)
        ctx.set_data(**{LENT: None})

    @classmethod
    async def _set_addresses(cls, ctx: Context, port: str, fixed_ips: list[Object]) -> None:
        cloud = await ctx.cloud()
        with suppress(NotFound):
            await cloud.request("network", "PUT", "ports", port, body={"port": {"fixed_ips": fixed_ips}})

    @classmethod
    async def read_related(cls, ctx: Context, cloud: CloudServices) -> None:
        if not (ctx.reads("subnets") or ctx.reads("network")):
            return
        shown = ctx.data.get(SHOWN) or {}
        subnets = [
            await cloud.show_cached("network", "subnets", address["subnet_id"])
            for address in shown.get("fixed_ips") or ()
        ]
        network = shown.get("network_id")
        around = {
            "subnets": [subnet for subnet in subnets if subnet is not None],
            "network": await cloud.show_cached("network", "networks", network) if network else None,
        }
        ctx.set_data(**{NEIGHBOURHOOD: around})

    @classmethod
    def is_attribute_known(cls, ctx: ResourceView, attribute: str) -> bool:
        return attribute not in ("subnets", "network") or NEIGHBOURHOOD in ctx.data

    @classmethod
    def attribute(cls, ctx: AttributeContext, name: str) -> object:
        if name in ("subnets", "network"):
            return (ctx.data.get(NEIGHBOURHOOD) or {}).get(name)
        return super().attribute(ctx, name)


def addresses(given: list[JsonMapping]) -> list[Object]:
    """Fixed addresses as the service has them: each one of a subnet, a certain one, or both."""
    wanted = [some(one, ("subnet", "ip_address")) for one in given]
    return [{("subnet_id" if name == "subnet" else name): one[name] for name in one} for one in wanted]
