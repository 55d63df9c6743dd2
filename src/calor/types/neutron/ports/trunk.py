from __future__ import annotations

from collections.abc import Sequence

from calor.language.constraints import custom, one_of, range_
from calor.language.schema import SHOW, Attribute, Property, Resolve, supported
from calor.resources.context import Context
from calor.resources.services import CloudServices
from calor.resources.values import JsonMapping, Properties
from calor.types.cloud_objects import Object
from calor.types.neutron.network_object import NetworkObject


class Trunk(NetworkObject):
    type_name = "OS::Neutron::Trunk"
    support = supported("9.0.0")
    extension = "trunk"
    collection = ("trunks",)
    wrapper = "trunk"
    members = {"port": "port_id"}
    properties = {
        "name": Property(str, update_allowed=True),
        "port": Property(str, required=True, immutable=True, constraints=[custom("neutron.port")]),
        "sub_ports": Property(
            list,
            update_allowed=True,
            items=Property(
                dict,
                fields={
                    "port": Property(str, required=True, constraints=[custom("neutron.port")]),
                    "segmentation_type": Property(str, required=True, constraints=[one_of("vlan")]),
                    "segmentation_id": Property(int, required=True, constraints=[range_(1, 4094)]),
                },
            ),
        ),
        "description": Property(str, update_allowed=True),
        "admin_state_up": Property(bool, update_allowed=True),
    }
    attributes = {
        "port_id": Attribute(str),
        "show": SHOW,
    }
    translations = [
        Resolve(("port",), "neutron.port"),
        Resolve(("sub_ports", "port"), "neutron.port"),
    ]

    @classmethod
    async def request_body(cls, ctx: Context, props: Properties) -> Object:
        request_body = await super().request_body(ctx, props)
        if props["sub_ports"] is not None:
            request_body["sub_ports"] = _sub_ports(props["sub_ports"])
        return request_body

    @classmethod
    async def change(cls, ctx: Context, props: Properties, changed: frozenset[str]) -> Object:
        body = await super().change(ctx, props, changed - {"sub_ports"})
        if _goes_down_last(props, changed):
            del body["admin_state_up"]
        return body

    @classmethod
    async def after_update(
        cls, ctx: Context, cloud: CloudServices, props: Properties, changed: frozenset[str]
    ) -> None:
        if "sub_ports" in changed:
            await cls._set_sub_ports(ctx, cloud, _sub_ports(props["sub_ports"] or ()))
        if _goes_down_last(props, changed):
            await cloud.request(
                "network",
                "PUT",
                *cls.collection,
                str(ctx.physical_id),
                body={cls.wrapper: {"admin_state_up": False}},
            )

    @classmethod
    async def _set_sub_ports(cls, ctx: Context, cloud: CloudServices, wanted: Sequence[Object]) -> None:
        shown = await cls.shown(ctx, cloud) or {}
        there = shown.get("sub_ports") or []
        surplus = [{"port_id": one["port_id"]} for one in there if one not in wanted]
        missing = [one for one in wanted if one not in there]
        for action, sub_ports in (("remove_subports", surplus), ("add_subports", missing)):
            if sub_ports:
                path = (*cls.collection, str(ctx.physical_id), action)
                await cloud.request("network", "PUT", *path, body={"sub_ports": sub_ports})


def _sub_ports(given: Sequence[JsonMapping]) -> list[Object]:
    return [{("port_id" if name == "port" else name): one[name] for name in one} for one in given]


def _goes_down_last(props: Properties, changed: frozenset[str]) -> bool:
    """A trunk that is down does not let its ports be changed."""
    return changed >= {"sub_ports", "admin_state_up"} and props["admin_state_up"] is False
