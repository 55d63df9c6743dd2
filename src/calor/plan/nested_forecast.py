"""The nested stacks of resources in forecasts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from calor.language.definition import Definition, ResourceDefinition
from calor.language.environment import Environment
from calor.language.evaluation import Evaluated, evaluate_update_policy
from calor.language.expressions import FunctionError
from calor.language.library import World
from calor.language.parameters import StackIdentity
from calor.language.scope import States
from calor.language.template import Template
from calor.language.values import bare, has_unknown
from calor.lifecycle import Action
from calor.plan.kinds import Kind
from calor.plan.nested_templates import NestedTemplate, define_nested, stages, template_of
from calor.plan.present import PresentStack, Row
from calor.plan.previewing import NotForeseeable, PreviewContext, unknown_parts
from calor.resources.contract import contract_of
from calor.resources.values import JsonMapping, JsonObject

MAX_MEMBERS = 500_000
"""The number of members in all batches of a group up to which a plan is computed."""


@dataclass(frozen=True, slots=True)
class ForecastInputs:
    """Functions without side effects that a forecast needs."""

    world: World
    read: Callable[[Mapping[str, Row]], States]
    """Returns the states that template functions read of resources."""
    digest: Callable[[Template, JsonMapping, Environment], str]
    """The digest of the definition of a nested stack."""
    physical_name: Callable[[str, str, str], str]
    check_deadline: Callable[[], None] = lambda: None
    """Called for every resource; may raise to abort a forecast that takes too long."""


@dataclass(frozen=True, slots=True)
class NestedForecast:
    """The nested stack of a resource, before and after a step."""

    above: Definition
    resource: ResourceDefinition
    row: Row | None
    stack: PresentStack | None
    """The present nested stack; None if a new one is created."""
    evaluated: Evaluated
    kind: Kind
    """The decision about the resource."""
    parent: PresentStack

    def differs(
        self, states: States, peers: Callable[[object], Row | None], inputs: ForecastInputs
    ) -> bool | None:
        """Whether the nested stack changes although the resource does not; None if that depends on values that are not
        known yet."""
        if self.stack is None or not self.stack.healthy:
            return True
        if self.kind is Kind.UNDECIDED:
            return None
        try:
            way = self.stages(states, peers, inputs)
        except NotForeseeable:
            return True
        return any(self.digest(stage, inputs) != self.stack.definition for stage in way)

    def digest(self, below: NestedTemplate, inputs: ForecastInputs) -> str:
        environment = below.environment(self.above, self.resource)
        return inputs.digest(below.template, below.parameters, environment)

    def before(self) -> PresentStack:
        """The present nested stack; an empty one if a new one is created."""
        parent = self.parent
        return self.stack or PresentStack(
            nested_id(self.resource.name, None if self.kind is Kind.REPLACE else self.row),
            self.resource.name,
            parent.project,
            parent.depth + 1,
            timeout=parent.timeout,
            exists=False,
        )

    def define(self, below: NestedTemplate) -> Definition:
        """Raises NotForeseeable."""
        stack = self.before()
        identity = StackIdentity(stack.name, stack.id if stack.exists else None, stack.project)
        try:
            definition = define_nested(
                below, self.above, self.resource, self.evaluated, identity, self.parent.depth + 1
            )
        except FunctionError as error:
            raise NotForeseeable(error.message) from None
        if definition.scope.conditions.guessed:
            raise NotForeseeable("conditions depend on values that are not known yet")
        return definition

    def stages(
        self, states: States, peers: Callable[[object], Row | None], inputs: ForecastInputs
    ) -> list[NestedTemplate]:
        """The successive templates of the nested stack. Raises NotForeseeable."""
        resource, found, values = self.resource, self.resource.resource_type, self.evaluated.values
        try:
            below = template_of(self.above, resource, self.evaluated)
        except FunctionError as error:
            raise NotForeseeable(error.message) from None
        if below is not None:
            return [below]
        assert found is not None
        unknown = unknown_parts(found, values)
        if unknown:
            raise NotForeseeable(f"{', '.join(unknown)} {'is' if len(unknown) == 1 else 'are'} not known yet")
        stack = self.before()
        try:
            policy = evaluate_update_policy(self.above, resource, states, inputs.world.checks)
            context = PreviewContext(
                resource.name,
                Action.CREATE if self.kind in (Kind.CREATE, Kind.REPLACE) else Action.UPDATE,
                self.parent,
                None if self.kind is Kind.REPLACE else self.row,
                contract_of(found),
                bare(policy),
                peers,
                inputs.physical_name,
                stack.rows,
                stack.resources,
            )
            rename = _Renaming(stack) if contract_of(found).random_member_names else None
            way = stages(found, self.above, resource, context, values, rename, MAX_MEMBERS)
        except NotForeseeable:
            raise
        except Exception as error:
            # Types may raise anything; the run will show the error.
            raise NotForeseeable(f"its type could not generate the template: {error}") from None
        if stack.exists and has_unknown(dict(values)):
            # The type compared existing members with placeholders for unknown values.
            held = not all(has_unknown(member) for member in _members(way[-1]))
            if len(way) > 1 or held:
                raise NotForeseeable("its batches depend on values that are not known yet")
        return way


def _members(below: NestedTemplate) -> list[object]:
    return list((below.template.data.get("resources") or {}).values())


class _Renaming:
    """Names new members new-1, new-2 and so on, as their random names are not known yet."""

    def __init__(self, stack: PresentStack) -> None:
        self._names = {row.name: row.name for row in stack.rows}

    def __call__(self, data: JsonObject) -> JsonObject:
        members = {}
        for name, member in data["resources"].items():
            if name not in self._names:
                made = sum(known != name for name, known in self._names.items()) + 1
                self._names[name] = f"new-{made}"
            members[self._names[name]] = member
        return {**data, "resources": members}


def nested_id(name: str, row: Row | None) -> str:
    """The id of a resource's nested stack, or a placeholder."""
    return (row.physical_id if row is not None else None) or f"below:{name}"
