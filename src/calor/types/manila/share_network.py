from collections.abc import Iterator

from calor.language.constraints import custom
from calor.language.schema import SHOW, Attribute, Problem, Property, Resolve, hidden, supported
from calor.resources.values import Properties
from calor.types.manila.base import ManilaType
from calor.types.rules import FilledRequires, filled


class NoNovaNetwork:
    def problems(self, given: Properties) -> Iterator[Problem]:
        if filled(given.get("nova_network")):
            yield Problem("StackValidationFailed", "nova_network is no longer supported: use neutron_network")


class ShareNetwork(ManilaType):
    type_name = "OS::Manila::ShareNetwork"
    support = supported("5.0.0")
    properties = {
        "name": Property(str, update_allowed=True),
        "neutron_network": Property(str, update_allowed=True, constraints=[custom("neutron.network")]),
        "neutron_subnet": Property(str, update_allowed=True, constraints=[custom("neutron.subnet")]),
        "nova_network": Property(str, update_allowed=True, support=hidden("21.0.0")),
        "description": Property(str, update_allowed=True),
        "security_services": Property(list, default=[], update_allowed=True, items=Property(str)),
    }
    attributes = {
        "segmentation_id": Attribute(str),
        "cidr": Attribute(str),
        "ip_version": Attribute(str),
        "network_type": Attribute(str),
        "show": SHOW,
    }
    translations = [
        Resolve(("neutron_network",), "neutron.network"),
        Resolve(("neutron_subnet",), "neutron.subnet"),
    ]
    rules = [NoNovaNetwork(), FilledRequires("neutron_network", "neutron_subnet")]
