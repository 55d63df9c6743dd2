"""Plans: the steps of an action on a stack, and the reasons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from calor.language.definition import ResourceDefinition
from calor.language.template import Template
from calor.plan.kinds import Change, Kind


@dataclass(frozen=True, slots=True)
class Step:
    """What happens to one resource."""

    kind: Kind
    path: tuple[str, ...]
    """The names of the resources from the root stack to this one."""
    type_name: str
    reason: str
    changes: tuple[Change, ...] = ()
    possible: frozenset[Kind] = frozenset()
    """The kinds that an undecided step may become."""
    forbids: Kind | None = None
    """The forbidden kind of change."""
    nested: Plan | None = None
    """The plan of the nested stack, if it is changed."""
    row: str | None = None
    """The id of the resource's row; None if it does not exist yet."""
    resource: ResourceDefinition | None = None
    """The wanted resource; None if it is deleted."""
    required_by: tuple[str, ...] = ()
    """The dependants in the same stack."""
    template: Template | None = None
    """The template that contains it."""
    refused: tuple[str, ...] = ()
    """The properties that can never be changed, for a forbidden step."""
    unchanged_below: int = 0
    """The number of resources in the nested stack, at all levels, if nothing in it changes."""

    @property
    def name(self) -> str:
        return self.path[-1]

    def may_be(self, kind: Kind) -> bool:
        return kind is self.kind or kind in self.possible


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps for a stack, in a possible order."""

    steps: tuple[Step, ...] = ()
    open: str | None = None
    """Why the steps cannot be planned; None if they can."""

    @property
    def quiet(self) -> bool:
        """Whether nothing changes, nested stacks included."""
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
        """All steps, those of a nested stack after the step of its resource."""
        for step in self.steps:
            yield step
            if step.nested is not None:
                yield from step.nested.all_steps()
