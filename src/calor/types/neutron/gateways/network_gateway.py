from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

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
from calor.resources.context import Context
from calor.resources.services import CloudServices
from calor.resources.values import Properties
from calor.types.cloud_objects import some
from calor.types.naming import with_ids
from calor.types.neutron.network_object import NetworkObject


class Segmentation:
    """A vlan connection has a number, a flat one none but 0."""

    def problems(self, given: Properties) -> Iterator[Problem]:
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
        Resolve(("connections", "network"), "neutron.network"),
    ]
    rules = [Segmentation()]

    @classmethod
    def needs_replacement(cls, before: Properties, after: Properties, changed: frozenset[str]) -> bool:
        """The devices of a gateway cannot be changed."""
        return "devices" in changed

    @classmethod
    async def after_create(cls, ctx: Context, cloud: CloudServices, props: Properties) -> None:
        await cls._each_connection(ctx, cloud, props, "connect_network")

    @classmethod
    async def after_update(
        cls, ctx: Context, cloud: CloudServices, props: Properties, changed: frozenset[str]
    ) -> None:
        if "connections" in changed:
            await cls.before_delete(ctx, cloud)
            await cls._each_connection(ctx, cloud, props, "connect_network")

    @classmethod
    async def before_delete(cls, ctx: Context, cloud: CloudServices) -> None:
        props = await with_ids(cloud, cls, ctx.properties)
        await cls._each_connection(ctx, cloud, props, "disconnect_network")

    @classmethod
    async def _each_connection(
        cls, ctx: Context, cloud: CloudServices, props: Properties, action: str
    ) -> None:
        """Connects networks to the gateway or disconnects them, unless that is already done."""
        for connection in props["connections"] or ():
            body = {
                "network_id": connection["network"],
                **some(connection, ("segmentation_type", "segmentation_id")),
            }
            with suppress(NotFound if action == "disconnect_network" else Conflict):
                await cloud.request(
                    "network", "PUT", *cls.collection, str(ctx.physical_id), action, body=body
                )
