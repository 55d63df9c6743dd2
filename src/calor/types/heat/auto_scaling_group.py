from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from calor.language.constraints import range_
from calor.language.schema import SHOW, Attribute, Problem, Property, supported
from calor.language.values import bare, is_wrapped
from calor.types.behaviour import Context
from calor.types.heat.common import ROLLING_BATCH
from calor.types.heat.groups import (
    attribute_of,
    follow,
    member_value,
    opened,
    placeholder_names,
    references,
    template_of,
)
from calor.types.heat.rolling import Rolling
from calor.types.heat.scaled import AdjustableGroup
from calor.types.heat.scaling import SizesInOrder
from calor.types.heat.sizing import Sizes

DEFINITION = {
    "type": str,
    "properties": dict,
    "metadata": dict,
    "deletion_policy": str,
    "update_policy": dict,
}
"""What of a member's definition counts. Members are alike, so there is nothing one could depend on."""

KIND_NAMES = {str: "text", dict: "a map"}

DELETION_POLICIES = ("Delete", "Retain", "Snapshot")


@dataclass(frozen=True, slots=True)
class SoundDefinition:
    """The definition of the members has the parts of a resource in a template, each of the right kind."""

    name: str

    def problems(self, given: Mapping[str, Any]) -> Iterator[Problem]:
        definition = opened(given.get(self.name))
        if not isinstance(definition, dict):
            return
        if "type" not in definition:
            yield Problem("KeyError", "the definition of the members needs a type", (self.name,))
        for key, kind in DEFINITION.items():
            if (
                key in definition
                and not is_wrapped(definition[key])
                and not isinstance(definition[key], kind)
            ):
                yield Problem("TypeError", f"{key} must be {KIND_NAMES[kind]}", (self.name, key))
        policy = definition.get("deletion_policy")
        if isinstance(policy, str) and policy not in DELETION_POLICIES:
            message = f"deletion_policy must be one of {', '.join(DELETION_POLICIES)}"
            yield Problem("StackValidationFailed", message, (self.name, "deletion_policy"))
        yield from self._dependencies(definition)

    def _dependencies(self, definition: Mapping[str, Any]) -> Iterator[Problem]:
        depends = definition.get("depends_on", "")
        if isinstance(depends, str) or is_wrapped(depends):
            return
        at = (self.name, "depends_on")
        if not isinstance(depends, list):
            yield Problem("TypeError", "depends_on must be a name or a list of names", at)
        elif not all(isinstance(name, str) or is_wrapped(name) for name in depends):
            yield Problem("StackValidationFailed", "depends_on must be a list of names", at)


class AutoScalingGroup(AdjustableGroup):
    """A number of equal resources that grows and shrinks as scaling policies say.

    The members can be of any type, a template of your own included, so that a whole set of resources scales
    as one. Members get random names; when the group shrinks, failed ones go first, then the oldest. To create
    a fixed number of resources with numbers in their names, use OS::Heat::ResourceGroup.
    """

    type_name = "OS::Heat::AutoScalingGroup"
    support = supported("2014.1")
    properties = {
        "resource": Property(
            dict,
            "What each member is: type, properties and whatever else defines a resource in a template. A "
            "change is rolled out to the members as rolling_updates says.",
            required=True,
            update_allowed=True,
        ),
        "max_size": Property(
            int,
            "The group never grows past this number of members, whatever a policy demands.",
            required=True,
            update_allowed=True,
            constraints=[range_(min=0)],
        ),
        "min_size": Property(
            int,
            "The group never shrinks below this number of members.",
            required=True,
            update_allowed=True,
            constraints=[range_(min=0)],
        ),
        "cooldown": Property(
            int,
            "Seconds after a change of size during which further scaling is ignored. A policy's own "
            "cooldown goes first.",
            update_allowed=True,
        ),
        "desired_capacity": Property(
            int,
            "The number of members at the start; min_size when left out. When given, every update of the "
            "stack sets the group back to it, undoing what policies have done since.",
            update_allowed=True,
        ),
        "rolling_updates": Property(
            dict,
            "How a changed definition reaches the members: batch by batch, keeping some in service.",
            default={"min_in_service": 0, "max_batch_size": 1, "pause_time": 0},
            update_allowed=True,
            fields=ROLLING_BATCH,
        ),
    }
    attributes = {
        "outputs": Attribute(
            dict,
            "An attribute of all members, by the members' names. Needs a path: `[group, outputs, "
            "first_address]`.",
            support=supported("2014.2"),
        ),
        "outputs_list": Attribute(
            list,
            "An attribute of all members as a list. Needs a path, as outputs does.",
            support=supported("2014.2"),
        ),
        "current_size": Attribute(
            int, "The number of members that have not failed.", support=supported("2015.1")
        ),
        "refs": Attribute(list, "The ids of the members.", support=supported("7.0.0")),
        "refs_map": Attribute(dict, "The ids of the members, by name.", support=supported("7.0.0")),
        "show": SHOW,
    }
    rules = [SizesInOrder("min_size", "max_size", "desired_capacity"), SoundDefinition("resource")]

    carries = {"resource": 2}

    @classmethod
    def child_template(cls, given: Mapping[str, Any]) -> dict[str, Any] | None:
        definition = opened(given["resource"])
        size = bare(given["desired_capacity"]) or bare(given["min_size"])
        if not isinstance(definition, dict) or not isinstance(size, int):
            return None
        member = _member(definition)
        if not isinstance(member.get("type"), str):
            return None
        return template_of(dict.fromkeys(placeholder_names(size), member))

    @classmethod
    def sizes(cls, values: Mapping[str, Any]) -> Sizes:
        return Sizes(values["min_size"], values["max_size"], values["desired_capacity"])

    @classmethod
    def cooldown(cls, values: Mapping[str, Any]) -> float:
        return values["cooldown"] or 0

    @classmethod
    def definition(cls, ctx: Context, values: Mapping[str, Any]) -> dict[str, Any]:
        return _member(opened(values["resource"]))

    @classmethod
    def rolling(cls, ctx: Context, values: Mapping[str, Any]) -> Rolling | None:
        return Rolling.of(bare(values["rolling_updates"]))

    @classmethod
    def member_attribute(cls, ctx: Context, name: str, path: Sequence[Any]) -> Any:
        below = ctx.child
        if below is None:
            return None
        names = cls.member_names(below)
        kind, _, rest = name.partition(".")
        if kind == "resource" and rest:
            index, _, attribute = rest.partition(".")
            member = follow(names, [int(index)]) if index.isdigit() else None
            steps = [attribute, *path] if attribute else path
            return member_value(below, member, steps) if member is not None else None
        match name:
            case "current_size":
                return len(names)
            case "refs":
                return follow(list(references(below, names).values()), path)
            case "refs_map":
                return follow(references(below, names), path)
            case "outputs" if path:
                return attribute_of(below, names, path)
            case "outputs_list" if path:
                return list(attribute_of(below, names, path).values())
        return None


def _member(definition: Mapping[str, Any]) -> dict[str, Any]:
    return {key: opened(definition[key]) for key in DEFINITION if definition.get(key) is not None}
