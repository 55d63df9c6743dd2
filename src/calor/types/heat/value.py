from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from calor.language.constraints import as_number, one_of
from calor.language.schema import ANY, SHOW, Attribute, Problem, Property, ResourceType, Rewrite, supported
from calor.language.values import Secret
from calor.types.behaviour import Context


@dataclass(frozen=True, slots=True)
class ValueOfType:
    """The value is, or can be read as, what the type says."""

    def problems(self, given: Mapping[str, Any]) -> Iterator[Problem]:
        kind, value = given.get("type"), given.get("value")
        if isinstance(value, Secret):
            value = value.reveal()
        if isinstance(kind, str) and not _fits(value, kind):
            yield Problem("Property error", f"the value is no {kind}, as the type demands", ("value",))


def _fits(value: Any, kind: str) -> bool:
    """Whether a value can be of a type; what is not plain data, or of no known type, is not judged."""
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


def _converted(data: dict[str, Any]) -> dict[str, Any]:
    """Text that says a number or a boolean becomes one, and nothing becomes an empty value."""
    kind, value = data.get("type"), data.get("value")
    if "value" in data and value is None and kind in _EMPTY:
        return {**data, "value": _EMPTY[kind]}
    if isinstance(value, str) and kind in ("number", "boolean") and _fits(value, kind):
        return {**data, "value": as_number(value) if kind == "number" else value.lower() == "true"}
    return data


def _is_number(value: Any) -> bool:
    try:
        as_number(value)
    except (TypeError, ValueError):
        return False
    return True


class Value(ResourceType):
    """Gives a name to an expression, so that a template need not repeat it.

    Any functions can make the value, also ones over attributes of resources that do not exist yet. Nothing is
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
            "What the value must be. The text of a number or a boolean is converted. Left out, anything "
            "goes.",
            update_allowed=True,
            constraints=[one_of("string", "number", "comma_delimited_list", "json", "boolean")],
        ),
    }
    attributes = {
        "value": Attribute(None, "What the expression gave, converted to the type."),
        "show": SHOW,
    }
    mirrors = {"value": "value"}
    translations = [Rewrite(_converted)]
    rules = [ValueOfType()]

    @classmethod
    def create(cls, ctx: Context, props: dict[str, Any]) -> None:
        ctx.made(ctx.physical_name())
        ctx.note(value=props["value"])

    @classmethod
    def update(cls, ctx: Context, props: dict[str, Any], changed: frozenset[str]) -> None:
        ctx.note(value=props["value"])

    @classmethod
    def attribute(cls, ctx: Context, name: str) -> Any:
        return ctx.data.get("value") if name == "value" else None
