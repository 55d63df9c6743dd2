from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from calor.language.constraints import as_number, one_of
from calor.language.schema import ANY, SHOW, Attribute, Problem, Property, Rewrite, supported
from calor.language.values import Secret
from calor.resources.context import AttributeContext, Context
from calor.resources.contract import ResourceType
from calor.resources.values import JsonObject, Properties


@dataclass(frozen=True, slots=True)
class ValueOfType:
    """The value must be of the type, or convertible to it."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        kind, value = given.get("type"), given.get("value")
        if isinstance(value, Secret):
            value = value.reveal()
        if isinstance(kind, str) and not _fits(value, kind):
            yield Problem("Property error", f"the value is not a {kind}, which the type requires", ("value",))


def _fits(value: object, kind: str) -> bool:
    """Whether a value can have a type; values that are not plain data, or of an unknown type, are not checked."""
    if not isinstance(value, (str, int, float, list, dict)):
        return True
    match kind:
        case "string":
            return isinstance(value, (str, int))
        case "number":
            return _is_number(value)
        case "comma_delimited_list":
            return isinstance(value, list)
        case "json":
            return isinstance(value, dict)
        case "boolean":
            return isinstance(value, bool) or (isinstance(value, str) and value.lower() in ("true", "false"))
    return True


_EMPTY = {"string": "", "number": 0, "comma_delimited_list": [], "json": {}, "boolean": False}


def _converted(data: JsonObject) -> JsonObject:
    """Text with a number or a boolean is converted, and null becomes an empty value."""
    kind, value = data.get("type"), data.get("value")
    if "value" in data and value is None and kind in _EMPTY:
        return {**data, "value": _EMPTY[kind]}
    if isinstance(value, str) and kind in ("number", "boolean") and _fits(value, kind):
        return {**data, "value": as_number(value) if kind == "number" else value.lower() == "true"}
    return data


def _is_number(value: object) -> bool:
    try:
        as_number(value)
    except (TypeError, ValueError):
        return False
    return True


class Value(ResourceType):
    """Gives a name to an expression, so that a template need not repeat it.

    The value can contain any functions, including attributes of resources that do not exist yet. Nothing is
    created.
    """

    type_name = "OS::Heat::Value"
    support = supported("7.0.0")
    adopted_data = ("value",)
    properties = {
        "value": Property(
            ANY, "The expression. It is evaluated again on every update.", required=True, update_allowed=True
        ),
        "type": Property(
            str,
            "The type of the value. Text with a number or a boolean is converted. By default, any value is allowed.",
            update_allowed=True,
            constraints=[one_of("string", "number", "comma_delimited_list", "json", "boolean")],
        ),
    }
    attributes = {
        "value": Attribute(None, "The result of the expression, converted to the type."),
        "show": SHOW,
    }
    attributes_from_properties = {"value": "value"}
    translations = [Rewrite(_converted)]
    rules = [ValueOfType()]

    @classmethod
    def create(cls, ctx: Context, props: JsonObject) -> None:
        ctx.set_physical_id(ctx.physical_name())
        ctx.set_data(value=props["value"])

    @classmethod
    def update(cls, ctx: Context, props: JsonObject, changed: frozenset[str]) -> None:
        ctx.set_data(value=props["value"])

    @classmethod
    def attribute(cls, ctx: AttributeContext, name: str) -> object:
        return ctx.data.get("value") if name == "value" else None
