"""Parameters, outputs and environments from the definitions of stacks. Definitions are cached."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine, select

from calor.language import reader
from calor.language.definition import Definition
from calor.language.diagnostics import Report
from calor.language.environment import ENCRYPTED
from calor.language.hiding import without
from calor.language.library import World
from calor.language.parameters import ParameterType, StackIdentity
from calor.language.values import MASK, bare, has_secret, size_of
from calor.plan.marking import secret_texts
from calor.plan.row_selection import visible
from calor.resources.values import JsonMapping, JsonObject
from calor.service.errors import NotFound
from calor.service.masking import hidden_values, secret_attributes
from calor.service.queries.recent import Recent
from calor.stacks import definitions
from calor.stacks.states import ResourceState, RowStates, stored_outputs
from calor.store import records, tables


@dataclass(frozen=True, slots=True)
class Output:
    name: str
    description: str
    value: Any = None
    error: str | None = None
    secret: bool = False
    """Whether the value is or contains a secret. It is included for requests by name."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A resource as declared in the template."""

    type: str
    description: str
    needs: tuple[str, ...]
    secrets: tuple[str, ...] = ()
    """The attributes that are or contain secrets."""


@dataclass(frozen=True, slots=True)
class DefinitionSummary:
    """The parts of a definition that responses need; much smaller than the definition itself."""

    parameters: Mapping[str, str | None]
    outputs: Mapping[str, str]
    resources: Mapping[str, Declared]
    hidden: frozenset[str] = frozenset()
    """The values of hidden parameters."""


_NOTHING = DefinitionSummary({}, {}, {})

MOST_KEPT = 128 * 1024 * 1024
_WEIGHT_OF_RESOURCE = 1000


class Definitions:
    def __init__(self, source: Engine, world: World) -> None:
        self._source = source
        self._world = world
        self._summary = Recent(self._read_summary, _weight_of_summary, 512, MOST_KEPT)
        # Definitions are large; these are for stacks that are polled during an action.
        self._definition = Recent(self._read_definition, _weight, 16, MOST_KEPT)

    def of(self, stack: records.Stack) -> DefinitionSummary:
        return self._summary((stack.definition, _identity(stack)))

    def keep(self, stack: records.Stack, definition: Definition) -> None:
        """Spares reading what was just accepted: clients ask for a stack as soon as it is there."""
        self._summary.keep((stack.definition, _identity(stack)), summary_of(definition))

    def parameters(self, stack: records.Stack) -> Mapping[str, str | None]:
        """Values as text, including pseudo parameters, with hidden ones and secrets of parent stacks masked."""
        shown: Mapping[str, str | None] = without(self.of(stack).parameters, self.secrets_from_above(stack))
        return shown

    def hidden(self, stack: records.Stack, digests: Iterable[str | None]) -> frozenset[str]:
        """The values of hidden parameters, also those of definitions that the stack had before, which some of its
        resources still have."""
        known = {stack.definition, stack.previous, *digests} - {None}
        found = (self.of(records.changed(stack, definition=digest)).hidden for digest in known)
        return frozenset().union(*found)

    def outputs(self, stack: records.Stack, *, only: str | None = None) -> list[Output]:
        """The outputs with their current values, or the requested one."""
        if stack.action == "DELETE" and stack.status == "COMPLETE":
            return []
        described = self.of(stack).outputs
        if only is not None:
            described = {name: text for name, text in described.items() if name == only}
        values = stack.outputs if stack.outputs is not None else self._evaluated(stack, described)
        return [
            Output(name, text, **{"value": None, **values.get(name, {})}) for name, text in described.items()
        ]

    def output(self, stack: records.Stack, name: str) -> Output:
        """Raises NotFound."""
        for output in self.outputs(stack, only=name):
            return output
        raise NotFound("output", name)

    def template(self, stack: records.Stack, *, reveals: bool = True) -> Any:
        """The template as it was given, as data. That of a group's members may contain secrets of the parent stack,
        which are masked unless `reveals` is set."""
        given = self._load(stack.definition)["template"]
        if isinstance(given, dict):
            return given if reveals else without(given, self.secrets_from_above(stack))
        source = reader.read_mapping(given, "template", Report(), self._world.limits)
        return source.data if source is not None else {}

    def files(self, stack: records.Stack) -> JsonMapping:
        files: JsonMapping = self._load(stack.definition)["files"]
        return files

    def environment(self, stack: records.Stack) -> JsonObject:
        """The effective environment, with hidden values masked."""
        definition = self._definition((stack.definition, _identity(stack)))
        if definition is None:
            return {}
        shown = without(shown_environment(definition), self.secrets_from_above(stack))
        return {**shown, ENCRYPTED: definitions.encrypted_names(definition)} if stack.sealed else shown

    def secrets_from_above(self, stack: records.Stack) -> Collection[str]:
        """The secrets among the properties of a stack's parent resource: the stack's definition is stored with plain
        values."""
        if stack.parent is None:
            return ()
        table = tables.resource
        query = select(table).where(table.c.stack == stack.parent, table.c.name == stack.parent_resource)
        with self._source.connect() as connection:
            rows = [records.record(records.Resource, row) for row in connection.execute(query)]
        return {text for row in rows for text in secret_texts(ResourceState.of(row))}

    def _evaluated(self, stack: records.Stack, names: Collection[str]) -> JsonObject:
        definition = self._definition((stack.definition, _identity(stack))) if names else None
        if definition is None:
            return {}
        query = select(tables.resource).where(tables.resource.c.stack == stack.id)
        with self._source.connect() as connection:
            rows = [records.record(records.Resource, row) for row in connection.execute(query)]
        states = RowStates({row.name: ResourceState.of(row) for row in visible(rows)})
        return stored_outputs(definition, names, states)

    def _load(self, digest: str) -> JsonObject:
        with self._source.connect() as connection:
            return definitions.load(connection, digest)

    def _read_definition(self, which: tuple[str, StackIdentity]) -> Definition | None:
        digest, identity = which
        return definitions.define(self._load(digest), self._world, identity)[0]

    def _read_summary(self, which: tuple[str, StackIdentity]) -> DefinitionSummary:
        definition = self._definition(which)
        return summary_of(definition) if definition is not None else _NOTHING


def summary_of(definition: Definition) -> DefinitionSummary:
    return DefinitionSummary(
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
            )
            for name, resource in definition.resources.items()
        },
        hidden=frozenset(hidden_values(definition)),
    )


def _weight(definition: Definition | None) -> int:
    if definition is None:
        return 0
    beside = [
        dict(definition.template.data),
        dict(definition.library.files),
        dict(definition.environment.parameters),
    ]
    return definition.scope.budget.spent + size_of(beside, MOST_KEPT)


def _weight_of_summary(summary: DefinitionSummary) -> int:
    texts = [dict(summary.parameters), dict(summary.outputs), list(summary.hidden)]
    return size_of(texts, MOST_KEPT) + _WEIGHT_OF_RESOURCE * len(summary.resources)


def _identity(stack: records.Stack) -> StackIdentity:
    return StackIdentity(stack.name, stack.id, stack.project)


def shown_parameters(definition: Definition) -> dict[str, str | None]:
    """All parameters as text: lists joined by commas, maps as JSON."""
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
        elif parameter.kind is ParameterType.LIST:
            shown[name] = ",".join(map(str, plain))
        elif parameter.kind is ParameterType.JSON and not isinstance(plain, str):
            shown[name] = json.dumps(plain)
        else:
            shown[name] = str(plain)
    return shown


def shown_environment(definition: Definition, *, with_hidden: bool = False) -> JsonObject:
    """The environment of a definition as data; hidden values are masked unless `with_hidden` is set."""
    hidden = [] if with_hidden else _hidden_names(definition)
    nested = [] if with_hidden else _hidden_names_of_nested(definition)
    shown: JsonObject = bare(definition.environment.shown(hidden, nested))
    registry = shown["resource_registry"]
    return {**shown, "resource_registry": {"resources": {}, **registry}}


def _hidden_names(definition: Definition) -> set[str]:
    return {name for name, parameter in definition.template.parameters.items() if parameter.hidden}


def _hidden_names_of_nested(definition: Definition) -> set[str]:
    """The names of the hidden parameters of nested stacks, whose defaults are in the environment of the root."""
    children = [one.child for one in definition.resources.values() if one.child is not None]
    return {name for child in children for name in _hidden_names(child) | _hidden_names_of_nested(child)}
