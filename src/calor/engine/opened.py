"""A stack as a run knows it: its resources, and all that can be read of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from calor.engine.children import Child
from calor.engine.context import Context
from calor.engine.journal import Journal
from calor.engine.states import ERROR, LiveStates, ResourceState, follow, key, valued
from calor.language.definition import Definition, ResourceDefinition
from calor.language.evaluation import (
    Evaluated,
    attributes_read,
    evaluate,
    evaluate_output,
    evaluate_update_policy,
)
from calor.language.expressions import FunctionError
from calor.language.registry import Registry
from calor.plan.choosing import current
from calor.plan.present import NESTED
from calor.store import records

if TYPE_CHECKING:
    from calor.engine.applying import StackWalk
    from calor.engine.runs import Run


class OpenedStack:
    """A stack that a run has opened: the reading half of a walk."""

    members_are_read = False
    """Whether a stack above reads more of this one than its outputs. Which attributes, only that one knows."""

    def __init__(
        self,
        run: Run,
        stack: records.Stack,
        definition: Definition | None,
        rows: list[records.Resource],
        registry: Registry | None = None,
    ) -> None:
        self.run = run
        self.registry = registry or Registry()
        self.stack = stack
        self.definition: Definition | None = None
        self.journal: Journal = run.journal
        self.rows = run.states_of(rows)
        self.current: dict[str, ResourceState] = {}
        self.children: dict[str, Child] = {}
        self.states = LiveStates(self.current)
        self._read: Mapping[str, Any] = {}
        if definition is not None:
            self.define(definition)

    def define(self, definition: Definition) -> None:
        """Says what the stack is to be, or is."""
        self.definition = definition
        self.registry = definition.environment.registry
        self._read = attributes_read(definition)

    def open(self) -> None:
        """Makes the stack's resources known to the run."""
        self.current.update(current(self.rows.values(), self.stack.definition))
        self.run.walks[self.stack.id] = cast("StackWalk", self)

    def context(self, state: ResourceState, **extra: Any) -> Context:
        return Context(self, state, **extra)

    def evaluated(self, resource: ResourceDefinition) -> Evaluated:
        """A resource's properties and metadata with the values that there are now. Raises FunctionError."""
        assert self.definition is not None
        evaluated = evaluate(self.definition, resource, self.states, self.run.world.checks)
        kept = self.run.kept.by_stack.get(self.stack.id, {}).get(resource.name)
        restored = getattr(resource.found, "restored", None) if kept else None
        if restored is None:
            return evaluated
        return replace(evaluated, values=restored(evaluated.values, kept))

    @property
    def has_nested(self) -> bool:
        """Whether stacks are below some of its resources."""
        return any(state.data.get(NESTED) for state in self.current.values())

    def update_policy(self, name: str) -> Mapping[str, Any]:
        """A resource's update policy as the template has it, with the type's defaults."""
        if self.definition is None or name not in self.definition.resources:
            return {}
        return evaluate_update_policy(
            self.definition, self.definition.resources[name], self.states, self.run.world.checks
        )

    def by_reference(self, reference: Any) -> ResourceState | None:
        """The resource for which get_resource gives a value, or whose name it is."""
        for name, state in self.current.items():
            if name == reference or self.states.reference(name) == reference:
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
            return self.states.reference(resource)
        return self.read(resource, str(steps[0]), steps[1:])

    def read(self, resource: str, attribute: str, path: Sequence[Any] = ()) -> Any:
        """An attribute of a resource, asked of its type if the template does not use it."""
        state = self.current.get(resource)
        if state is None or self.definition is None or resource not in self.definition.resources:
            return None
        child = self.children.get(resource)
        if child is not None:
            return child.attribute(attribute, path)
        if attribute in state.attributes:
            return follow(state.attributes[attribute], path)
        reader = getattr(self.definition.resources[resource].found, "attribute", None)
        return follow(reader(self.context(state), attribute), path) if reader is not None else None

    def read_attributes(self, state: ResourceState, resource: ResourceDefinition) -> None:
        """Reads the attributes that the template uses, once, when the resource is complete."""
        wanted = sorted(self._read.get(state.name, ()), key=repr)
        child = self.children.get(state.name)
        if child is not None:
            state.attributes = {key(*path): _read_below(child, path) for path in wanted}
            return
        reader = getattr(resource.found, "attribute", None)
        if reader is None or resource.found is None:
            state.attributes = {}
            return
        context = self.context(state)
        declared = [name for name in resource.found.attributes if name != "show"]
        names = dict.fromkeys([*declared, *(path[0] for path in wanted)])
        state.attributes = {name: reader(context, name) for name in names}

    def reads(self, name: str, attribute: str) -> bool:
        return any(path[0] == attribute for path in self._read.get(name, ()))

    def reads_more(self, state: ResourceState) -> bool:
        """Whether the template reads attributes that it did not when the resource was last worked on."""
        wanted = self._read.get(state.name, ())
        return any(key(*path) not in state.attributes and path[0] not in state.attributes for path in wanted)

    def knows_what_is_read(self, state: ResourceState, resource: ResourceDefinition) -> bool:
        """Whether all attributes that the template reads were asked for when the resource was last worked on."""
        knows = getattr(resource.found, "knows", None)
        wanted = self._read.get(state.name, ())
        return knows is None or all(knows(self.context(state), path[0]) for path in wanted)

    def reads_members_of(self, resource: ResourceDefinition) -> bool:
        """Whether attributes of what is in the stack below a resource are read, here or further up."""
        all_are = hasattr(resource.found, "member_attribute")
        wanted = self._read.get(resource.name, ())
        return self.members_are_read or any(
            all_are or str(path[0]).startswith("resource.") for path in wanted
        )

    def outputs(self) -> dict[str, Any]:
        """The values of the outputs as they are now; an error in place of a value is told as such."""
        assert self.definition is not None
        found: dict[str, Any] = {}
        for name in self.definition.template.outputs:
            try:
                found[name] = valued(evaluate_output(self.definition, name, self.states))
            except FunctionError as error:
                found[name] = {"value": None, "error": error.message}
        return found


def _read_below(child: Child, path: tuple[Any, ...]) -> Any:
    """An attribute that the stack below gives; where it gives an error, that is noted in its place."""
    try:
        return child.attribute(path[0], path[1:])
    except FunctionError as error:
        return {ERROR: error.message}
