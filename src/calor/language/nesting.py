"""Nested stacks: templates used as types, members of groups, and templates given by a URL."""

from __future__ import annotations

from collections.abc import Mapping

from calor.language import template as structure
from calor.language.definition import Facade, ResourceDefinition
from calor.language.diagnostics import Locator, Path, Place, Report, dotted, unique_by_place, within
from calor.language.environment import Environment
from calor.language.expressions import FunctionError
from calor.language.library import Missing, TemplateType
from calor.language.parameters import StackIdentity
from calor.language.schema import ANY
from calor.language.template import Template
from calor.language.values import TemplateValue, Unknown, Wrapping, peel, size_of
from calor.language.work import Work


def define_template(work: Work, resource: ResourceDefinition, found: TemplateType) -> None:
    child = found.template
    report = Report(child.locate)
    report.extend(found.problems)
    _check_facade(work, resource, found)
    implementing = (resource.type_name, found.url)
    # A missing value has been reported with the resource; in the nested stack it is unknown instead.
    lacking = {
        name: Unknown()
        for name, prop in found.properties.items()
        if prop.required and resource.values.get(name) is None
    }
    parameters = {**lacking, **child_parameters(resource.values)}
    environment = work.environment.nested(resource.name, parameters, implementing)
    facade = Facade(resource.metadata, resource.deletion_policy, resource.text.update_policy or {})
    _define_nested(work, resource, child, found.size, environment, report, found.url, facade)


def _check_facade(work: Work, resource: ResourceDefinition, found: TemplateType) -> None:
    """A template that replaces a type must accept its required properties and provide its attributes."""
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
        work.report.error("E419", f"{found.url} replaces {name}, but lacks {what}", at, path="")


def _named(kind: type) -> str:
    """The parameter type for the type of a property; parameters have a single type of number."""
    return {str: "string", int: "number", float: "number", bool: "boolean", list: "list", dict: "map"}[kind]


def define_group(work: Work, resource: ResourceDefinition, data: dict[str, TemplateValue]) -> None:
    report = Report(members_locator(work.report.locate, resource, work.words.properties))
    child = structure.parse(data, resource.name, report, work.library.world.checks)
    assert child is not None
    environment = work.environment.nested(resource.name, {}, None)
    size = size_of(data, work.library.world.sizes.stack)
    _define_nested(work, resource, child, size, environment, report, "nested_stack", None, is_group=True)


def members_locator(locate: Locator, resource: ResourceDefinition, properties: str) -> Locator:
    """Maps places in the template that a group generates for its members to the group's own template. `properties` is
    the name of that section there."""

    def located(path: Path, value: bool) -> Place | None:
        found = resource.resource_type
        # A path begins with the section and the member's name.
        place = found.member_place(path[2:]) if isinstance(found, type) else ()
        if not place:
            return locate(resource.text.path, False)
        return locate((*resource.text.path, properties, *place), value)

    return located


def define_address(
    work: Work, resource: ResourceDefinition, url: str, parameters: dict[str, TemplateValue]
) -> None:
    """Defines a nested stack whose template is given by a URL."""
    prefix = f"{dotted(resource.text.path)}<nested_stack>"
    web = url.startswith(("http://", "https://"))
    found = (
        work.library.template(url, resource.type_name)
        if web
        else Missing("E402", f"{url} is not an http or https URL")
    )
    if isinstance(found, Missing):
        work.report.error(found.code, found.message, resource.text.path, kind="ValueError", path=prefix)
        return
    environment = work.environment.nested(resource.name, parameters, None)
    report = Report(found.template.locate)
    child, size = found.template, found.size
    _define_nested(
        work, resource, child, size, environment, report, "nested_stack", None, check_parameters=True
    )


def _define_nested(
    work: Work,
    resource: ResourceDefinition,
    child: Template,
    size: int,
    environment: Environment,
    report: Report,
    shown: str,
    facade: Facade | None,
    *,
    check_parameters: bool = False,
    is_group: bool = False,
) -> None:
    text = resource.text
    prefix = f"{dotted(text.path)}<{shown}>"
    if work.depth >= work.library.world.max_depth:
        message = f"stacks are nested deeper than {work.library.world.max_depth} levels"
        work.report.error("E417", message, text.path, kind="RequestLimitExceeded", path=prefix)
        return
    try:
        # Each stack has its own compiled copy, and a template may be used thousands of times.
        work.tree.budget.add(size)
    except FunctionError as error:
        work.errors.failed("E407", error, text.path, path=prefix)
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
    # An error in the definition of a group's members occurs in each of them.
    diagnostics = unique_by_place(report) if is_group else report
    work.report.extend(within(found, prefix) for found in diagnostics)


def child_parameters(values: Mapping[str, TemplateValue]) -> dict[str, TemplateValue]:
    """Properties as values of a nested template's parameters."""
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
