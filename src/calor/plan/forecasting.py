"""Foresees what becomes of a stack and of the stacks below it. Nothing is asked, nothing is done: the engine takes
the same decisions in the same order, when it comes to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from calor.graph import Graph
from calor.language.definition import Definition, ResourceDefinition
from calor.language.evaluation import Evaluated, evaluate
from calor.language.expressions import FunctionError
from calor.language.library import TemplateType
from calor.language.values import Unknown, revealed
from calor.plan.asking import CannotTell
from calor.plan.choosing import current
from calor.plan.decision import Decision, Kind, Wanted, decide, decide_with_stack_below
from calor.plan.foreseeing import ForeseenRow, ForeseenStates, Outlook
from calor.plan.ordering import Apply, steps
from calor.plan.places import Means, Place, id_below
from calor.plan.present import (
    DELETION_POLICY,
    METADATA,
    NESTED,
    PresentStack,
    Row,
    noting_masks,
    policy_of,
    present_of,
    remembered,
    wanted_of,
)
from calor.plan.steps import Plan, Step

REFERENCE = "OS::stack_id"
"""The output with which a template says what get_resource gives for it."""


def forecast(definition: Definition | None, stack: PresentStack, target: str | None, means: Means) -> Plan:
    """The plan for a stack to become what a definition says (None: nothing any more), whose digest is `target`."""
    return Forecast(definition, stack, target, means, ()).plan()


class Forecast:
    """One stack on its way to a definition, foreseen."""

    def __init__(
        self,
        definition: Definition | None,
        stack: PresentStack,
        target: str | None,
        means: Means,
        above: tuple[str, ...],
    ) -> None:
        self.definition = definition
        self.stack = stack
        self.target = target
        self.means = means
        self.above = above
        self.rows = {row.id: row for row in stack.rows}
        self.current = current(stack.rows, target)
        self.states = ForeseenStates(means.read(self.current))
        self.dependants = definition.graph.dependants() if definition is not None else {}
        self.needed_by: dict[str, list[str]] = {}
        """The resources that need a row now."""
        for row in stack.rows:
            for id in row.requires:
                self.needed_by.setdefault(id, []).append(row.name)
        self.decisions: dict[str, Decision] = {}
        self.by_reference: dict[str, str] = {}
        """The names of resources that keep their references, by these."""
        self.left: dict[str, Row] = {}
        """The resources as the steps leave them, by name."""
        self.below: dict[str, PresentStack] = {}
        """The stacks below, as the steps leave them, by id."""

    def plan(self) -> Plan:
        wanted = self.definition.graph if self.definition is not None else Graph[str]()
        found: list[Step] = []
        for node in steps(wanted, self.rows.values()).order():
            step = self._apply(node.name) if isinstance(node, Apply) else self._delete(self.rows[node.id])
            if step is not None:
                found.append(step)
        return Plan(tuple(found))

    def after(self) -> PresentStack:
        """The stack when all steps are done."""
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
        self.means.go_on()
        resource = self.definition.resources[name]
        row = self.current.get(name)
        try:
            evaluated = evaluate(self.definition, resource, self.states, self.means.world.checks)
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
            decision = decide(present_of(row, self.means.world.declaration), wanted)
        plan: Plan | None = None
        if wanted.keeps_stack and decision.kind is not Kind.FORBIDDEN:
            decision, plan = self._with_stack_below(resource, row, evaluated, wanted, decision)
        step = self._step(resource, row, decision, plan)
        self._foresee(resource, row, evaluated, decision, plan)
        return step

    def _as_before(self, resource: ResourceDefinition, row: Row | None) -> bool:
        """Whether a stage leaves a resource as the one before has made it, also where values are not known."""
        if self.definition is None or not isinstance(row, ForeseenRow):
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
        """Notes what others will be able to read of the resource, and how it will be."""
        assert self.definition is not None
        stays = row is not None and not (decision.may_be(Kind.REPLACE) or decision.may_be(Kind.CREATE))
        has_stack = plan is not None or (row is not None and NESTED in row.data)
        known = stays and not isinstance(row, ForeseenRow)
        whole = known and row is not None and row.status == "COMPLETE"
        if has_stack and row is not None:
            known = known and (row.physical_id or "") in self.stack.below
        # A group may be updated for something in it; where nothing below it changes, its attributes stay.
        unmoved = (
            decision.kind is Kind.UPDATE
            and not decision.changes
            and not isinstance(resource.found, TemplateType)
            and plan is not None
            and plan.quiet
        )
        keeps = known and (decision.kind is Kind.KEEP or unmoved)
        mirrors: Mapping[str, str] = getattr(resource.found, "mirrors", {})
        outlook = Outlook(
            keeps_reference=keeps or (known and REFERENCE not in _outputs(resource.found)),
            new_reference=_gets_new_reference(resource, row, decision),
            keeps_attributes=keeps,
            has_stack=has_stack,
            mirrored={name: revealed(evaluated.values.get(of)) for name, of in mirrors.items()},
            steady=_steady(resource.found, decision.changed) if whole else frozenset(),
        )
        self.states.foresee(resource.name, outlook)
        if outlook.keeps_reference and isinstance(reference := self.states.reference(resource.name), str):
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
        self.left[resource.name] = ForeseenRow(
            id=before.id if before is not None else f"new:{resource.name}",
            name=resource.name,
            type_name=resource.type_name,
            properties=revealed(evaluated.values),
            metadata=revealed(evaluated.metadata),
            data=noting_masks(
                remembered(resource, policy_of(self.definition, resource, self.states), data),
                evaluated.values,
            ),
            requires=[self.left[name].id for name in needs if name in self.left],
            definition=self.target,
            physical_id=id_below(resource.name, before),
        )

    def _with_stack_below(
        self,
        resource: ResourceDefinition,
        row: Row | None,
        evaluated: Evaluated,
        wanted: Wanted,
        decision: Decision,
    ) -> tuple[Decision, Plan | None]:
        """The decision with regard to the stack below, and the plan for that."""
        assert self.definition is not None
        stack = self._stack_of(row, decision)
        place = Place(self.definition, resource, row, stack, evaluated, decision.kind, self.stack)
        if stack is not None and not stack.foreseeable:
            return decision, Plan(open="it hangs on what the steps before leave")
        if not decision.may_be(Kind.CREATE):
            decision = decide_with_stack_below(
                decision, wanted, place.differs(self.states, self._peer, self.means)
            )
        if decision.kind in (Kind.KEEP, Kind.FORBIDDEN):
            return decision, None
        if decision.kind is Kind.UNDECIDED and decision.may_be(Kind.REPLACE):
            return decision, Plan(open="it may be updated or replaced")
        try:
            found: list[Step] = []
            below = place.before()
            for stage in place.stages(self.states, self._peer, self.means):
                definition = place.define(stage)
                ahead = Forecast(
                    definition,
                    below,
                    place.digest(stage, self.means),
                    self.means,
                    (*self.above, resource.name),
                )
                found += ahead.plan().steps
                below = ahead.after()
            self.below[below.id] = below
            return decision, Plan(_told_once(found))
        except CannotTell as reason:
            unforeseen = replace(place.before(), foreseeable=False)
            self.below[unforeseen.id] = unforeseen
            return decision, Plan(open=str(reason))

    def _stack_of(self, row: Row | None, decision: Decision) -> PresentStack | None:
        """The stack below a resource that the work goes on with, None where a new one is made."""
        if row is None or decision.kind is Kind.REPLACE:
            return None
        if decision.kind is Kind.CREATE and row.status != "IN_PROGRESS":
            return None
        return self.stack.below.get(row.physical_id or "")

    def _peer(self, reference: Any) -> Row | None:
        """The resource that a reference means, if it stays as it is."""
        for name, row in self.current.items():
            if reference in (name, self.states.reference(name)):
                decision = self.decisions.get(name)
                return row if decision is not None and decision.kind is Kind.KEEP else None
        return None

    def _properties(self, reference: Any) -> Mapping[str, Any] | None:
        """What the properties of the resource will be that a reference means, if it is one of this stack and its step
        comes before."""
        if isinstance(reference, Unknown):
            name = reference.stand_in
            found = isinstance(name, str) and self.states.is_reference(reference, name)
        else:
            name = self.by_reference.get(reference) if isinstance(reference, str) else None
            found = name is not None
        return self.left[name].properties if found and name in self.left else None

    # Deleting.

    def _delete(self, row: Row) -> Step | None:
        if row.action == "INIT" or (row.action == "DELETE" and row.status == "COMPLETE"):
            return None
        wanted = self.definition is not None and row.name in self.definition.resources
        if not wanted:
            gone = "it is no longer in the template" if self.definition is not None else "its stack goes"
            return self._deletion(row, gone)
        if self.current.get(row.name) is not row:
            return self._deletion(row, "it is left over from an earlier change")
        decision = self.decisions[row.name]
        if decision.kind is Kind.REPLACE:
            return self._deletion(row, "its replacement is there")
        if decision.may_be(Kind.REPLACE):
            step = self._deletion(row, "it goes if it is replaced")
            return replace(step, kind=Kind.UNDECIDED, possible=frozenset({Kind.KEEP, Kind.DELETE}))
        return None

    def _deletion(self, row: Row, reason: str) -> Step:
        path = (*self.above, row.name)
        nested = None
        if row.data.get(DELETION_POLICY) == "Retain":
            reason = f"{reason}; its deletion policy lets live what it stands for"
        elif row.data.get(NESTED):
            stack = self.stack.below.get(row.physical_id or "")
            nested = Forecast(None, stack, None, self.means, path).plan() if stack is not None else None
        needed_by = tuple(self.needed_by.get(row.id, ()))
        return Step(
            Kind.DELETE, path, row.type_name, reason, nested=nested, row=row.id, required_by=needed_by
        )


def _gets_new_reference(resource: ResourceDefinition, row: Row | None, decision: Decision) -> bool:
    """Whether a resource is made for sure, and then is known by what nothing was known by before."""
    made = decision.kind is Kind.REPLACE or (decision.kind is Kind.CREATE and row is None)
    return made and resource.text.external_id is None and getattr(resource.found, "new_reference", False)


def _outputs(found: Any) -> Mapping[str, Any]:
    return found.template.outputs if isinstance(found, TemplateType) else {}


def _steady(found: Any, changed: frozenset[str]) -> frozenset[str]:
    """The attributes of a type that do not hang on the properties that change."""
    steady: Mapping[str, Sequence[str]] = getattr(found, "steady", {})
    return frozenset(name for name, causes in steady.items() if changed.isdisjoint(causes))


def _told_once(steps: list[Step]) -> tuple[Step, ...]:
    """The steps of several stages: what a stage leaves alone is told once, and only if no other stage touches
    it."""
    touched = {step.name for step in steps if step.kind is not Kind.KEEP}
    told: dict[tuple[str, int], Step] = {}
    for index, step in enumerate(steps):
        if step.kind is not Kind.KEEP:
            told[step.name, index] = step
        elif step.name not in touched:
            told.setdefault((step.name, -1), step)
    return tuple(told.values())
