from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from calor.language.schema import SHOW, Attribute, Problem, Property, supported
from calor.language.values import bare, is_wrapped
from calor.types.base import NestedStackType
from calor.types.behaviour import Context
from calor.types.heat.groups import named_attribute, opened, template_of


@dataclass(frozen=True, slots=True)
class NamesOfTypes:
    """Every item of a list is the name of a type."""

    name: str

    def problems(self, given: Mapping[str, Any]) -> Iterator[Problem]:
        items = given.get(self.name)
        for index, item in enumerate(items if isinstance(items, list) else ()):
            if not is_wrapped(item) and (not isinstance(item, str) or not item):
                message = "this must be the name of a resource type"
                yield Problem("StackValidationFailed", message, (self.name, index))


class ResourceChain(NestedStackType):
    type_name = "OS::Heat::ResourceChain"
    support = supported("6.0.0")
    properties = {
        "resources": Property(list, required=True, update_allowed=True),
        "concurrent": Property(bool, default=False),
        "resource_properties": Property(dict),
    }
    attributes = {
        "refs": Attribute(list),
        "attributes": Attribute(dict),
        "show": SHOW,
    }
    carries = {"resource_properties": 1}
    rules = [NamesOfTypes("resources")]

    @classmethod
    def child_template(cls, given: Mapping[str, Any]) -> dict[str, Any] | None:
        types = given["resources"]
        if not isinstance(types, list) or not all(isinstance(name, str) and name for name in types):
            return None
        properties = opened(given["resource_properties"])
        members: dict[str, Any] = {}
        for index, type_name in enumerate(types):
            member: dict[str, Any] = {"type": type_name}
            if isinstance(properties, dict):
                member["properties"] = properties
            if index > 0 and given["concurrent"] is False:
                member["depends_on"] = [str(index - 1)]
            members[str(index)] = member
        return template_of(members)

    @classmethod
    def stack_template(cls, ctx: Context, values: Mapping[str, Any]) -> dict[str, Any]:
        template = cls.child_template(
            {
                "resources": bare(values["resources"]),
                "concurrent": bare(values["concurrent"]),
                "resource_properties": values["resource_properties"],
            }
        )
        assert template is not None
        return template

    @classmethod
    def member_attribute(cls, ctx: Context, name: str, path: Sequence[Any]) -> Any:
        if ctx.child is None:
            return None
        return named_attribute(ctx.child, sorted(ctx.child.current, key=int), name, path)
