from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from calor.language.constraints import range_
from calor.language.schema import SHOW, Attribute, Problem, Property, supported
from calor.language.values import bare, is_wrapped
from calor.resources.context import GroupContext, NestedStackView
from calor.resources.values import JsonMapping, JsonObject, Properties
from calor.types.heat.common import ROLLING_BATCH
from calor.types.heat.groups.member_templates import (
    attribute_of,
    follow,
    member_value,
    placeholder_names,
    references,
    template_of,
    unwrap_map,
)
from calor.types.heat.groups.rolling_updates import Rolling
from calor.types.heat.groups.scaled_group import AdjustableGroup
from calor.types.heat.groups.scaling_rules import SizesInOrder
from calor.types.heat.groups.sizes import Sizes

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

    def problems(self, given: Properties) -> Iterator[Problem]:
        definition = unwrap_map(given.get(self.name))
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

    def _dependencies(self, definition: JsonMapping) -> Iterator[Problem]:
        depends = definition.get("depends_on", "")
        if isinstance(depends, str) or is_wrapped(depends):
            return
        at = (self.name, "depends_on")
        if not isinstance(depends, list):
            yield Problem("TypeError", "depends_on must be a name or a list of names", at)
        elif not all(isinstance(name, str) or is_wrapped(name) for name in depends):
            yield Problem("StackValidationFailed", "depends_on must be a list of names", at)


class AutoScalingGroup(AdjustableGroup):
    """A number of equal resources whose number is controlled by scaling policies.

    The members can be of any type, a template of your own included, so that a whole set of resources scales
    as one. Members get random names; when the group shrinks, failed ones go first, then the oldest. To create
    a fixed number of resources with numbers in their names, use OS::Heat::ResourceGroup.
    """

    type_name = "OS::Heat::AutoScalingGroup"
    support = supported("2014.1")
    properties = {
        "resource": Property(
            dict,
            "The definition of each member: type, properties and any other keys of a resource. A "
            "change is rolled out to the members as rolling_updates describes.",
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
            "cooldown takes precedence.",
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

    member_properties = {"resource": 2}

    @classmethod
    def child_template(cls, given: Properties) -> JsonObject | None:
        definition = unwrap_map(given["resource"])
        size = bare(given["desired_capacity"]) or bare(given["min_size"])
        if not isinstance(definition, dict) or not isinstance(size, int):
            return None
        member = _member(definition)
        if not isinstance(member.get("type"), str):
            return None
        return template_of(dict.fromkeys(placeholder_names(size), member))

    @classmethod
    def member_place(cls, path: tuple[str | int, ...]) -> tuple[str | int, ...]:
        return ("resource", *path)

    @classmethod
    def sizes(cls, values: Properties) -> Sizes:
        return Sizes(values["min_size"], values["max_size"], values["desired_capacity"])

    @classmethod
    def cooldown(cls, values: Properties) -> float:
        return values["cooldown"] or 0

    @classmethod
    def definition(cls, ctx: GroupContext, values: Properties) -> JsonObject:
        return _member(unwrap_map(values["resource"]))

    @classmethod
    def rolling(cls, ctx: GroupContext, values: Properties) -> Rolling | None:
        return Rolling.of(bare(values["rolling_updates"]))

    @classmethod
    def member_attribute(cls, ctx: NestedStackView, name: str, path: Sequence[Any]) -> Any:
        below = ctx.nested
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


def _member(definition: JsonMapping) -> JsonObject:
    return {key: unwrap_map(definition[key]) for key in DEFINITION if definition.get(key) is not None}
