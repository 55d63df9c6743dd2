"""The resolved template as plain data, for people and tools."""

from __future__ import annotations

from collections.abc import Callable

from calor.language.definition import Definition, ResourceDefinition
from calor.language.values import TemplateValue, bare, masked

Show = Callable[[TemplateValue], TemplateValue]
"""Converts a value to plain data, with or without its secrets."""


def resolved_view(definition: Definition, *, show_secrets: bool) -> dict[str, TemplateValue]:
    """Parameters, conditions, resources, edges and outputs. Values that are not known until creation are shown as their
    stand-ins."""
    show = bare if show_secrets else masked
    return {
        "params": {
            name: show(definition.parameters.values.get(name)) for name in definition.template.parameters
        },
        "conditions": definition.conditions,
        "resources": {name: _resource(resource, show) for name, resource in definition.resources.items()},
        "edges": sorted([node, needed] for node, needed in definition.graph.edges()),
        "outputs": {
            name: _output(definition, name, value, show) for name, value in definition.outputs.items()
        },
    }


def _resource(resource: ResourceDefinition, show: Show) -> dict[str, TemplateValue]:
    return {
        "type": resource.type_name,
        "definition_properties": show(resource.given),
        "properties": show(resource.values),
        "metadata": show(resource.metadata) if resource.metadata is not None else {},
        "deletion_policy": resource.deletion_policy,
        "explicit_depends": list(resource.text.depends_on),
    }


def _output(definition: Definition, name: str, value: TemplateValue, show: Show) -> TemplateValue:
    error = definition.outputs.errors.get(name)
    if error is not None:
        return {"__error__": {"type": error.kind, "message": error.message}}
    return show(value)
