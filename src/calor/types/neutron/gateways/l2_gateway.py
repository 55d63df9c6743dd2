from __future__ import annotations

from calor.language.schema import Property, supported
from calor.resources.context import Context
from calor.resources.values import Properties
from calor.types.cloud_objects import Object, some
from calor.types.neutron.network_object import NetworkObject


class L2Gateway(NetworkObject):
    type_name = "OS::Neutron::L2Gateway"
    support = supported("12.0.0")
    extension = "l2-gateway"
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
    async def request_body(cls, ctx: Context, props: Properties) -> Object:
        request_body = await super().request_body(ctx, props)
        request_body["devices"] = [
            {**device, "interfaces": [some(one, ("name", "segmentation_id")) for one in device["interfaces"]]}
            for device in props["devices"]
        ]
        return request_body
