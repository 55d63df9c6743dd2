from __future__ import annotations

from collections.abc import Sequence

from calor.language.schema import Property
from calor.language.values import concealed
from calor.resources.context import NestedStackView
from calor.resources.contract import ResourceType
from calor.resources.values import JsonObject, Properties
from calor.types.heat.groups.member_templates import follow


class Stack(ResourceType):
    """A stack below this one, from a template at a URL.

    Its outputs can be read as attributes: `Outputs.` and the output's name. The template is fetched again on
    every update.
    """

    nested_stack = True
    type_name = "AWS::CloudFormation::Stack"
    properties = {
        "TemplateURL": Property(
            str,
            "Where the template is. The engine fetches it, so it must be reachable from there.",
            required=True,
            update_allowed=True,
        ),
        "TimeoutInMinutes": Property(
            int,
            "Minutes that the stack may take before it fails. By default, the timeout of the parent applies.",
            update_allowed=True,
        ),
        "Parameters": Property(dict, "Values for the template's parameters.", update_allowed=True),
    }

    @classmethod
    def child_address(cls, given: Properties) -> tuple[str, JsonObject] | None:
        url = given.get("TemplateURL")
        parameters = given.get("Parameters")
        return (url, parameters if isinstance(parameters, dict) else {}) if isinstance(url, str) else None

    @classmethod
    def member_attribute(cls, ctx: NestedStackView, name: str, path: Sequence[object]) -> object:
        kind, _, output = name.partition(".")
        if kind != "Outputs" or ctx.nested is None:
            return None
        found = ctx.nested.outputs().get(output) or {}
        value = found.get("value")
        return follow(concealed(value) if found.get("secret") else value, path)
