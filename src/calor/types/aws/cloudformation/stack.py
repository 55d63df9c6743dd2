from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from calor.language.schema import Property
from calor.types.base import NestedStackType
from calor.types.behaviour import Context
from calor.types.heat.groups import follow


class Stack(NestedStackType):
    """A stack below this one, from a template at a URL.

    Its outputs can be read as attributes: `Outputs.` and the output's name. The template is fetched anew on
    every update.
    """

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
            "Minutes that the stack may take before it fails. Left out, the timeout of the parent holds.",
            update_allowed=True,
        ),
        "Parameters": Property(dict, "Values for the template's parameters.", update_allowed=True),
    }

    @classmethod
    def child_address(cls, given: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
        url = given.get("TemplateURL")
        parameters = given.get("Parameters")
        return (url, parameters if isinstance(parameters, dict) else {}) if isinstance(url, str) else None

    @classmethod
    def member_attribute(cls, ctx: Context, name: str, path: Sequence[Any]) -> Any:
        kind, _, output = name.partition(".")
        if kind != "Outputs" or ctx.child is None:
            return None
        return follow(ctx.child.outputs(), [output, "value", *path])
