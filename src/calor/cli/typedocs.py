"""Documents resource types for the terminal, from their declarations."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from textwrap import fill, wrap
from typing import Any

from calor.cli.json_values import JsonMapping
from calor.cli.render.ansi import BOLD, CYAN, DIM, GREEN, RED, YELLOW, Paint, painter
from calor.language.constraints import (
    AllowedPattern,
    AllowedValues,
    Constraint,
    Custom,
    Length,
    Modulo,
    Range,
)
from calor.language.schema import ANY, AtLeastOne, Attribute, Property, Status, Support
from calor.resources.contract import ResourceType

_KINDS = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    list: "list",
    dict: "map",
    ANY: "any value",
}
_STATUS_COLOURS = {
    Status.SUPPORTED: GREEN,
    Status.DEPRECATED: YELLOW,
    Status.HIDDEN: RED,
    Status.UNSUPPORTED: RED,
}
_STEP = 4


def type_page(declaration: type[ResourceType], *, color: bool, width: int) -> str:
    """The documentation of a type for template authors."""
    return "\n".join(_Page(declaration, painter(color), width).lines())


def type_table(
    declarations: Iterable[type[ResourceType]], *, hidden: bool = False, color: bool = False, width: int = 100
) -> str:
    """A line per type: name, status unless it is supported, summary. `hidden` includes hidden types."""
    shown = [one for one in declarations if hidden or one.support.status is not Status.HIDDEN]
    paint = painter(color)
    names = max((len(one.type_name) for one in shown), default=0)
    lines = []
    for one in shown:
        mark = "" if one.support.status is Status.SUPPORTED else f"{one.support.status.value.lower()}: "
        room = max(20, width - names - 2 - len(mark))
        text = _cut(summary(one), room)
        name = paint(one.type_name.ljust(names), BOLD)
        lines.append(f"{name}  {paint(mark, _STATUS_COLOURS[one.support.status])}{text}".rstrip())
    return "\n".join(lines)


def summary(declaration: type[ResourceType]) -> str:
    """The first sentence of a type's documentation."""
    first = next(iter(paragraphs(declaration)), "")
    return first.split(". ")[0].removesuffix(".")


def example(declaration: type[ResourceType]) -> str:
    """A minimal resource of the type in HOT."""
    name = "my_" + declaration.type_name.rsplit("::", 1)[-1].lower()
    needed = [key for key, declared in declaration.properties.items() if declared.required]
    for rule in declaration.rules:
        if isinstance(rule, AtLeastOne) and not set(rule.names) & set(needed):
            needed.append(rule.names[0])
    lines = ["resources:", f"  {name}:", f"    type: {declaration.type_name}"]
    if needed:
        lines.append("    properties:")
        given = {key: _sample(key, declaration.properties[key]) for key in needed}
        lines += [f"      {line}" for line in _yaml(given)]
    return "\n".join(lines)


class _Page:
    def __init__(self, declaration: type[ResourceType], paint: Paint, width: int) -> None:
        self.declaration = declaration
        self.paint = paint
        self.width = width

    def lines(self) -> Iterator[str]:
        declaration, paint = self.declaration, self.paint
        yield f"{paint(declaration.type_name, BOLD)}  {self._status(declaration.support)}"
        for paragraph in paragraphs(declaration):
            yield ""
            yield fill(paragraph, self.width)
        if declaration.service:
            yield ""
            extension = f" with the extension {declaration.extension}" if declaration.extension else ""
            yield f"Needs the service {declaration.service}{extension}."
        if declaration.placeholder:
            yield ""
            yield "Templates that use it are still accepted, with any properties, but nothing is created."
        yield from self._section("Properties", declaration.properties)
        yield from self._section("Update policy", declaration.update_policy)
        if declaration.attributes:
            yield from self._heading("Attributes")
            for name, attribute in sorted(declaration.attributes.items(), key=lambda item: rank(item[1])):
                yield from self._attribute(name, attribute)
        yield from self._heading("Example")
        yield from (f"  {line}".rstrip() for line in example(declaration).splitlines())

    def _heading(self, title: str) -> Iterator[str]:
        yield ""
        yield self.paint(title, BOLD, CYAN)

    def _section(self, title: str, properties: Mapping[str, Property]) -> Iterator[str]:
        if properties:
            yield from self._heading(title)
            yield from self._properties(properties, 2, top=title == "Properties")

    def _properties(self, properties: Mapping[str, Property], indent: int, *, top: bool) -> Iterator[str]:
        for name, declared in sorted(properties.items(), key=lambda item: rank(item[1])):
            yield from self._property(name, declared, indent, top=top)

    def _property(self, name: str, declared: Property, indent: int, *, top: bool) -> Iterator[str]:
        """A property, and below it the fields of its maps. The update policy applies to the property as a whole."""
        paint = self.paint
        facts = [kind_of(declared)]
        facts += [paint("required", YELLOW)] if declared.required else []
        facts += [f"default {_cut(_literal(declared.default), 30)}"] if declared.default is not None else []
        facts += [on_change(declared)] if top else []
        facts += [self._status(declared.support)] if declared.support.status is not Status.SUPPORTED else []
        facts += [paint("not implemented", RED)] if not declared.implemented else []
        yield f"{' ' * indent}{paint(name, BOLD)}  {', '.join(facts)}"
        below = indent + _STEP
        yield from self._wrapped(declared.doc, below)
        innermost = declared.items or declared
        for constraint in (*declared.constraints, *(innermost.constraints if declared.items else ())):
            yield from self._wrapped(described(constraint), below, DIM)
        while innermost.items:
            innermost = innermost.items
        if innermost.fields:
            yield from self._properties(innermost.fields, below, top=False)

    def _attribute(self, name: str, attribute: Attribute) -> Iterator[str]:
        facts = [_KINDS[attribute.kind]] if attribute.kind else []
        facts += [self._status(attribute.support)] if attribute.support.status is not Status.SUPPORTED else []
        yield f"  {self.paint(name, BOLD)}  {', '.join(facts)}".rstrip()
        yield from self._wrapped(attribute.doc, 2 + _STEP)

    def _wrapped(self, text: str, indent: int, *styles: str) -> Iterator[str]:
        for line in wrap(text, max(20, self.width - indent)):
            yield " " * indent + self.paint(line, *styles)

    def _status(self, support: Support) -> str:
        return self.paint(status(support), _STATUS_COLOURS[support.status])


def status(support: Support) -> str:
    """`deprecated since 5.0.0, use image`"""
    shown = support.status.value.lower()
    shown += f" since {support.since}" if support.since else ""
    return shown + (f", use {support.substitute}" if support.substitute else "")


def paragraphs(declaration: type[ResourceType]) -> list[str]:
    """A type's documentation."""
    return [" ".join(part.split()) for part in (declaration.__doc__ or "").split("\n\n") if part.strip()]


def rank(item: Property | Attribute) -> tuple[int, bool]:
    """Sorts required properties first and deprecated ones last."""
    statuses = (Status.SUPPORTED, Status.UNSUPPORTED, Status.DEPRECATED, Status.HIDDEN)
    return statuses.index(item.support.status), not getattr(item, "required", False)


def kind_of(declared: Property) -> str:
    """`list of strings`"""
    if declared.kind is list and declared.items:
        return f"list of {_plural(kind_of(declared.items))}"
    return _KINDS[declared.kind]


def _plural(kind: str) -> str:
    head, of, rest = kind.partition(" of ")
    return kind if head == "any value" else f"{head}s{of}{rest}"


def on_change(declared: Property) -> str:
    """The effect of a change of a property."""
    if declared.immutable:
        return "never changes"
    return "updates in place" if declared.update_allowed else "replaces the resource"


def described(constraint: Constraint) -> str:
    """A constraint in plain English."""
    if constraint.description:
        return constraint.description
    match constraint:
        case AllowedValues():
            return f"one of {constraint.listed()}"
        case Range():
            return _bounds(constraint.min, constraint.max)
        case Length():
            return f"length: {_bounds(constraint.min, constraint.max)}"
        case Modulo(offset=0):
            return f"a multiple of {constraint.step}"
        case Modulo():
            return f"a multiple of {constraint.step} plus {constraint.offset}"
        case AllowedPattern():
            return f"matches {constraint.pattern}"
        case Custom():
            return f"checked as {constraint.name}"
    return ""


def _bounds(low: float | None, high: float | None) -> str:
    if low is None:
        return f"at most {high}"
    return f"at least {low}" if high is None else f"{low} to {high}"


# Examples.


def _sample(name: str, declared: Property) -> object:
    """A sample value, which is valid as far as the declaration can tell."""
    for constraint in declared.constraints:
        if isinstance(constraint, AllowedValues):
            return [constraint.values[0]] if declared.kind is list else constraint.values[0]
        if isinstance(constraint, Range):
            return constraint.min if constraint.min is not None else constraint.max
    if declared.kind is list:
        return [_sample(name, declared.items)] if declared.items else [f"<{name}>"]
    if declared.kind is dict:
        fields = declared.fields or {}
        return {key: _sample(key, field) for key, field in fields.items() if field.required}
    return {int: 1, float: 1, bool: True}.get(declared.kind, f"<{name}>")


def _yaml(value: JsonMapping) -> Iterator[str]:
    """A sample map as YAML, without importing a YAML library, which is slow."""
    for key, item in value.items():
        if isinstance(item, dict) and item:
            yield f"{key}:"
            yield from (f"  {line}" for line in _yaml(item))
        elif isinstance(item, list) and item:
            yield f"{key}:"
            for entry in item:
                lines = list(_yaml(entry)) if isinstance(entry, dict) and entry else [_literal(entry)]
                yield f"  - {lines[0]}"
                yield from (f"    {line}" for line in lines[1:])
        else:
            yield f"{key}: {_literal(item)}"


def _literal(value: Any) -> str:
    """A value as it is written on one line of a template."""
    plain = isinstance(value, str) and value.replace("_", "a").replace("-", "a").replace("<", "").replace(
        ">", ""
    )
    if (
        isinstance(plain, str)
        and plain[:1].isalpha()
        and plain.isalnum()
        and value.lower() not in _YAML_WORDS
    ):
        return str(value)
    return json.dumps(value, ensure_ascii=False)


_YAML_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: room - 1]}…"
