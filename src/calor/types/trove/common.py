from collections.abc import Iterator

from calor.language.constraints import custom
from calor.language.schema import Problem, Property
from calor.resources.values import Properties
from calor.types.rules import empty, filled

NETWORK = Property(
    dict,
    fields={
        "network": Property(str, constraints=[custom("neutron.network")]),
        "port": Property(str, constraints=[custom("neutron.port")]),
        "fixed_ip": Property(str, constraints=[custom("ip_addr")]),
    },
)


class VersionOfDatastore:
    def problems(self, given: Properties) -> Iterator[Problem]:
        if filled(given.get("datastore_version")) and empty(given.get("datastore_type")):
            yield Problem("StackValidationFailed", "datastore_version needs datastore_type")
