from collections.abc import Iterator

from calor.language.constraints import custom, one_of
from calor.language.schema import Problem, Property, Resolve, supported
from calor.resources.values import Properties
from calor.types.octavia.base import OctaviaType


class Key:
    """Headers and cookies need a name."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        kind = given.get("type")
        if kind in ("HEADER", "COOKIE") and given.get("key") is None:
            yield Problem("StackValidationFailed", f"a rule of type {kind} needs key")


class L7Rule(OctaviaType):
    type_name = "OS::Octavia::L7Rule"
    support = supported("10.0.0")
    properties = {
        "admin_state_up": Property(bool, default=True, update_allowed=True),
        "l7policy": Property(str, required=True, constraints=[custom("octavia.l7policy")]),
        "type": Property(
            str,
            required=True,
            update_allowed=True,
            constraints=[one_of("HOST_NAME", "PATH", "FILE_TYPE", "HEADER", "COOKIE")],
        ),
        "compare_type": Property(
            str,
            required=True,
            update_allowed=True,
            constraints=[one_of("REGEX", "STARTS_WITH", "ENDS_WITH", "CONTAINS", "EQUAL_TO")],
        ),
        "invert": Property(bool, default=False, update_allowed=True),
        "key": Property(str, update_allowed=True),
        "value": Property(str, required=True, update_allowed=True),
    }
    translations = [Resolve(("l7policy",), "octavia.l7policy")]
    rules = [Key()]
