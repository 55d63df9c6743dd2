from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from calor.language.constraints import custom, one_of, range_
from calor.language.schema import SHOW, Attribute, Property, Resolve, supported
from calor.types.behaviour import CloudServices, Context
from calor.types.cloud_objects import Object
from calor.types.neutron.objects import NetworkObject


class Trunk(NetworkObject):
    type_name = "OS::Neutron::Trunk"
    support = supported("9.0.0")
    extension = "trunk"
    entity = "trunk"
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
        Resolve(("port",), "find_resourceid_by_name_or_id", "port"),
        Resolve(("sub_ports", "port"), "find_resourceid_by_name_or_id", "port"),
    ]

    @classmethod
    async def said(cls, ctx: Context, props: Mapping[str, Any]) -> Object:
        said = await super().said(ctx, props)
        if props["sub_ports"] is not None:
            said["sub_ports"] = _sub_ports(props["sub_ports"])
        return said

    @classmethod
    async def change(cls, ctx: Context, props: Mapping[str, Any], changed: frozenset[str]) -> Object:
        body = await super().change(ctx, props, changed - {"sub_ports"})
        if _goes_down_last(props, changed):
            del body["admin_state_up"]
        return body

    @classmethod
    async def adjust(
        cls, ctx: Context, cloud: CloudServices, props: Mapping[str, Any], changed: frozenset[str]
    ) -> None:
        if "sub_ports" in changed:
            await cls._set_sub_ports(ctx, cloud, _sub_ports(props["sub_ports"] or ()))
        if _goes_down_last(props, changed):
            await cloud.ask(
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
                await cloud.ask("network", "PUT", *path, body={"sub_ports": sub_ports})


def _sub_ports(given: Sequence[Mapping[str, Any]]) -> list[Object]:
    return [{("port_id" if name == "port" else name): one[name] for name in one} for one in given]


def _goes_down_last(props: Mapping[str, Any], changed: frozenset[str]) -> bool:
    """A trunk that is down does not let its ports be changed."""
    return changed >= {"sub_ports", "admin_state_up"} and props["admin_state_up"] is False
