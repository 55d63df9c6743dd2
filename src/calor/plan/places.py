"""Stacks below resources, as forecasting meets them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from calor.language.definition import Definition, ResourceDefinition
from calor.language.environment import Environment
from calor.language.evaluation import Evaluated, evaluate_update_policy
from calor.language.expressions import FunctionError
from calor.language.library import World
from calor.language.parameters import StackIdentity
from calor.language.scope import States
from calor.language.template import Template
from calor.language.values import bare, has_unknown
from calor.plan.asking import Asking, CannotTell, unknown_parts
from calor.plan.below import Below, define_below, stages, whole
from calor.plan.decision import Kind
from calor.plan.present import PresentStack, Row

MOST_FORESEEN = 500_000
"""Members of a group, all of its batches taken together."""


@dataclass(frozen=True, slots=True)
class Means:
    """What forecasting uses, and others provide. All of it is without effects."""

    world: World
    read: Callable[[Mapping[str, Row]], States]
    """How functions read resources as they are."""
    digest: Callable[[Template, Mapping[str, Any], Environment], str]
    """The digest that the definition of a stack below would be stored under."""
    physical_name: Callable[[str, str, str], str]
    go_on: Callable[[], None] = lambda: None
    """Called for every resource; raises to end a forecast that takes too long."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a stack is, or is to be, below a resource."""

    above: Definition
    resource: ResourceDefinition
    row: Row | None
    stack: PresentStack | None
    """As it is; None where a new one is made."""
    evaluated: Evaluated
    kind: Kind
    """What becomes of the resource."""
    parent: PresentStack

    def differs(self, states: States, peers: Callable[[Any], Row | None], means: Means) -> bool | None:
        """Whether the stack would change although the resource does not; None where it hangs on values that are
        not known yet."""
        if self.stack is None or not self.stack.well:
            return True
        if self.kind is Kind.UNDECIDED:
            return None
        try:
            way = self.stages(states, peers, means)
        except CannotTell:
            return True
        return any(self.digest(stage, means) != self.stack.definition for stage in way)

    def digest(self, below: Below, means: Means) -> str:
        environment = below.environment(self.above, self.resource)
        return means.digest(below.template, below.parameters, environment)

    def before(self) -> PresentStack:
        """The stack as it is now; one that is made anew has nothing."""
        parent = self.parent
        return self.stack or PresentStack(
            id_below(self.resource.name, None if self.kind is Kind.REPLACE else self.row),
            self.resource.name,
            parent.project,
            parent.depth + 1,
            timeout=parent.timeout,
            exists=False,
        )

    def define(self, below: Below) -> Definition:
        """Raises CannotTell."""
        stack = self.before()
        identity = StackIdentity(stack.name, stack.id if stack.exists else None, stack.project)
        try:
            definition = define_below(
                below, self.above, self.resource, self.evaluated, identity, self.parent.depth + 1
            )
        except FunctionError as error:
            raise CannotTell(error.message) from None
        if definition.scope.conditions.guessed:
            raise CannotTell("conditions hang on values that are known only when it comes to it")
        return definition

    def stages(self, states: States, peers: Callable[[Any], Row | None], means: Means) -> list[Below]:
        """The way to what the stack shall be. Raises CannotTell."""
        resource, found, values = self.resource, self.resource.found, self.evaluated.values
        try:
            below = whole(self.above, resource, self.evaluated)
        except FunctionError as error:
            raise CannotTell(error.message) from None
        if below is not None:
            return [below]
        unknown = unknown_parts(found, values)
        if unknown:
            raise CannotTell(f"{', '.join(unknown)} is known only when it comes to it")
        stack = self.before()
        try:
            policy = evaluate_update_policy(self.above, resource, states, means.world.checks)
            asking = Asking(
                resource.name,
                "CREATE" if self.kind in (Kind.CREATE, Kind.REPLACE) else "UPDATE",
                self.parent,
                None if self.kind is Kind.REPLACE else self.row,
                bare(policy),
                peers,
                means.physical_name,
                stack.rows,
                stack.resources,
            )
            rename = _Renaming(stack) if getattr(found, "draws_names", False) else None
            way = stages(found, self.above, resource, asking, values, rename, MOST_FORESEEN)
        except CannotTell:
            raise
        except Exception as error:
            # A type may stumble over whatever it finds; then the run will tell.
            raise CannotTell(f"its type cannot tell: {error}") from None
        if stack.exists and has_unknown(dict(values)):
            # Members that stay as they are were held against what only stands for the unknown values.
            held = not all(has_unknown(member) for member in _members(way[-1]))
            if len(way) > 1 or held:
                raise CannotTell("its batches hang on values that are known only when it comes to it")
        return way


def _members(below: Below) -> list[Any]:
    return list((below.template.data.get("resources") or {}).values())


class _Renaming:
    """Members get names when they are made; until then they are numbered."""

    def __init__(self, stack: PresentStack) -> None:
        self._names = {row.name: row.name for row in stack.rows}

    def __call__(self, data: dict[str, Any]) -> dict[str, Any]:
        members = {}
        for name, member in data["resources"].items():
            if name not in self._names:
                made = sum(known != name for name, known in self._names.items()) + 1
                self._names[name] = f"new-{made}"
            members[self._names[name]] = member
        return {**data, "resources": members}


def id_below(name: str, row: Row | None) -> str:
    """The id of the stack below a resource, or what stands for it before there is one."""
    return (row.physical_id if row is not None else None) or f"below:{name}"
