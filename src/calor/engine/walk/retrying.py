"""Retries creations, after deleting the failed object.

Failed attempts are stored with the resource, so that an engine that takes over continues counting."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import Any

from calor.clouds.errors import Conflict
from calor.engine.walk.graph_walk import maybe_await
from calor.engine.walk.stack_walk import StackWalk
from calor.language.definition import ResourceDefinition
from calor.language.evaluation import Evaluated
from calor.lifecycle import Action, Status
from calor.plan.present import CREATED_IN, shown_properties
from calor.resources.contract import contract_of
from calor.resources.outcomes import ResourceFailed
from calor.resources.values import JsonObject
from calor.stacks.states import ResourceState, StepFailed

RETRIES = "_retries"
"""The key for a resource's failed attempts."""
JITTER = 2.0

Attempt = Callable[[], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class CreationRetries:
    """The failed attempts in an action."""

    of: str
    count: int
    first: JsonObject
    """The first failure, which is reported in the end."""
    removing: bool
    """Whether the object of the last attempt still has to be deleted."""


def is_worth_retrying(error: Exception) -> bool:
    """Whether a retry may help: the object is in error, or there was a conflict."""
    if isinstance(error, ResourceFailed):
        return error.kind == "ResourceInError"
    return isinstance(error, Conflict) and error.status == 409


def delay(count: int, draw: Callable[[float, float], float] = random.uniform) -> float:
    """The seconds to wait after `count` failed attempts."""
    return float(2**count + draw(0.0, JITTER))


async def create_with_retries(
    walk: StackWalk,
    resource: ResourceDefinition,
    state: ResourceState,
    evaluated: Evaluated,
    attempt: Attempt,
    again: Attempt,
) -> None:
    """Creates the object of a row that is IN_PROGRESS: with `attempt`, then with `again` while a retry may help. An
    attempt that returns False has created nothing without failing. Raises the first failure after the last retry."""
    known = _known(walk, state)
    if known is not None and known.removing:
        await _remove(walk, resource, state, evaluated, known)
        attempt = again
    while True:
        try:
            made = await attempt()
        except Exception as error:
            walk.run.control.stopped()
            if walk.run.control.left or not is_worth_retrying(error):
                raise
            failure = StepFailed.of(error).without_secrets(state)
            await _prepare_another(walk, resource, state, evaluated, failure)
        else:
            if made is not False:
                _note(state, None)
            return
        attempt = again


async def _prepare_another(
    walk: StackWalk,
    resource: ResourceDefinition,
    state: ResourceState,
    evaluated: Evaluated,
    failure: StepFailed,
) -> None:
    known = _known(walk, state)
    first = known.first if known is not None and known.count else failure.stored()
    failed = CreationRetries(walk.occasion, known.count + 1 if known is not None else 1, first, True)
    if failed.count > walk.run.retry_limit:
        raise StepFailed(**first)
    reason = failure.at(state.name).reason
    walk.journal.event(walk.stack, state, (Action.CREATE, Status.FAILED), reason)
    walk.journal.event(walk.stack, state, (Action.DELETE, Status.IN_PROGRESS), "state changed")
    state.reason = f"Attempt {failed.count} of {walk.run.retry_limit + 1} failed: {reason}"
    _note(state, failed)
    await _remove(walk, resource, state, evaluated, failed)
    await walk.run.control.pause(delay(failed.count))
    state.reason = "state changed"
    walk.journal.resource(state)
    shown = shown_properties(evaluated.values)
    walk.journal.event(walk.stack, state, (Action.CREATE, Status.IN_PROGRESS), state.reason, shown)


async def _remove(
    walk: StackWalk,
    resource: ResourceDefinition,
    state: ResourceState,
    evaluated: Evaluated,
    failed: CreationRetries,
) -> None:
    """Deletes the object of a failed attempt and its data. Without a physical id, a conflicting object is another
    resource's."""
    walk.journal.resource(state)
    await walk.journal.flush()
    if state.physical_id is not None:
        delete = contract_of(resource.resource_type).delete
        if delete is not None:
            await maybe_await(delete(walk.view.context(state)))
        walk.journal.event(walk.stack, state, (Action.DELETE, Status.COMPLETE), "state changed")
        state.physical_id = None
        state.reference = None
        state.data = {CREATED_IN: state.data[CREATED_IN]} if CREATED_IN in state.data else {}
        walk.record.describe(state, resource, evaluated)
        state.set_properties(evaluated.values)
    else:
        walk.journal.event(walk.stack, state, (Action.DELETE, Status.COMPLETE), "state changed")
    _note(state, CreationRetries(failed.of, failed.count, failed.first, False))
    walk.journal.resource(state)


def _known(walk: StackWalk, state: ResourceState) -> CreationRetries | None:
    """The failed attempts of the current action. An object that an older action has left to be deleted does not count
    as one."""
    noted = state.data.get(RETRIES)
    if noted is None:
        return None
    known = CreationRetries(**noted)
    if known.of == walk.occasion:
        return known
    return CreationRetries(walk.occasion, 0, known.first, True) if known.removing else None


def _note(state: ResourceState, retries: CreationRetries | None) -> None:
    others = {name: value for name, value in state.data.items() if name != RETRIES}
    state.data = others | ({RETRIES: asdict(retries)} if retries is not None else {})
