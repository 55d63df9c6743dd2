from collections.abc import Iterator

from calor.language.constraints import custom, range_
from calor.language.schema import Problem, Property, Resolve, supported
from calor.resources.values import Properties
from calor.types.neutron.network_object import NetworkObject
from calor.types.neutron.shared_schema import NETWORK_TYPES

NETWORK_TYPES_OF = {
    "physical_network": (("flat", "vlan"), ("vxlan", "gre", "geneve")),
    "segmentation_id": (("vlan",), ("local", "flat")),
}
"""Which types of network need a property, and which cannot have it."""


class FitsNetworkType:
    """Not every kind of network has a number or a physical network below it, and some need them."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        kind, number = given.get("network_type"), given.get("segmentation_id")
        if not isinstance(kind, str):
            return
        for name, (needed_by, not_for) in NETWORK_TYPES_OF.items():
            if kind in needed_by and given.get(name) is None:
                yield Problem("StackValidationFailed", f"a {kind} segment needs {name}")
            if kind in not_for and given.get(name) is not None:
                yield Problem("StackValidationFailed", f"a {kind} segment has no {name}")
        if kind == "vlan" and isinstance(number, int) and number > 4094:
            yield Problem(
                "StackValidationFailed", f"segmentation_id {number} is not a VLAN id: the maximum is 4094"
            )


class Segment(NetworkObject):
    type_name = "OS::Neutron::Segment"
    support = supported("9.0.0")
    extension = "segment"
    collection = ("segments",)
    wrapper = "segment"
    constraint = "neutron.segment"
    noun = "segment"
    members = {"network": "network_id"}
    named = False
    likened = ("network_id", "network_type", "physical_network", "segmentation_id", "name")
    properties = {
        "network": Property(str, required=True, constraints=[custom("neutron.network")]),
        "network_type": Property(str, required=True, constraints=[NETWORK_TYPES]),
        "physical_network": Property(str),
        "segmentation_id": Property(int, constraints=[range_(min=1)]),
        "name": Property(str, update_allowed=True),
        "description": Property(str, update_allowed=True),
    }
    translations = [Resolve(("network",), "neutron.network")]
    rules = [FitsNetworkType()]
