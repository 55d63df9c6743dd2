"""Carries out the decisions of `calor.plan` about resources."""

from __future__ import annotations

from typing import assert_never

from calor.engine.walk import adopting, creating, deleting, keeping, recovering, updating
from calor.engine.walk.stack_walk import StackWalk, StepResult
from calor.language.definition import ResourceDefinition
from calor.language.evaluation import Evaluated
from calor.language.expressions import FunctionError
from calor.language.values import bare
from calor.lifecycle import Action
from calor.plan.decision import decide
from calor.plan.kinds import Kind
from calor.plan.ordering import Apply, Node
from calor.plan.present import present_of, wanted_of
from calor.plan.states import Wanted
from calor.stacks.states import StepFailed


def dispatch(walk: StackWalk, step: Node) -> StepResult:
    """Starts a step; returns what has to be awaited, if anything."""
    if isinstance(step, Apply):
        return _apply(walk, step.name)
    return deleting.delete(walk, walk.view.rows[step.id])


def _apply(walk: StackWalk, name: str) -> StepResult:
    resource = walk.view.defined.resources[name]
    present = walk.view.current.get(name)
    try:
        evaluated = walk.view.evaluated(resource)
        wanted = _wanted(walk, resource, evaluated)
    except FunctionError as error:
        raise walk.record.fail_before(resource, present, StepFailed.of(error)) from None
    decision = decide(present_of(present, walk.run.world.declaration, walk.occasion), wanted)
    match decision.kind:
        case Kind.CREATE:
            return creating.create(walk, resource, evaluated)
        case Kind.ADOPT:
            return adopting.adopt(walk, resource, present, evaluated, decision)
        case Kind.REFER:
            return adopting.refer(walk, resource, present, evaluated, decision)
        case Kind.FORBIDDEN:
            raise walk.record.forbid(resource, present, decision)
        case _:
            assert present is not None
    match decision.kind:
        case Kind.RESUME:
            return creating.resume(walk, resource, present, evaluated)
        case Kind.REPLACE:
            return creating.replace(walk, resource, present, evaluated)
        case Kind.UPDATE | Kind.UNDECIDED:
            # If undecided, the type decides during the update.
            return updating.update(walk, resource, present, evaluated, decision)
        case Kind.KEEP:
            return keeping.keep(walk, resource, present, evaluated, wanted)
        case Kind.RECOVER:
            return recovering.recover(walk, resource, present, evaluated, decision)
        case Kind.RECLAIM:
            return recovering.reclaim(walk, resource, present)
        case Kind.DELETE:
            raise AssertionError("a resource of the definition is never deleted")
        case _:
            assert_never(decision.kind)


def _wanted(walk: StackWalk, resource: ResourceDefinition, evaluated: Evaluated) -> Wanted:
    view = walk.view
    known = Evaluated(evaluated.given, bare(evaluated.values), bare(evaluated.metadata))
    adopting_stack = walk.stack.action == Action.ADOPT
    return wanted_of(view.defined, resource, known, view.states, view.registry, adopting=adopting_stack)
