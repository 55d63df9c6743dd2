"""Stacks below resources: templates used as types, members of groups, templates named by address."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calor.language import template as structure
from calor.language.definition import Facade, ResourceDefinition
from calor.language.diagnostics import Report, dotted, within
from calor.language.environment import Environment
from calor.language.library import Missing, TemplateType
from calor.language.parameters import StackIdentity
from calor.language.schema import ANY
from calor.language.template import Template
from calor.language.values import Unknown, Wrapping, peel
from calor.language.work import Work


def template_below(work: Work, resource: ResourceDefinition, found: TemplateType) -> None:
    child = found.template
    report = Report(child.locate)
    report.extend(found.problems)
    _check_facade(work, resource, found)
    implementing = (resource.type_name, found.url)
    # What is missing has been reported with the resource; below, it is not known rather than missing again.
    lacking = {
        name: Unknown()
        for name, prop in found.properties.items()
        if prop.required and resource.values.get(name) is None
    }
    parameters = {**lacking, **child_parameters(resource.values)}
    environment = work.environment.nested(resource.name, parameters, implementing)
    facade = Facade(resource.metadata, resource.deletion_policy, resource.text.update_policy or {})
    _below(work, resource, child, environment, report, found.url, facade)


def _check_facade(work: Work, resource: ResourceDefinition, found: TemplateType) -> None:
    """A template in the place of a type has to take what users of the type give, and give what they read."""
    replaced = work.library.replaced(resource.type_name, found, work.environment.registry)
    if replaced is None:
        return
    at = (*resource.text.path, work.words.type)
    name = resource.type_name
    lacking = [
        f"the parameter `{prop}`, which {name} requires"
        for prop, declared in replaced.properties.items()
        if declared.required and prop not in found.properties
    ]
    lacking += [
        f"`{prop}` as {_named(wanted)}: it is {_named(have)}"
        for prop, declared in replaced.properties.items()
        if prop in found.properties
        and ANY not in (wanted := declared.kind, have := found.properties[prop].kind)
        and _named(wanted) != _named(have)
    ]
    lacking += [
        f"a default for `{prop}`, which {name} does not have"
        for prop, declared in found.properties.items()
        if declared.required and prop not in replaced.properties
    ]
    lacking += [
        f"the output `{attribute}`, an attribute of {name}"
        for attribute in replaced.attributes
        if attribute not in found.attributes and attribute != "show"
    ]
    for what in lacking:
        work.report.error("E419", f"{found.url} stands for {name} and lacks {what}", at, path="")


def _named(kind: type) -> str:
    """A kind of value as parameters have it, which know only one kind of number."""
    return {str: "string", int: "number", float: "number", bool: "boolean", list: "list", dict: "map"}[kind]


def group_below(work: Work, resource: ResourceDefinition, data: dict[str, Any]) -> None:
    report = Report(lambda path, value: work.report.locate(resource.text.path, False))
    child = structure.parse(data, resource.name, report, work.library.world.checks)
    assert child is not None
    environment = work.environment.nested(resource.name, {}, None)
    _below(work, resource, child, environment, report, "nested_stack", None)


def address_below(work: Work, resource: ResourceDefinition, url: str, parameters: dict[str, Any]) -> None:
    """A nested stack whose template the resource names by its address."""
    prefix = f"{dotted(resource.text.path)}<nested_stack>"
    web = url.startswith(("http://", "https://"))
    found = (
        work.library.template(url, resource.type_name) if web else Missing("E402", f"{url} is no web address")
    )
    if isinstance(found, Missing):
        work.report.error(found.code, found.message, resource.text.path, kind="ValueError", path=prefix)
        return
    environment = work.environment.nested(resource.name, parameters, None)
    report = Report(found.template.locate)
    _below(work, resource, found.template, environment, report, "nested_stack", None, check_parameters=True)


def _below(
    work: Work,
    resource: ResourceDefinition,
    child: Template,
    environment: Environment,
    report: Report,
    shown: str,
    facade: Facade | None,
    *,
    check_parameters: bool = False,
) -> None:
    text = resource.text
    prefix = f"{dotted(text.path)}<{shown}>"
    if work.depth >= work.library.world.max_depth:
        message = f"stacks are nested deeper than {work.library.world.max_depth} levels"
        work.report.error("E417", message, text.path, kind="RequestLimitExceeded", path=prefix)
        return
    resource.child = work.define(
        child,
        environment,
        work.library,
        report,
        identity=StackIdentity(name=resource.name),
        strict=False,
        check_parameters=check_parameters,
        depth=work.depth + 1,
        tree=work.tree,
        facade=facade,
    )
    work.report.extend(within(found, prefix) for found in report)


def child_parameters(values: Mapping[str, Any]) -> dict[str, Any]:
    """Properties as values for a nested template's parameters."""
    given = {}
    for name, value in values.items():
        if value is None:
            continue
        if isinstance(value, list) and not any(isinstance(item, (dict, list, Unknown)) for item in value):
            wrapping = Wrapping()
            items = peel(value, wrapping)
            value = wrapping.around(",".join("" if item is None else str(item) for item in items))
        given[name] = value
    return given
