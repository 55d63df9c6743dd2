"""A plan: what would be done to a stack, step by step, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from calor.language.definition import ResourceDefinition
from calor.language.template import Template
from calor.plan.decision import Change, Kind


@dataclass(frozen=True, slots=True)
class Step:
    """One resource, and what becomes of it."""

    kind: Kind
    path: tuple[str, ...]
    """The names of the resources that lead to it through the stacks, its own the last."""
    type_name: str
    reason: str
    changes: tuple[Change, ...] = ()
    possible: frozenset[Kind] = frozenset()
    """What an undecided step may become."""
    forbids: Kind | None = None
    """What is not allowed, of a forbidden step."""
    nested: Plan | None = None
    """For the stack below, if it is worked on."""
    row: str | None = None
    """The id of the row that it is about; None for what does not exist yet."""
    resource: ResourceDefinition | None = None
    """What it shall be; None for what goes."""
    required_by: tuple[str, ...] = ()
    """The resources of the same stack that will depend on it."""
    template: Template | None = None
    """The template that has it."""
    refused: tuple[str, ...] = ()
    """The properties whose change is never made, of a step that is forbidden for that."""
    unchanged_below: int = 0
    """How many resources the stack below it has, and those below that, if all of that stays as it is."""

    @property
    def name(self) -> str:
        return self.path[-1]

    def may_be(self, kind: Kind) -> bool:
        return kind is self.kind or kind in self.possible


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps for a stack, in an order in which they can be done: each after what it needs."""

    steps: tuple[Step, ...] = ()
    open: str | None = None
    """Why the steps cannot be told beforehand, where that is so."""

    @property
    def quiet(self) -> bool:
        """Whether nothing would change, here and below."""
        return self.open is None and all(
            step.kind is Kind.KEEP
            or (
                step.kind is Kind.UPDATE
                and not step.changes
                and step.nested is not None
                and step.nested.quiet
            )
            for step in self.steps
        )

    def all_steps(self) -> Iterator[Step]:
        """The steps here and below, those of a stack below after the step of its resource."""
        for step in self.steps:
            yield step
            if step.nested is not None:
                yield from step.nested.all_steps()
