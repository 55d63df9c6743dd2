"""Holds what was done against the plan that was shown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from calor.plan.kinds import Kind
from calor.plan.steps import Plan, Step
from calor.store import records

Path = tuple[str, ...]

STACK_TYPE = "OS::Heat::Stack"
DRAWN = "new-*"
"""Members whose names are drawn when they are made have one name here."""

_DRAWN_NAME = re.compile("[a-z2-7]{12}")
_ACTIONS = {Kind.CREATE: "CREATE", Kind.UPDATE: "UPDATE", Kind.REPLACE: "CREATE", Kind.DELETE: "DELETE"}


@dataclass(slots=True)
class Deed:
    """Something that was done to a resource, from its first event to its last."""

    action: str
    begun: int
    ended: int
    status: str
    reason: str


Deeds = dict[Path, list[Deed]]


def deeds_of(events: Sequence[records.Event], path_of: Callable[[records.Event], Path]) -> Deeds:
    """What a run did, by the path of the resource. That a replacement is announced is no deed of its own."""
    found: Deeds = {}
    for event in events:
        own = found.setdefault(path_of(event), [])
        begun = [deed for deed in own if deed.action == event.action and deed.status == "IN_PROGRESS"]
        if event.status == "IN_PROGRESS" or not begun:
            own.append(Deed(event.action, event.seq, event.seq, event.status, event.reason))
            continue
        deed = begun[-1]
        deed.ended, deed.status, deed.reason = event.seq, event.status, event.reason
        if "requires replacement" in event.reason:
            own.remove(deed)
    return {path: own for path, own in found.items() if own}


def paths(
    stacks: Mapping[str, records.Stack], known: Mapping[str, set[str]]
) -> Callable[[records.Event], Path]:
    """Tells the path of an event. `known` has the resources that there were before, by stack."""

    def of_stack(id: str) -> Path:
        stack = stacks[id]
        if stack.parent is None:
            return ()
        return (*of_stack(stack.parent), name_in(stack.parent, str(stack.parent_resource)))

    def name_in(stack: str, name: str) -> str:
        drawn = _DRAWN_NAME.fullmatch(name) and name not in known.get(stack, ())
        return DRAWN if drawn else name

    return lambda event: (*of_stack(event.stack), name_in(event.stack, event.resource))


class Comparison:
    """A plan, and what a run did that failed or succeeded. After a failure, less may have been done."""

    def __init__(self, plan: Plan, deeds: Deeds, failed: bool, needed: Mapping[str, set[str]]) -> None:
        self.deeds = deeds
        self.failed = failed
        self.needed = needed
        """Which resources of the root needed each before the run."""
        self.expected: dict[Path, list[tuple[Step, bool]]] = {}
        """The steps by path, and whether one hangs on another that is undecided."""
        self.open: set[Path] = set()
        """Where the plan does not tell what happens below."""
        self._collect(plan, False)
        self.forbidden = [step for step in plan.all_steps() if step.may_be(Kind.FORBIDDEN)]

    def _collect(self, plan: Plan, maybe: bool) -> None:
        for step in plan.steps:
            path = _canonical(step.path)
            self.expected.setdefault(path, []).append((step, maybe))
            if step.nested is not None:
                if step.nested.open is not None:
                    self.open.add(path)
                self._collect(step.nested, maybe or step.kind is Kind.UNDECIDED)

    def contradictions(self) -> Iterator[str]:
        for path in sorted({*self.expected, *self.deeds}):
            if any(path[: len(prefix)] == prefix and path != prefix for prefix in self.open):
                continue
            steps, own = self.expected.get(path, []), self.deeds.get(path, [])
            fits = self._counts_fit(steps, own) if DRAWN in path else self._fits(steps, own)
            if not fits:
                done = [f"{deed.action}_{deed.status} ({deed.reason})" for deed in own]
                yield f"{'/'.join(path)}: planned {[_told(step) for step, _ in steps]}, done {done}"
        if not self.failed:
            for steps in self.expected.values():
                for step, maybe in steps:
                    if step.kind is Kind.FORBIDDEN and not maybe:
                        yield f"{'/'.join(step.path)}: forbidden ({step.reason}), but the run succeeded"
        yield from self._out_of_order()

    def _fits(self, steps: Sequence[tuple[Step, bool]], deeds: Sequence[Deed]) -> bool:
        if not deeds and self.failed:
            return True
        if not steps:
            return not deeds
        (step, maybe), *later = steps
        outcomes = _outcomes(step)
        if (None in outcomes or maybe or self.failed) and self._fits(later, deeds):
            return True
        if not deeds:
            return False
        first = deeds[0]
        if first.status == "FAILED":
            return self.failed and len(deeds) == 1 and self._explains(step, first)
        return first.action in outcomes and self._fits(later, deeds[1:])

    def _explains(self, step: Step, deed: Deed) -> bool:
        """Whether a failure had to be expected: a type was told to fail, the plan says so, or a value that the
        plan could not know turns out not to fit."""
        if step.kind is Kind.FORBIDDEN:
            return step.reason in deed.reason
        foretold = any(
            other.kind is Kind.UNDECIDED or other.reason in deed.reason for other in self.forbidden
        )
        if "StackValidationFailed" in deed.reason:
            return any(_outcomes(step))
        reported = any(words in deed.reason for words in ("told to fail", "Test Resource failed"))
        expected = reported or foretold or bool(self.open)
        return expected and (deed.action in _outcomes(step) or step.may_be(Kind.FORBIDDEN))

    def _counts_fit(self, steps: Sequence[tuple[Step, bool]], deeds: Sequence[Deed]) -> bool:
        certain = Counter(_ACTIONS[s.kind] for s, maybe in steps if s.kind in _ACTIONS and not maybe)
        possible = Counter(action for step, _ in steps for action in _outcomes(step) if action)
        done = Counter(deed.action for deed in deeds)
        return not done - possible and (self.failed or not certain - done)

    def _out_of_order(self) -> Iterator[str]:
        """A resource is worked on after those that it depends on; an old one goes when nothing needs it."""
        for path, steps in self.expected.items():
            if DRAWN in path:
                continue
            made = self._worked_on(path)
            wanted = [step for step, _ in steps if step.resource is not None]
            for dependant in {name for step in wanted for name in step.required_by}:
                later = self._worked_on((*path[:-1], dependant))
                if made and later and made.ended > later.begun:
                    yield f"{'/'.join(path)} was worked on after {dependant}, which needs it"
        for name, dependants in self.needed.items():
            gone = next((deed for deed in self.deeds.get((name,), ()) if deed.action == "DELETE"), None)
            for dependant in dependants:
                later = self._worked_on((dependant,))
                if gone and later and gone.begun < later.ended:
                    yield f"{name} went before {dependant} was done with it"

    def _worked_on(self, path: Path) -> Deed | None:
        return next((deed for deed in self.deeds.get(path, ()) if deed.action != "DELETE"), None)


def _canonical(path: Path) -> Path:
    return tuple(DRAWN if name.startswith("new-") else name for name in path)


def _outcomes(step: Step) -> set[str | None]:
    """The actions that a step may show as; None for none at all."""
    kinds = step.possible if step.kind is Kind.UNDECIDED else {step.kind}
    return {_ACTIONS.get(kind) for kind in kinds}


def _told(step: Step) -> str:
    possible = f" {sorted(kind.value for kind in step.possible)}" if step.possible else ""
    return f"{step.kind.value}{possible}: {step.reason}"
