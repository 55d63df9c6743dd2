from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from calor.language.schema import SHOW, Attribute, Problem, Property, supported
from calor.language.values import bare, is_wrapped
from calor.resources.context import GroupContext, NestedStackView
from calor.resources.contract import ResourceType
from calor.resources.values import JsonObject, Properties
from calor.types.heat.groups.member_templates import named_attribute, template_of, unwrap_map


@dataclass(frozen=True, slots=True)
class NamesOfTypes:
    """Every item of a list is the name of a type."""

    name: str

    def problems(self, given: Properties) -> Iterator[Problem]:
        items = given.get(self.name)
        for index, item in enumerate(items if isinstance(items, list) else ()):
            if not is_wrapped(item) and (not isinstance(item, str) or not item):
                message = "this must be the name of a resource type"
                yield Problem("StackValidationFailed", message, (self.name, index))


class ResourceChain(ResourceType):
    nested_stack = True
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
    member_properties = {"resource_properties": 1}
    rules = [NamesOfTypes("resources")]

    @classmethod
    def child_template(cls, given: Properties) -> JsonObject | None:
        types = given["resources"]
        if not isinstance(types, list) or not all(isinstance(name, str) and name for name in types):
            return None
        properties = unwrap_map(given["resource_properties"])
        members: JsonObject = {}
        for index, type_name in enumerate(types):
            member: JsonObject = {"type": type_name}
            if isinstance(properties, dict):
                member["properties"] = properties
            if index > 0 and given["concurrent"] is False:
                member["depends_on"] = [str(index - 1)]
            members[str(index)] = member
        return template_of(members)

    @classmethod
    def member_place(cls, path: tuple[str | int, ...]) -> tuple[str | int, ...]:
        return ("resource_properties", *path[1:]) if path[:1] == ("properties",) else ("resources",)

    @classmethod
    def stack_template(cls, ctx: GroupContext, values: Properties) -> JsonObject:
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
    def member_attribute(cls, ctx: NestedStackView, name: str, path: Sequence[object]) -> object:
        if ctx.nested is None:
            return None
        return named_attribute(ctx.nested, sorted(ctx.nested.current, key=int), name, path)
