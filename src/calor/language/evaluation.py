"""Evaluates parts of a definition again, with the current states of its resources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from calor.language import properties as props
from calor.language.constraints import Checks
from calor.language.definition import Definition, ResourceDefinition
from calor.language.diagnostics import dotted
from calor.language.expressions import Call, FunctionError, calls, resolve_top
from calor.language.functions.references import GetAttr
from calor.language.scope import States
from calor.language.values import TemplateValue


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A resource's properties, complete and converted, and its metadata."""

    given: dict[str, TemplateValue]
    values: dict[str, TemplateValue]
    metadata: dict[str, TemplateValue]
    size: int = 0
    """Their size in bytes."""


def evaluate(
    definition: Definition, resource: ResourceDefinition, states: States, checks: Checks
) -> Evaluated:
    """Resolves the properties and metadata of a resource. Raises FunctionError for the first error."""
    scope = definition.scope.with_states(states)
    given = resolve_top(resource.expression, scope) or {}
    metadata = resolve_top(resource.metadata_expression, scope) or {}
    size = scope.budget.hold("metadata", metadata)
    size += sum(scope.budget.hold(name, value) for name, value in given.items())
    found = resource.resource_type
    if found is None or found.placeholder:
        return Evaluated(given, {}, metadata, size)
    described = found.properties.get("description")
    text = resource.text.description
    if text and described is not None and described.update_allowed and "description" not in given:
        given = {**given, "description": text}
    reading = props.read(given, found.properties, found.translations, checks=checks)
    # A resource that exists already does not need the properties for its creation.
    for problem in reading.problems if resource.text.external_id is None else ():
        words = definition.template.version.words
        place = dotted((*resource.text.path, words.properties, *problem.shown_at))
        raise FunctionError(f"{place}: {problem.message}", "StackValidationFailed")
    return Evaluated(given, reading.values, metadata, size)


def evaluate_metadata(
    definition: Definition, resource: ResourceDefinition, states: States
) -> dict[str, TemplateValue]:
    """Resolves the metadata of a resource. Raises FunctionError."""
    return resolve_top(resource.metadata_expression, definition.scope.with_states(states)) or {}


def evaluate_update_policy(
    definition: Definition, resource: ResourceDefinition, states: States, checks: Checks
) -> dict[str, TemplateValue]:
    """Resolves the update policy of a resource, with the defaults of its type. Raises FunctionError."""
    found = resource.resource_type
    if found is None or not found.update_policy:
        return {}
    scope = definition.scope.with_states(states)
    given = resolve_top(resource.policy_expression, scope) or {}
    return props.read(given, found.update_policy, checks=checks).values


def evaluate_outputs(
    definition: Definition, names: Iterable[str], states: States
) -> Iterator[tuple[str, TemplateValue, FunctionError | None]]:
    """Outputs with their current values, or their errors. All of them share a budget."""
    scope = definition.scope.with_states(states)
    for name in names:
        try:
            value = resolve_top(definition.outputs.expressions.get(name), scope)
            scope.budget.hold(name, value)
        except FunctionError as error:
            yield name, None, error
        else:
            yield name, value, None


def attributes_read(definition: Definition) -> dict[str, set[tuple[TemplateValue, ...]]]:
    """The attributes, with paths into them, that a template reads from each resource."""
    found: dict[str, set[tuple[TemplateValue, ...]]] = {}
    expressions = [
        expression
        for resource in definition.resources.values()
        for expression in (resource.expression, resource.metadata_expression)
    ]
    for expression in (*expressions, *definition.outputs.expressions.values()):
        for call in calls(expression):
            _note(call, definition, found)
    return found


def _note(call: Call, definition: Definition, found: dict[str, set[tuple[TemplateValue, ...]]]) -> None:
    if not isinstance(call, GetAttr):
        return
    try:
        parts = call.parts(definition.scope)
    except FunctionError:
        return
    if len(parts) > 1 and isinstance(parts[0], str):
        path = tuple(part if isinstance(part, (str, int)) else str(part) for part in parts[2:])
        found.setdefault(parts[0], set()).add((str(parts[1]), *path))
