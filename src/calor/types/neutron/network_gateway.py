from collections.abc import Iterator, Mapping
from typing import Any

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
from calor.types.neutron.base import NeutronType


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


class NetworkGateway(NeutronType):
    type_name = "OS::Neutron::NetworkGateway"
    support = supported("2014.1")
    entity = "network_gateway"
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
