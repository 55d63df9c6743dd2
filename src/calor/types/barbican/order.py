from collections.abc import Iterator

from calor.language.constraints import custom, one_of
from calor.language.schema import SHOW, Attribute, Problem, Property, supported
from calor.resources.values import Properties
from calor.types.barbican.base import BarbicanType
from calor.types.rules import FilledRequires, visible

KEY_PROPERTIES = {"name", "algorithm", "bit_length", "mode", "payload_content_type", "expiration"}
PROPERTIES_BY_TYPE = {
    "key": KEY_PROPERTIES,
    "asymmetric": {*KEY_PROPERTIES, "pass_phrase"},
    "certificate": {
        "name",
        "request_type",
        "subject_dn",
        "source_container_ref",
        "ca_id",
        "profile",
        "request_data",
    },
}


class PropertiesOfType:
    """The properties depend on the type of order."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        ordered = visible(given.get("type"))
        allowed = PROPERTIES_BY_TYPE.get(ordered)
        if allowed is None:
            return
        if ordered == "certificate":
            yield from FilledRequires("profile", "ca_id").problems(given)
        else:
            for name in ("algorithm", "bit_length"):
                if given.get(name) is None:
                    yield Problem("StackValidationFailed", f"an order of type {ordered} needs {name}")
        stray = sorted(name for name in given if given[name] is not None and name not in {"type", *allowed})
        if stray:
            yield Problem(
                "StackValidationFailed", f"an order of type {ordered} does not allow {', '.join(stray)}"
            )


class Order(BarbicanType):
    type_name = "OS::Barbican::Order"
    support = supported("2014.2")
    properties = {
        "name": Property(str),
        "payload_content_type": Property(str),
        "expiration": Property(str, constraints=[custom("expiration")]),
        "algorithm": Property(str),
        "bit_length": Property(int),
        "mode": Property(str),
        "type": Property(
            str,
            required=True,
            constraints=[one_of("key", "asymmetric", "certificate")],
            support=supported("5.0.0"),
        ),
        "request_type": Property(
            str, constraints=[one_of("stored-key", "simple-cmc", "custom")], support=supported("5.0.0")
        ),
        "subject_dn": Property(str, support=supported("5.0.0")),
        "source_container_ref": Property(
            str, constraints=[custom("barbican.container")], support=supported("5.0.0")
        ),
        "ca_id": Property(str, support=supported("5.0.0")),
        "profile": Property(str, support=supported("5.0.0")),
        "request_data": Property(str, support=supported("5.0.0")),
        "pass_phrase": Property(str, support=supported("5.0.0")),
    }
    attributes = {
        "status": Attribute(str),
        "order_ref": Attribute(str),
        "secret_ref": Attribute(str),
        "container_ref": Attribute(str, support=supported("5.0.0")),
        "public_key": Attribute(str, support=supported("5.0.0")),
        "private_key": Attribute(str, support=supported("5.0.0"), secret=True),
        "certificate": Attribute(str, support=supported("5.0.0")),
        "intermediates": Attribute(str, support=supported("5.0.0")),
        "show": SHOW,
    }
    rules = [PropertiesOfType()]
