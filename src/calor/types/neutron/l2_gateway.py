from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calor.language.schema import Property, supported
from calor.types.behaviour import Context
from calor.types.cloud_objects import Object, some
from calor.types.neutron.objects import NetworkObject


class L2Gateway(NetworkObject):
    type_name = "OS::Neutron::L2Gateway"
    support = supported("12.0.0")
    extension = "l2-gateway"
    entity = "l2_gateway"
    collection = ("l2-gateways",)
    wrapper = "l2_gateway"
    properties = {
        "name": Property(str, required=True, update_allowed=True),
        "devices": Property(
            list,
            required=True,
            update_allowed=True,
            items=Property(
                dict,
                fields={
                    "device_name": Property(str, required=True),
                    "interfaces": Property(
                        list,
                        required=True,
                        items=Property(
                            dict,
                            fields={
                                "name": Property(str, required=True),
                                "segmentation_id": Property(list),
                            },
                        ),
                    ),
                },
            ),
        ),
    }

    @classmethod
    async def said(cls, ctx: Context, props: Mapping[str, Any]) -> Object:
        said = await super().said(ctx, props)
        said["devices"] = [
            {**device, "interfaces": [some(one, ("name", "segmentation_id")) for one in device["interfaces"]]}
            for device in props["devices"]
        ]
        return said
