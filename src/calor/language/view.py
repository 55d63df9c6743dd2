"""The resolved view of a template: plain data, for people and tools."""

from __future__ import annotations

from typing import Any

from calor.language.definition import Definition, ResourceDefinition
from calor.language.diagnostics import Diagnostic
from calor.language.values import bare, masked


def resolved_view(definition: Definition, *, show_secrets: bool) -> dict[str, Any]:
    """Parameters, conditions, resources, edges and outputs. What is known only after creation is shown as it
    looks until then."""
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


def _resource(resource: ResourceDefinition, show: Any) -> dict[str, Any]:
    return {
        "type": resource.type_name,
        "definition_properties": show(resource.given),
        "properties": show(resource.values),
        "metadata": show(resource.metadata) if resource.metadata is not None else {},
        "deletion_policy": resource.deletion_policy,
        "explicit_depends": list(resource.text.depends_on),
    }


def _output(definition: Definition, name: str, value: Any, show: Any) -> Any:
    error = definition.output_errors.get(name)
    if error is not None:
        return {"__error__": {"type": error.kind, "message": error.message}}
    return show(value)


def diagnostic_view(diagnostic: Diagnostic) -> dict[str, Any]:
    """A diagnostic as data. `message` carries kind and path as the API's errors do, `text` only the words."""
    where = diagnostic.where
    return {
        "severity": diagnostic.severity.value,
        "code": diagnostic.code,
        "message": diagnostic.full_message,
        "text": diagnostic.message,
        "kind": diagnostic.kind,
        "path": diagnostic.path,
        "file": where.file if where else None,
        "line": where.line if where else None,
        "column": where.column if where else None,
        "hint": diagnostic.hint,
        "deferred": diagnostic.deferred,
    }
