from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from calor.clouds.errors import Conflict, NotFound
from calor.language.constraints import custom, length, one_of, range_
from calor.language.schema import (
    SHOW,
    Attribute,
    Problem,
    Property,
    Replace,
    Resolve,
    deprecated,
    hidden,
    supported,
)
from calor.language.values import bare
from calor.types.behaviour import CloudServices, Context
from calor.types.cloud_objects import some
from calor.types.naming import with_ids
from calor.types.neutron.objects import NetworkObject


class Segmentation:
    """A vlan connection has a number, a flat one none but 0."""

    def problems(self, given: Mapping[str, Any]) -> Iterator[Problem]:
        connections = given.get("connections")
        for index, connection in enumerate(connections if isinstance(connections, list) else ()):
            if not isinstance(connection, dict):
                continue
            kind, number = connection.get("segmentation_type"), connection.get("segmentation_id")
            if kind == "vlan" and number is None:
                yield Problem(
                    "StackValidationFailed", f"connections[{index}] is vlan and needs segmentation_id"
                )
            if kind == "flat" and bare(number):
                yield Problem(
                    "StackValidationFailed", f"connections[{index}] is flat and has no segmentation_id"
                )


class NetworkGateway(NetworkObject):
    type_name = "OS::Neutron::NetworkGateway"
    support = supported("2014.1")
    entity = "network_gateway"
    collection = ("network-gateways",)
    wrapper = "network_gateway"
    apart = frozenset({"connections"})
    properties = {
        "name": Property(str, update_allowed=True),
        "devices": Property(
            list,
            required=True,
            update_allowed=True,
            constraints=[length(min=1)],
            items=Property(
                dict,
                fields={
                    "id": Property(str, required=True),
                    "interface_name": Property(str, required=True),
                },
            ),
        ),
        "connections": Property(
            list,
            default={},
            update_allowed=True,
            items=Property(
                dict,
                fields={
                    "network_id": Property(
                        str,
                        constraints=[custom("neutron.network")],
                        support=hidden("5.0.0", deprecated("2014.2")),
                    ),
                    "network": Property(
                        str,
                        required=True,
                        constraints=[custom("neutron.network")],
                        support=supported("2014.2"),
                    ),
                    "segmentation_type": Property(str, default="flat", constraints=[one_of("flat", "vlan")]),
                    "segmentation_id": Property(int, constraints=[range_(0, 4094)]),
                },
            ),
        ),
    }
    attributes = {
        "default": Attribute(str),
        "show": SHOW,
    }
    translations = [
        Replace(("connections", "network"), sibling="network_id"),
        Resolve(("connections", "network"), "find_resourceid_by_name_or_id", "network"),
    ]
    rules = [Segmentation()]

    @classmethod
    def demands_replacement(
        cls, before: Mapping[str, Any], after: Mapping[str, Any], changed: frozenset[str]
    ) -> bool:
        """A gateway keeps the devices it is made of."""
        return "devices" in changed

    @classmethod
    async def furnish(cls, ctx: Context, cloud: CloudServices, props: Mapping[str, Any]) -> None:
        await cls._each_connection(ctx, cloud, props, "connect_network")

    @classmethod
    async def adjust(
        cls, ctx: Context, cloud: CloudServices, props: Mapping[str, Any], changed: frozenset[str]
    ) -> None:
        if "connections" in changed:
            await cls.clear(ctx, cloud)
            await cls._each_connection(ctx, cloud, props, "connect_network")

    @classmethod
    async def clear(cls, ctx: Context, cloud: CloudServices) -> None:
        props = await with_ids(cloud, cls, ctx.properties)
        await cls._each_connection(ctx, cloud, props, "disconnect_network")

    @classmethod
    async def _each_connection(
        cls, ctx: Context, cloud: CloudServices, props: Mapping[str, Any], action: str
    ) -> None:
        """Joins networks to the gateway or parts them from it; what is so already stays so."""
        for connection in props["connections"] or ():
            body = {
                "network_id": connection["network"],
                **some(connection, ("segmentation_type", "segmentation_id")),
            }
            with suppress(NotFound if action == "disconnect_network" else Conflict):
                await cloud.ask("network", "PUT", *cls.collection, str(ctx.physical_id), action, body=body)
