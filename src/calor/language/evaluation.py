"""Evaluates parts of a definition again, with what has become known since."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from calor.language import properties as props
from calor.language.constraints import Checks
from calor.language.definition import Definition, ResourceDefinition
from calor.language.diagnostics import dotted
from calor.language.expressions import Call, FunctionError, calls, resolve_top
from calor.language.functions.references import GetAttr
from calor.language.scope import States


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A resource's properties, complete and converted, and its metadata."""

    given: dict[str, Any]
    values: dict[str, Any]
    metadata: dict[str, Any]


def evaluate(
    definition: Definition, resource: ResourceDefinition, states: States, checks: Checks
) -> Evaluated:
    """Resolves a resource now. Raises FunctionError, of the first thing that is wrong."""
    scope = definition.scope.with_states(states)
    given = resolve_top(resource.expression, scope) or {}
    metadata = evaluate_metadata(definition, resource, states)
    found = resource.found
    if found is None or found.placeholder:
        return Evaluated(given, {}, metadata)
    described = found.properties.get("description")
    text = resource.text.description
    if text and described is not None and described.update_allowed and "description" not in given:
        given = {**given, "description": text}
    reading = props.read(given, found.properties, found.translations, checks=checks)
    # What exists already needs no properties to be made with.
    for problem in reading.problems if resource.text.external_id is None else ():
        words = definition.template.version.words
        place = dotted((*resource.text.path, words.properties, *problem.shown_at))
        raise FunctionError(f"{place}: {problem.message}", "StackValidationFailed")
    return Evaluated(given, reading.values, metadata)


def evaluate_metadata(definition: Definition, resource: ResourceDefinition, states: States) -> dict[str, Any]:
    """A resource's metadata now. Raises FunctionError."""
    return resolve_top(resource.metadata_expression, definition.scope.with_states(states)) or {}


def evaluate_update_policy(
    definition: Definition, resource: ResourceDefinition, states: States, checks: Checks
) -> dict[str, Any]:
    """A resource's update policy now, with the defaults of its type. Raises FunctionError."""
    found = resource.found
    if found is None or not found.update_policy:
        return {}
    scope = definition.scope.with_states(states)
    given = resolve_top(resource.policy_expression, scope) or {}
    return props.read(given, found.update_policy, checks=checks).values


def evaluate_output(definition: Definition, name: str, states: States) -> Any:
    """An output's value now. Raises FunctionError."""
    return resolve_top(definition.output_expressions.get(name), definition.scope.with_states(states))


def attributes_read(definition: Definition) -> dict[str, set[tuple[Any, ...]]]:
    """What a template reads of each resource, in other resources and in outputs: an attribute, and the path in
    it."""
    found: dict[str, set[tuple[Any, ...]]] = {}
    expressions = [
        expression
        for resource in definition.resources.values()
        for expression in (resource.expression, resource.metadata_expression)
    ]
    for expression in (*expressions, *definition.output_expressions.values()):
        for call in calls(expression):
            _note(call, definition, found)
    return found


def _note(call: Call, definition: Definition, found: dict[str, set[tuple[Any, ...]]]) -> None:
    if not isinstance(call, GetAttr):
        return
    try:
        parts = call.parts(definition.scope)
    except FunctionError:
        return
    if len(parts) > 1 and isinstance(parts[0], str):
        path = tuple(part if isinstance(part, (str, int)) else str(part) for part in parts[2:])
        found.setdefault(parts[0], set()).add((str(parts[1]), *path))
