"""A stack in memory: its resources, attributes and outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

from calor.engine.run.run import Run
from calor.engine.view.context import Context
from calor.language.definition import Definition, ResourceDefinition
from calor.language.evaluation import (
    Evaluated,
    attributes_read,
    evaluate,
    evaluate_update_policy,
)
from calor.language.expressions import FunctionError
from calor.language.library import ResolvedType
from calor.language.registry import Registry
from calor.language.scope import declared_secret, refers_by_secret
from calor.language.values import bare, concealed
from calor.plan.marking import marked, with_secrets
from calor.plan.present import NESTED, REFERENCE
from calor.plan.row_selection import current
from calor.resources.contract import contract_of
from calor.resources.values import JsonMapping, JsonObject
from calor.stacks.states import ERROR, ResourceState, RowStates, follow, key, stored_outputs
from calor.store import records


class StackChanges(Protocol):
    """Changes of single resources that hooks request."""

    async def change_nested(
        self,
        view: StackView,
        state: ResourceState,
        signal: str,
        assemble: Callable[[Context], JsonObject],
    ) -> StackView:
        """Updates the nested stack of a resource to the template that `assemble` returns; returns the result."""

    async def update_peer(self, view: StackView, reference: str, values: JsonMapping) -> None:
        """Updates some properties of a resource."""

    async def recreate(self, view: StackView, reference: str) -> None:
        """Starts an update of the whole tree in which a resource counts as failed."""

    async def store_outputs(self, stack: records.Stack) -> None:
        """Stores the outputs of a stack after attributes of its resources have changed."""


class OpenTree:
    """The stacks of a tree that a run has opened, for an action or for signals. Both share one copy of each
    resource."""

    changes: StackChanges
    """Changes of single resources, which work on the tree; set by the creator of both."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.views: dict[str, StackView] = {}
        self._states: dict[str, ResourceState] = {}

    def states_of(self, rows: Iterable[records.Resource]) -> dict[str, ResourceState]:
        """Resources by their ids."""
        found: dict[str, ResourceState] = {}
        for row in rows:
            state = self._states.get(row.id)
            if state is None:
                state = self._states[row.id] = ResourceState.of(row)
            found[row.id] = state
        return found

    def add(self, state: ResourceState) -> None:
        """Adds a new resource."""
        self._states[state.id] = state

    def clear(self) -> None:
        self.views.clear()
        self._states.clear()

    async def view_of(self, stack: str) -> StackView | None:
        """The view of a stack of the tree, opened on first use."""
        if stack not in self.views:
            row = await self.run.rows.stack_in_tree(stack)
            if row is None or row.deleted_at is not None:
                return None
            opened = StackView(self, row, None, await self.run.rows.resources(stack))
            if stack not in self.views:
                opened.open()
        return self.views[stack]


class StackView:
    """A stack that a run has opened."""

    members_are_read = False
    """Whether a stack above reads members' attributes, besides outputs."""

    def __init__(
        self,
        tree: OpenTree,
        stack: records.Stack,
        definition: Definition | None,
        rows: Iterable[records.Resource],
        registry: Registry | None = None,
    ) -> None:
        self.tree = tree
        self.run = tree.run
        self.registry = registry or Registry()
        self.stack = stack
        self.definition: Definition | None = None
        self.rows = tree.states_of(rows)
        self.current: dict[str, ResourceState] = current(self.rows.values(), stack.definition)
        self.nested: dict[str, NestedView] = {}
        self.states = RowStates(self.current)
        self._read: JsonMapping = {}
        if definition is not None:
            self.define(definition)

    def define(self, definition: Definition) -> None:
        """Sets the stack's present or future definition."""
        self.definition = definition
        self.registry = definition.environment.registry
        self._read = attributes_read(definition)

    def open(self) -> None:
        """Registers the view in the tree."""
        self.tree.views[self.stack.id] = self

    @property
    def defined(self) -> Definition:
        """The definition, which must be set."""
        assert self.definition is not None
        return self.definition

    def context(self, state: ResourceState, **extra: Any) -> Context:
        return Context(self, state, **extra)

    # Changes that hooks request.

    async def change_nested(
        self, state: ResourceState, signal: str, assemble: Callable[[Context], JsonObject]
    ) -> StackView:
        return await self.tree.changes.change_nested(self, state, signal, assemble)

    async def update_peer(self, reference: str, values: JsonMapping) -> None:
        await self.tree.changes.update_peer(self, reference, values)

    async def recreate(self, reference: str) -> None:
        await self.tree.changes.recreate(self, reference)

    # Reading.

    def evaluated(self, resource: ResourceDefinition) -> Evaluated:
        """Evaluates a resource's properties and metadata. Raises FunctionError."""
        evaluated = evaluate(self.defined, resource, self.states, self.run.world.checks)
        self.run.sizes.count((self.stack.id, resource.name, "properties"), evaluated.size)
        kept = self.run.kept.by_stack.get(self.stack.id, {}).get(resource.name)
        restored = contract_of(resource.resource_type).restored
        if not kept or restored is None:
            return evaluated
        return replace(evaluated, values=restored(evaluated.values, kept))

    @property
    def has_nested(self) -> bool:
        """Whether some of its resources have nested stacks."""
        return any(state.data.get(NESTED) for state in self.current.values())

    def update_policy(self, name: str) -> JsonMapping:
        """A resource's update policy from the template, with the type's defaults."""
        if self.definition is None or name not in self.definition.resources:
            return {}
        return evaluate_update_policy(
            self.definition, self.definition.resources[name], self.states, self.run.world.checks
        )

    def by_reference(self, reference: object) -> ResourceState | None:
        """The resource with a reference (what get_resource returns) or name."""
        for name, state in self.current.items():
            if name == reference or bare(self.states.reference(name)) == reference:
                return state
        return None

    def member_attribute(self, name: str, path: Sequence[Any]) -> Any:
        """`NAME`, `NAME.attribute` or a path that begins with an attribute, of a resource in this stack."""
        resource, _, attribute = name.partition(".")
        state = self.current.get(resource)
        if state is None:
            return None
        steps = [*([attribute] if attribute else []), *path]
        if not steps:
            return self.reference(resource)
        return self.read(resource, str(steps[0]), steps[1:])

    def reference(self, name: str) -> Any:
        """What get_resource returns for a resource, marked if it is secret."""
        found = self.states.reference(name)
        resource = self.definition.resources.get(name) if self.definition is not None else None
        return (
            concealed(found) if resource is not None and refers_by_secret(resource.resource_type) else found
        )

    def read(self, resource: str, attribute: str, path: Sequence[Any] = ()) -> Any:
        """An attribute of a resource, read from its type if it is not stored; marked if it is secret."""
        state = self.current.get(resource)
        if state is None or self.definition is None or resource not in self.definition.resources:
            return None
        nested = self.nested.get(resource)
        if nested is not None:
            return nested.attribute(attribute, path)
        found = self.definition.resources[resource].resource_type
        if attribute in state.attributes:
            value = state.attributes[attribute]
        else:
            reader = contract_of(found).attribute
            value = reader(self.context(state), attribute) if reader is not None else None
        shown = concealed(value) if declared_secret(found, attribute) else marked(state, attribute, value)
        return follow(shown, path)

    def read_attributes(self, state: ResourceState, resource: ResourceDefinition) -> None:
        """Reads the attributes that the template uses, once, when the resource is complete."""
        wanted = sorted(self._read.get(state.name, ()), key=repr)
        nested = self.nested.get(state.name)
        if nested is not None:
            read = ((key(*path), partial(nested.attribute, path[0], path[1:])) for path in wanted)
            found = self._read_all(state, read)
            state.attributes = bare(found)
            state.data = with_secrets(state.data, {**found, **nested.secret_reference})
            return
        reader = contract_of(resource.resource_type).attribute
        if reader is None or resource.resource_type is None:
            state.attributes = {}
            return
        context = self.context(state)
        declared = [name for name in resource.resource_type.attributes if name != "show"]
        names = dict.fromkeys([*declared, *(path[0] for path in wanted)])
        found = self._read_all(state, ((name, partial(reader, context, name)) for name in names))
        state.attributes = bare(found)
        state.data = with_secrets(state.data, found)

    def read_attributes_again(self, state: ResourceState, declared: ResolvedType | None) -> None:
        """Reads the stored attributes of a resource again, after an action has changed its data."""
        reader = contract_of(declared).attribute
        if reader is None:
            return
        context = self.context(state)
        found = self._read_all(state, ((name, partial(reader, context, name)) for name in state.attributes))
        state.attributes = bare(found)
        state.data = with_secrets(state.data, found)

    def _read_all(self, state: ResourceState, read: Iterable[tuple[str, Callable[[], Any]]]) -> JsonObject:
        """Reads attributes to store. Errors of nested stacks, and values that are too large, are stored as errors."""
        place = (self.stack.id, state.name, "attributes")
        self.run.sizes.count(place, 0)
        held: JsonObject = {}
        for name, attribute in read:
            try:
                held[name] = attribute()
                self.run.sizes.count_value(place, name, held[name])
            except FunctionError as error:
                held[name] = {ERROR: error.message}
        return held

    def reads_any(self, name: str) -> bool:
        """Whether the template reads attributes of a resource."""
        return bool(self._read.get(name))

    def reads(self, name: str, attribute: str) -> bool:
        return any(path[0] == attribute for path in self._read.get(name, ()))

    def reads_new_attributes(self, state: ResourceState) -> bool:
        """Whether the template reads attributes that are not stored yet."""
        wanted = self._read.get(state.name, ())
        return any(key(*path) not in state.attributes and path[0] not in state.attributes for path in wanted)

    def knows_read_attributes(self, state: ResourceState, resource: ResourceDefinition) -> bool:
        """Whether the type has stored all attributes that the template reads."""
        knows = contract_of(resource.resource_type).is_attribute_known
        wanted = self._read.get(state.name, ())
        return knows is None or all(knows(self.context(state), path[0]) for path in wanted)

    def reads_members_of(self, resource: ResourceDefinition) -> bool:
        """Whether this stack or one above reads attributes of members of a nested stack."""
        all_are = contract_of(resource.resource_type).member_attribute is not None
        wanted = self._read.get(resource.name, ())
        return self.members_are_read or any(
            all_are or str(path[0]).startswith("resource.") for path in wanted
        )

    def outputs(self) -> JsonObject:
        """The current outputs in stored form."""
        place = (self.stack.id, "", "outputs")
        self.run.sizes.count(place, 0)
        found = stored_outputs(self.defined, self.defined.template.outputs, self.states)
        for name, output in found.items():
            try:
                self.run.sizes.count_value(place, name, output["value"])
            except FunctionError as error:
                found[name] = {"value": None, "error": error.message}
        return found


@dataclass(slots=True)
class NestedView:
    """The nested stack of a resource, as its parent reads it."""

    parent: StackView
    resource: ResourceDefinition
    state: ResourceState
    view: StackView | None = None
    outputs: JsonObject = field(default_factory=dict)
    """The outputs after the last completed action."""

    def attribute(self, name: str, path: Sequence[Any]) -> Any:
        """An attribute of the resource that owns the stack."""
        view = self.view
        if view is None:
            return None
        reader = contract_of(self.resource.resource_type).member_attribute
        if reader is not None:
            return reader(self.parent.context(self.state, nested=view), name, list(path))
        if name.startswith("resource."):
            return view.member_attribute(name.removeprefix("resource."), path)
        output = self.outputs.get(name)
        if output is None:
            return None
        if "error" in output:
            raise FunctionError(f"Error in {self.resource.name} output {name}: {output['error']}")
        value = output["value"]
        return follow(concealed(value) if output.get("secret") else value, path)

    @property
    def secret_reference(self) -> JsonObject:
        """The output that becomes the resource's reference, if it is secret."""
        found = self.outputs.get(REFERENCE, {})
        return {REFERENCE: concealed(found["value"])} if found.get("secret") else {}
