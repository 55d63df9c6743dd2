from calor.language.schema import Property, supported
from calor.types.neutron.base import NeutronType


class L2Gateway(NeutronType):
    type_name = "OS::Neutron::L2Gateway"
    support = supported("12.0.0")
    extension = "l2-gateway"
    entity = "l2_gateway"
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
