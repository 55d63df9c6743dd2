from collections.abc import Iterator

from calor.language.constraints import custom, one_of, range_
from calor.language.schema import SHOW, Attribute, Problem, Property, Resolve, supported
from calor.resources.values import Properties
from calor.types.octavia.base import OctaviaType

TARGETS = {"REDIRECT_TO_POOL": "redirect_pool", "REDIRECT_TO_URL": "redirect_url"}


class Target:
    """The redirection target must be given in the form that the action needs."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        action = given.get("action")
        if not isinstance(action, str):
            return
        needed = TARGETS.get(action)
        for name in TARGETS.values():
            if name != needed and given.get(name) is not None:
                kind = "ResourcePropertyValueDependency" if needed else "StackValidationFailed"
                yield Problem(kind, f"action {action} has no {name}")
        if needed and given.get(needed) is None:
            yield Problem("StackValidationFailed", f"action {action} needs {needed}")


class L7Policy(OctaviaType):
    type_name = "OS::Octavia::L7Policy"
    support = supported("10.0.0")
    properties = {
        "name": Property(str, update_allowed=True),
        "description": Property(str, update_allowed=True),
        "admin_state_up": Property(bool, default=True, update_allowed=True),
        "action": Property(
            str,
            required=True,
            update_allowed=True,
            constraints=[one_of("REJECT", "REDIRECT_TO_POOL", "REDIRECT_TO_URL")],
        ),
        "redirect_pool": Property(str, update_allowed=True, constraints=[custom("octavia.pool")]),
        "redirect_url": Property(str, update_allowed=True),
        "position": Property(float, update_allowed=True, constraints=[range_(min=1)]),
        "listener": Property(str, required=True, constraints=[custom("octavia.listener")]),
    }
    attributes = {
        "rules": Attribute(list),
        "show": SHOW,
    }
    translations = [
        Resolve(("listener",), "octavia.listener"),
        Resolve(("redirect_pool",), "octavia.pool"),
    ]
    rules = [Target()]
