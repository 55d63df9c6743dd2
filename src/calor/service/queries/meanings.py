"""What stacks' definitions say: parameters, outputs, environments. Read once for each definition and kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import Engine, select

from calor.engine import definitions
from calor.engine.states import LiveStates, ResourceState, valued
from calor.language import reader
from calor.language.definition import Definition
from calor.language.diagnostics import Report
from calor.language.environment import ENCRYPTED
from calor.language.evaluation import evaluate_output
from calor.language.expressions import FunctionError
from calor.language.library import World
from calor.language.parameters import Kind, StackIdentity
from calor.language.values import MASK, bare, has_secret
from calor.plan.choosing import visible
from calor.service.errors import NotFound
from calor.service.masking import hidden_values, secret_attributes
from calor.store import records, tables


@dataclass(frozen=True, slots=True)
class Output:
    name: str
    description: str
    value: Any = None
    error: str | None = None
    secret: bool = False
    """Whether the value is secret or holds a secret. It is there for those who ask for it by name."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A resource as the template has it."""

    type: str
    description: str
    needs: tuple[str, ...]
    secrets: tuple[str, ...] = ()
    """The attributes that are secret, or hold secrets."""
    secrets_below: frozenset[str] = frozenset()
    """Those of the members of a stack below it."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What answers need of a definition; much smaller than the definition itself."""

    parameters: Mapping[str, str | None]
    outputs: Mapping[str, str]
    resources: Mapping[str, Declared]
    hidden: frozenset[str] = frozenset()
    """The values of hidden parameters."""


_NOTHING = Meaning({}, {}, {})


class Meanings:
    def __init__(self, source: Engine, world: World) -> None:
        self._source = source
        self._world = world
        self._meaning = lru_cache(512)(self._read_meaning)
        # Definitions are large; these are the ones of stacks that somebody watches while they are made.
        self._definition = lru_cache(16)(self._read_definition)

    def of(self, stack: records.Stack) -> Meaning:
        return self._meaning(stack.definition, _identity(stack))

    def parameters(self, stack: records.Stack) -> Mapping[str, str | None]:
        """Values as text, hidden ones masked, pseudo parameters included."""
        return self.of(stack).parameters

    def outputs(self, stack: records.Stack) -> list[Output]:
        """The outputs with their values as they are now."""
        if stack.action == "DELETE" and stack.status == "COMPLETE":
            return []
        described = self.of(stack).outputs
        values = stack.outputs if stack.outputs is not None else self._evaluated(stack)
        return [
            Output(name, text, **{"value": None, **values.get(name, {})}) for name, text in described.items()
        ]

    def output(self, stack: records.Stack, name: str) -> Output:
        """Raises NotFound."""
        for output in self.outputs(stack):
            if output.name == name:
                return output
        raise NotFound("output", name)

    def template(self, stack: records.Stack) -> Any:
        """The template as it was given, as data."""
        given = self._request(stack.definition)["template"]
        if isinstance(given, dict):
            return given
        source = reader.read_mapping(given, "template", Report(), self._world.limits)
        return source.data if source is not None else {}

    def files(self, stack: records.Stack) -> Mapping[str, Any]:
        files: Mapping[str, Any] = self._request(stack.definition)["files"]
        return files

    def environment(self, stack: records.Stack) -> dict[str, Any]:
        """The environment that all that was given amounts to, with hidden values masked."""
        definition = self._definition(stack.definition, _identity(stack))
        if definition is None:
            return {}
        shown = shown_environment(definition)
        return {**shown, ENCRYPTED: definitions.encrypted_names(definition)} if stack.sealed else shown

    def _evaluated(self, stack: records.Stack) -> dict[str, Any]:
        definition = self._definition(stack.definition, _identity(stack))
        if definition is None or not definition.template.outputs:
            return {}
        query = select(tables.resource).where(tables.resource.c.stack == stack.id)
        with self._source.connect() as connection:
            rows = [records.record(records.Resource, row) for row in connection.execute(query)]
        states = LiveStates({row.name: ResourceState.of(row) for row in visible(rows)})
        values: dict[str, Any] = {}
        for name in definition.template.outputs:
            try:
                values[name] = valued(evaluate_output(definition, name, states))
            except FunctionError as error:
                values[name] = {"value": None, "error": error.message}
        return values

    def _request(self, digest: str) -> dict[str, Any]:
        with self._source.connect() as connection:
            return definitions.load(connection, digest)

    def _read_definition(self, digest: str, identity: StackIdentity) -> Definition | None:
        return definitions.define(self._request(digest), self._world, identity)[0]

    def _read_meaning(self, digest: str, identity: StackIdentity) -> Meaning:
        definition = self._definition(digest, identity)
        if definition is None:
            return _NOTHING
        return Meaning(
            parameters=shown_parameters(definition),
            outputs={
                name: output.description or "No description given"
                for name, output in definition.template.outputs.items()
            },
            resources={
                name: Declared(
                    resource.type_name,
                    resource.text.description,
                    tuple(definition.graph.needs(name)),
                    secret_attributes(resource),
                    frozenset(resource.child.secret_names() if resource.child is not None else ()),
                )
                for name, resource in definition.resources.items()
            },
            hidden=frozenset(hidden_values(definition)),
        )


def _identity(stack: records.Stack) -> StackIdentity:
    return StackIdentity(stack.name, stack.id, stack.project)


def shown_parameters(definition: Definition) -> dict[str, str | None]:
    """All parameters as text: lists joined by commas, JSON dumped."""
    values = definition.parameters
    shown: dict[str, str | None] = {name: str(bare(value)) for name, value in values.pseudo.items()}
    for name, parameter in definition.template.parameters.items():
        value = values.values.get(name)
        if parameter.hidden or has_secret(value):
            shown[name] = MASK
            continue
        plain = bare(value)
        if plain is None:
            shown[name] = None
        elif parameter.kind is Kind.LIST:
            shown[name] = ",".join(map(str, plain))
        elif parameter.kind is Kind.JSON and not isinstance(plain, str):
            shown[name] = json.dumps(plain)
        else:
            shown[name] = str(plain)
    return shown


def shown_environment(definition: Definition, *, with_hidden: bool = False) -> dict[str, Any]:
    """The environment of a definition as data; hidden values are masked unless they are asked for."""
    declared = definition.template.parameters
    hidden = [name for name, parameter in declared.items() if parameter.hidden and not with_hidden]
    shown: dict[str, Any] = bare(definition.environment.shown(hidden))
    registry = shown["resource_registry"]
    return {**shown, "resource_registry": {"resources": {}, **registry}}
