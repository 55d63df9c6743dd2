"""Computes the plan for a stack and its nested stacks, without I/O, by the decisions that the engine takes in the same
order."""

from __future__ import annotations

from dataclasses import replace

from calor.graph import Graph
from calor.language.definition import Definition, ResourceDefinition
from calor.language.evaluation import Evaluated, evaluate
from calor.language.expressions import FunctionError
from calor.language.library import ResolvedType, TemplateType
from calor.language.values import Unknown, revealed
from calor.lifecycle import Action, Status
from calor.plan.decision import decide, decide_with_nested_stack
from calor.plan.forecast_states import ForecastRow, ForecastStates, Outlook
from calor.plan.kinds import Decision, Kind
from calor.plan.nested_forecast import ForecastInputs, NestedForecast, nested_id
from calor.plan.ordering import Apply, steps
from calor.plan.present import (
    DELETION_POLICY,
    METADATA,
    NESTED,
    REFERENCE,
    PresentStack,
    Row,
    policy_of,
    present_of,
    wanted_of,
    with_definition,
    with_masks,
)
from calor.plan.previewing import NotForeseeable
from calor.plan.row_selection import current
from calor.plan.states import Wanted, no_peers
from calor.plan.steps import Plan, Step
from calor.resources.contract import PeerProperties, contract_of
from calor.resources.values import JsonMapping


def forecast(
    definition: Definition | None, stack: PresentStack, target: str | None, inputs: ForecastInputs
) -> Plan:
    """The plan to change a stack to a definition with the digest `target`; None deletes it."""
    return Forecast(definition, stack, target, inputs, ()).plan()


class Forecast:
    """Computes the plan for one stack."""

    def __init__(
        self,
        definition: Definition | None,
        stack: PresentStack,
        target: str | None,
        inputs: ForecastInputs,
        above: tuple[str, ...],
        peers_above: PeerProperties = no_peers,
    ) -> None:
        self.definition = definition
        self.stack = stack
        self.target = target
        self.inputs = inputs
        self.above = above
        self.peers_above = peers_above
        self.rows = {row.id: row for row in stack.rows}
        self.current = current(stack.rows, target)
        self.states = ForecastStates(inputs.read(self.current))
        self.dependants = definition.graph.dependants() if definition is not None else {}
        self.needed_by: dict[str, list[str]] = {}
        """The names of the resources that require a row now."""
        for row in stack.rows:
            for id in row.requires:
                self.needed_by.setdefault(id, []).append(row.name)
        self.decisions: dict[str, Decision] = {}
        self.by_reference: dict[str, str] = {}
        """The names of resources that keep their reference, by reference."""
        self.left: dict[str, Row] = {}
        """The resources after the steps, by name."""
        self.below: dict[str, PresentStack] = {}
        """The nested stacks after the steps, by id."""

    def plan(self) -> Plan:
        wanted = self.definition.graph if self.definition is not None else Graph[str]()
        found: list[Step] = []
        for node in steps(wanted, self.rows.values()).order():
            step = self._apply(node.name) if isinstance(node, Apply) else self._delete(self.rows[node.id])
            if step is not None:
                found.append(step)
        return Plan(tuple(found))

    def after(self) -> PresentStack:
        """The stack after all steps."""
        template = self.definition.template if self.definition is not None else None
        written = template.data.get("resources") if template is not None else None
        return replace(
            self.stack,
            complete=True,
            definition=self.target,
            rows=list(self.left.values()),
            resources=written or {},
            below=self.below,
        )

    # Applying.

    def _apply(self, name: str) -> Step:
        assert self.definition is not None
        self.inputs.check_deadline()
        resource = self.definition.resources[name]
        row = self.current.get(name)
        try:
            evaluated = evaluate(self.definition, resource, self.states, self.inputs.world.checks)
            registry = self.definition.environment.registry
            wanted = replace(
                wanted_of(self.definition, resource, evaluated, self.states, registry), peers=self._properties
            )
        except FunctionError as error:
            action = Kind.CREATE if row is None else Kind.UPDATE
            decision = Decision(Kind.FORBIDDEN, error.message, forbids=action, error=error.kind)
            return self._step(resource, row, decision, None)
        if self._as_before(resource, row):
            decision = Decision(Kind.KEEP, "nothing changes")
        else:
            decision = decide(present_of(row, self.inputs.world.declaration), wanted).foreseen
        plan: Plan | None = None
        if wanted.keeps_stack and decision.kind is not Kind.FORBIDDEN:
            decision, plan = self._with_nested_stack(resource, row, evaluated, wanted, decision)
        step = self._step(resource, row, decision, plan)
        self._foresee(resource, row, evaluated, decision, plan)
        return step

    def _as_before(self, resource: ResourceDefinition, row: Row | None) -> bool:
        """Whether a stage does not change a resource of the previous stage, even if values are not known."""
        if self.definition is None or not isinstance(row, ForecastRow):
            return False
        written = self.definition.template.data.get("resources") or {}
        return bool(self.stack.resources.get(resource.name) == written.get(resource.name))

    def _step(
        self, resource: ResourceDefinition, row: Row | None, decision: Decision, plan: Plan | None
    ) -> Step:
        self.decisions[resource.name] = decision
        keeps = decision.kind is Kind.KEEP
        below = self.stack.below.get(row.physical_id or "") if row is not None and keeps else None
        return Step(
            decision.kind,
            (*self.above, resource.name),
            resource.type_name,
            decision.reason,
            decision.changes,
            decision.possible,
            decision.forbids,
            plan,
            row.id if row is not None else None,
            resource,
            tuple(self.dependants[resource.name]),
            self.definition.template if self.definition is not None else None,
            decision.refused,
            below.size if below is not None else 0,
        )

    def _foresee(
        self,
        resource: ResourceDefinition,
        row: Row | None,
        evaluated: Evaluated,
        decision: Decision,
        plan: Plan | None,
    ) -> None:
        """Records the resource after the step, and what its dependants can read."""
        assert self.definition is not None
        stays = row is not None and not (decision.may_be(Kind.REPLACE) or decision.may_be(Kind.CREATE))
        has_stack = plan is not None or (row is not None and NESTED in row.data)
        known = stays and not isinstance(row, ForecastRow)
        whole = known and row is not None and row.status == Status.COMPLETE
        if has_stack and row is not None:
            known = known and (row.physical_id or "") in self.stack.below
        # A group is updated although no member changes: its attributes stay.
        unmoved = (
            decision.kind is Kind.UPDATE
            and not decision.changes
            and not isinstance(resource.resource_type, TemplateType)
            and plan is not None
            and plan.quiet
        )
        keeps = known and (decision.kind is Kind.KEEP or unmoved)
        mirrors = contract_of(resource.resource_type).attributes_from_properties
        outlook = Outlook(
            keeps_reference=keeps or (known and REFERENCE not in _outputs(resource.resource_type)),
            new_reference=_gets_new_reference(resource, row, decision),
            keeps_attributes=keeps,
            has_stack=has_stack,
            mirrored={name: evaluated.values.get(of) for name, of in mirrors.items()},
            stable=_stable_attributes(resource.resource_type, decision.changed) if whole else frozenset(),
        )
        self.states.foresee(resource.name, outlook)
        reference = revealed(self.states.reference(resource.name))
        if outlook.keeps_reference and isinstance(reference, str):
            self.by_reference[reference] = resource.name
        if row is not None and decision.kind is Kind.KEEP:
            self.left[resource.name] = row
            stack = self.stack.below.get(row.physical_id or "")
            if stack is not None:
                self.below[stack.id] = stack
            return
        before = row if stays else None
        data = {**(before.data if before is not None else {}), METADATA: revealed(evaluated.metadata)}
        if plan is not None:
            data[NESTED] = True
        needs = self.definition.graph.needs(resource.name)
        self.left[resource.name] = ForecastRow(
            id=before.id if before is not None else f"new:{resource.name}",
            name=resource.name,
            type_name=resource.type_name,
            properties=revealed(evaluated.values),
            metadata=revealed(evaluated.metadata),
            data=with_masks(
                with_definition(resource, policy_of(self.definition, resource, self.states), data),
                evaluated.values,
            ),
            requires=[self.left[name].id for name in needs if name in self.left],
            definition=self.target,
            physical_id=nested_id(resource.name, before),
        )

    def _with_nested_stack(
        self,
        resource: ResourceDefinition,
        row: Row | None,
        evaluated: Evaluated,
        wanted: Wanted,
        decision: Decision,
    ) -> tuple[Decision, Plan | None]:
        """The decision given the nested stack, and the nested stack's plan."""
        assert self.definition is not None
        stack = self._stack_of(row, decision)
        nested = NestedForecast(self.definition, resource, row, stack, evaluated, decision.kind, self.stack)
        if stack is not None and not stack.foreseeable:
            return decision, Plan(open="it depends on the result of earlier steps")
        if not decision.may_be(Kind.CREATE):
            decision = decide_with_nested_stack(
                decision, wanted, nested.differs(self.states, self._peer, self.inputs)
            )
        if decision.kind in (Kind.KEEP, Kind.FORBIDDEN):
            return decision, None
        if decision.kind is Kind.UNDECIDED and decision.may_be(Kind.REPLACE):
            return decision, Plan(open="it may be updated or replaced")
        try:
            found: list[Step] = []
            below = nested.before()
            for stage in nested.stages(self.states, self._peer, self.inputs):
                definition = nested.define(stage)
                ahead = Forecast(
                    definition,
                    below,
                    nested.digest(stage, self.inputs),
                    self.inputs,
                    (*self.above, resource.name),
                    self._properties,
                )
                found += ahead.plan().steps
                below = ahead.after()
            self.below[below.id] = below
            return decision, Plan(_without_repetitions(found))
        except NotForeseeable as reason:
            unforeseen = replace(nested.before(), foreseeable=False)
            self.below[unforeseen.id] = unforeseen
            return decision, Plan(open=str(reason))

    def _stack_of(self, row: Row | None, decision: Decision) -> PresentStack | None:
        """The nested stack that a step updates; None if it creates a new one."""
        if row is None or decision.kind is Kind.REPLACE:
            return None
        if decision.kind is Kind.CREATE and row.status != Status.IN_PROGRESS:
            return None
        return self.stack.below.get(row.physical_id or "")

    def _peer(self, reference: object) -> Row | None:
        """The resource with a reference, if it is not changed."""
        for name, row in self.current.items():
            if reference in (name, revealed(self.states.reference(name))):
                decision = self.decisions.get(name)
                return row if decision is not None and decision.kind is Kind.KEEP else None
        return None

    def _properties(self, reference: object) -> JsonMapping | None:
        """The future properties of the resource with a reference, here or above, if its step comes before."""
        if isinstance(reference, Unknown):
            name = reference.stand_in
            found = isinstance(name, str) and self.states.is_reference(reference, name)
        else:
            name = self.by_reference.get(reference) if isinstance(reference, str) else None
            found = name is not None
        return self.left[name].properties if found and name in self.left else self.peers_above(reference)

    # Deleting.

    def _delete(self, row: Row) -> Step | None:
        if row.action == Action.INIT or (row.action == Action.DELETE and row.status == Status.COMPLETE):
            return None
        wanted = self.definition is not None and row.name in self.definition.resources
        if not wanted:
            gone = (
                "it is no longer in the template" if self.definition is not None else "its stack is deleted"
            )
            return self._deletion(row, gone)
        if self.current.get(row.name) is not row:
            return self._deletion(row, "it is left over from an earlier change")
        decision = self.decisions[row.name]
        if decision.kind is Kind.REPLACE:
            return self._deletion(row, "its replacement exists")
        if decision.may_be(Kind.REPLACE):
            step = self._deletion(row, "it is deleted if it is replaced")
            return replace(step, kind=Kind.UNDECIDED, possible=frozenset({Kind.KEEP, Kind.DELETE}))
        return None

    def _deletion(self, row: Row, reason: str) -> Step:
        path = (*self.above, row.name)
        nested = None
        if row.data.get(DELETION_POLICY) == "Retain":
            reason = f"{reason}; its deletion policy keeps the object"
        elif row.data.get(NESTED):
            stack = self.stack.below.get(row.physical_id or "")
            nested = Forecast(None, stack, None, self.inputs, path).plan() if stack is not None else None
        needed_by = tuple(self.needed_by.get(row.id, ()))
        return Step(
            Kind.DELETE, path, row.type_name, reason, nested=nested, row=row.id, required_by=needed_by
        )


def _gets_new_reference(resource: ResourceDefinition, row: Row | None, decision: Decision) -> bool:
    """Whether a resource is certainly created and gets a unique reference."""
    made = decision.kind is Kind.REPLACE or (decision.kind is Kind.CREATE and row is None)
    return made and resource.text.external_id is None and contract_of(resource.resource_type).new_reference


def _outputs(found: ResolvedType | None) -> JsonMapping:
    return found.template.outputs if isinstance(found, TemplateType) else {}


def _stable_attributes(found: ResolvedType | None, changed: frozenset[str]) -> frozenset[str]:
    """The attributes that do not depend on the changed properties."""
    stable = contract_of(found).stable_attributes
    return frozenset(name for name, causes in stable.items() if changed.isdisjoint(causes))


def _without_repetitions(steps: list[Step]) -> tuple[Step, ...]:
    """Joins the steps of several stages: unchanged resources appear once, and only if no stage changes them."""
    touched = {step.name for step in steps if step.kind is not Kind.KEEP}
    kept: dict[tuple[str, int], Step] = {}
    for index, step in enumerate(steps):
        if step.kind is not Kind.KEEP:
            kept[step.name, index] = step
        elif step.name not in touched:
            kept.setdefault((step.name, -1), step)
    return tuple(kept.values())
