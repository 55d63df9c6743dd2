"""Warnings about valid templates that are probably wrong. Heat does not have them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

from calor.language import versions
from calor.language.definition import Definition, ResourceDefinition
from calor.language.diagnostics import Path, Report, closest, did_you_mean, unique_by_place
from calor.language.expressions import Call, calls
from calor.language.functions.references import GetAttr
from calor.language.library import TemplateType
from calor.language.schema import Property, Status, Support
from calor.language.template import Template
from calor.language.values import TemplateValue


def lint(definition: Definition) -> Report:
    """Warnings for a template and for the templates used in it, each file once."""
    whole = Report()
    seen: set[str] = set()
    stack = [definition]
    while stack:
        current = stack.pop()
        children = [resource.child for resource in current.resources.values() if resource.child]
        stack.extend(children)
        if current.template.name in seen:
            continue
        seen.add(current.template.name)
        report = Report(current.template.locate)
        _Linter(current, report).run()
        whole.extend(report)
    # The definition of a group's members is also checked with the parent template.
    return unique_by_place(whole)


class _Linter:
    def __init__(self, definition: Definition, report: Report) -> None:
        self.definition = definition
        self.template: Template = definition.template
        self.words = definition.template.version.words
        self.report = report

    def run(self) -> None:
        self._unused_parameters()
        self._unused_conditions()
        self._functions_of_other_versions()
        for resource in self.definition.resources.values():
            self._type(resource)
            self._properties(resource)
            self._needless_dependencies(resource)
        expressions = [resource.expression for resource in self.definition.resources.values()]
        for expression in (*expressions, *self.definition.outputs.expressions.values()):
            for call in calls(expression):
                self._attribute(call)
        self._secrets_in_outputs()

    def _unused_parameters(self) -> None:
        used = set(_parameters_read(self.template.data))
        for name in self.template.parameters:
            if name not in used:
                self.report.warn(
                    "W301",
                    f"the parameter `{name}` is not used",
                    (self.words.parameters, name),
                    hint="remove it, or read it with get_param" if self.template.version.is_hot else None,
                )

    def _unused_conditions(self) -> None:
        used = set(_conditions_read(self.template))
        for name in self.template.conditions:
            if name not in used:
                at = (self.words.conditions, name)
                self.report.warn("W302", f"the condition `{name}` is not used", at)

    def _functions_of_other_versions(self) -> None:
        version = self.template.version
        if not version.is_hot:
            return
        written = [
            *(
                (text.properties, (*text.path, self.words.properties))
                for text in self.template.resources.values()
            ),
            *((output.value, (*output.path, self.words.value)) for output in self.template.outputs.values()),
        ]
        for data, place in written:
            for name, at in _single_keys(data, place):
                if name in version.functions or name == version.if_name:
                    continue
                first = versions.first_with(name)
                if first is None:
                    self._misspelt(name, at)
                elif first.date > version.date:
                    message = (
                        f"`{name}` is not a function in version {version.date} and is treated as plain data"
                    )
                    hint = f"use `{version.key}: {first.date}` or later"
                    self.report.warn("W308", message, at, hint=hint)

    def _misspelt(self, name: str, at: Path) -> None:
        meant = closest(name, self.template.version.all_functions, cutoff=0.85)
        if meant is not None:
            message = f"`{name}` is not a function and is treated as plain data"
            self.report.warn("W311", message, at, hint=f"did you mean `{meant}`?")

    def _type(self, resource: ResourceDefinition) -> None:
        found = resource.resource_type
        if found is None or isinstance(found, TemplateType):
            return
        at = (*resource.text.path, self.words.type)
        if found.support.discouraged:
            code = "W304" if found.support.status is Status.HIDDEN else "W303"
            message = f"the type {found.type_name} is {_support_status(found.support)}"
            substitute = found.support.substitute
            self.report.warn(code, message, at, hint=f"use {substitute}" if substitute else None)
        if not found.can_create():
            message = f"Calor cannot create resources of the type {found.type_name} yet"
            self.report.warn("W312", message, at, hint="`calor stack create` refuses the template")
        names = self.definition.library.world.old_names
        old = any(fnmatchcase(resource.type_name, name) for name in names)
        if old and found.type_name != resource.type_name:
            message = f"{resource.type_name} is an old name of {found.type_name}"
            self.report.warn("W310", message, at, hint=f"use {found.type_name}")

    def _properties(self, resource: ResourceDefinition) -> None:
        found = resource.resource_type
        if found is None or isinstance(found, TemplateType):
            return
        at = (*resource.text.path, self.words.properties)
        self._discouraged(resource.text.properties, found.properties, at)

    def _discouraged(self, data: object, schema: Mapping[str, Property], at: Path) -> None:
        if not isinstance(data, dict):
            return
        for name, value in data.items():
            declared = schema.get(name)
            if declared is None:
                continue
            if declared.support.discouraged:
                message = f"the property `{name}` is {_support_status(declared.support)}"
                self.report.warn("W305", message, (*at, name))
            if declared.fields:
                self._discouraged(value, declared.fields, (*at, name))
            if declared.items is not None and declared.items.fields and isinstance(value, list):
                for index, item in enumerate(value):
                    self._discouraged(item, declared.items.fields, (*at, name, index))

    def _needless_dependencies(self, resource: ResourceDefinition) -> None:
        written = resource.text
        for index, name in enumerate(written.depends_on):
            if name in resource.refers_to:
                listed = len(written.depends_on) > 1
                at: Path = (*written.path, self.words.depends_on)
                message = f"`{written.name}` already depends on `{name}`, because it refers to it"
                hint = f"remove it from {self.words.depends_on}"
                self.report.warn("W307", message, (*at, index) if listed else at, hint=hint)

    def _attribute(self, call: Call) -> None:
        """Attributes that Heat does not check, because only the resource itself knows them."""
        if not isinstance(call, GetAttr):
            return
        parts = call.items if isinstance(call.items, list) else []
        if len(parts) < 2 or not all(isinstance(part, str) for part in parts[:2]):
            return
        name, attribute = parts[:2]
        target = self.definition.resources.get(name)
        found = target.resource_type if target else None
        if found is None:
            return
        if isinstance(found, TemplateType):
            if attribute in found.attributes or attribute.startswith("resource."):
                return
            message = f"the template of `{name}` has no output `{attribute}`"
            self.report.warn("W309", message, call.path, hint=did_you_mean(attribute, found.attributes))
            return
        declared = found.attributes.get(attribute)
        if declared is not None and declared.support.discouraged:
            message = (
                f"the attribute `{attribute}` of {found.type_name} is {_support_status(declared.support)}"
            )
            self.report.warn("W305", message, call.path)

    def _secrets_in_outputs(self) -> None:
        hidden = {name for name, one in self.template.parameters.items() if one.hidden}
        for name in self.definition.outputs:
            # A credential that a resource creates is often meant to be read from an output.
            if self.definition.outputs.is_secret(name) and not hidden.isdisjoint(
                _parameters_read(self.template.outputs[name].value)
            ):
                at = (self.words.outputs, name, self.words.value)
                message = f"the output `{name}` shows the value of a hidden parameter to everyone who sees the stack"
                self.report.warn("W306", message, at)


def _support_status(support: Support) -> str:
    word = "deprecated" if support.status is Status.DEPRECATED else "obsolete"
    return f"{word} since {support.since}" if support.since else word


def _parameters_read(data: object) -> Iterator[str]:
    for name, args in _calls_written(data):
        if name in ("get_param", "Ref"):
            first = args[0] if isinstance(args, list) and args else args
            if isinstance(first, str):
                yield first


def _conditions_read(template: Template) -> Iterator[str]:
    words = template.version.words
    sections = [template.data.get(words.resources), template.data.get(words.outputs)]
    for section in sections:
        for entry in section.values() if isinstance(section, dict) else ():
            if isinstance(entry, dict):
                yield from _condition_names(entry.get(words.condition))
        for name, args in _calls_written(section):
            if name in ("if", "Fn::If") and isinstance(args, list) and args:
                yield from _condition_names(args[0])
    for condition in template.conditions.values():
        if isinstance(condition, dict):
            yield from _condition_names(condition)


def _condition_names(data: object) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        for name, args in data.items():
            if name in ("and", "or", "not", "Fn::And", "Fn::Or", "Fn::Not"):
                for operand in args if isinstance(args, list) else [args]:
                    yield from _condition_names(operand)


def _calls_written(data: object) -> Iterator[tuple[str, TemplateValue]]:
    """All single-key maps, which is how functions are written."""
    stack = [data]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            if len(node) == 1:
                yield from node.items()
            stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)


def _single_keys(data: object, at: Path) -> Iterator[tuple[str, Path]]:
    if isinstance(data, dict):
        for key, value in data.items():
            if len(data) == 1 and isinstance(key, str):
                yield key, (*at, key)
            yield from _single_keys(value, (*at, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from _single_keys(value, (*at, index))
