"""Creations that are tried again: what was made and went wrong is deleted first.

How often it has failed is noted with the resource, so that whoever takes over neither forgets nor repeats it."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from calor.clouds.errors import Conflict
from calor.engine.states import ResourceState, StepFailed
from calor.engine.walking import awaited
from calor.language.definition import ResourceDefinition
from calor.language.evaluation import Evaluated
from calor.plan.present import MADE_FOR
from calor.types.behaviour import ResourceFailed

if TYPE_CHECKING:
    from calor.engine.making import Making

RETRIES = "_retries"
"""Where a resource notes its failed attempts."""
JITTER = 2.0

Attempt = Callable[[], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Retries:
    """The attempts that failed in an action."""

    of: str
    count: int
    first: dict[str, Any]
    """The first failure, which is the one that is told in the end."""
    removing: bool
    """Whether what the last one made has still to be deleted."""


def is_worth_retrying(error: Exception) -> bool:
    """Whether another attempt may go better: the service itself says that what it made is in error, or that
    something was in the way."""
    if isinstance(error, ResourceFailed):
        return error.kind == "ResourceInError"
    return isinstance(error, Conflict) and error.status == 409


def delay(count: int, draw: Callable[[float, float], float] = random.uniform) -> float:
    """The seconds before the next attempt when so many have failed."""
    return float(2**count + draw(0.0, JITTER))


async def persevere(
    walk: Making,
    resource: ResourceDefinition,
    state: ResourceState,
    evaluated: Evaluated,
    attempt: Attempt,
    again: Attempt,
) -> None:
    """Makes what a row, IN_PROGRESS, stands for: by `attempt`, and then by `again` as long as that is worth it. An
    attempt that gives False has made nothing, and has not failed. Raises the first failure when there have been
    enough."""
    known = _known(walk, state)
    if known is not None and known.removing:
        await _remove(walk, resource, state, evaluated, known)
        attempt = again
    while True:
        try:
            made = await attempt()
        except Exception as error:
            walk.run.stopped()
            if walk.run.left or not is_worth_retrying(error):
                raise
            await _prepare_another(walk, resource, state, evaluated, StepFailed.of(error))
        else:
            if made is not False:
                _note(state, None)
            return
        attempt = again


async def _prepare_another(
    walk: Making,
    resource: ResourceDefinition,
    state: ResourceState,
    evaluated: Evaluated,
    failure: StepFailed,
) -> None:
    known = _known(walk, state)
    first = known.first if known is not None and known.count else failure.stored()
    failed = Retries(walk.occasion, known.count + 1 if known is not None else 1, first, True)
    if failed.count > walk.run.retry_limit:
        raise StepFailed(**first)
    reason = failure.at(state.name).reason
    walk.journal.event(walk.stack, state, ("CREATE", "FAILED"), reason)
    walk.journal.event(walk.stack, state, ("DELETE", "IN_PROGRESS"), "state changed")
    state.reason = f"Attempt {failed.count} of {walk.run.retry_limit + 1} failed: {reason}"
    _note(state, failed)
    await _remove(walk, resource, state, evaluated, failed)
    await walk.run.pause(delay(failed.count))
    state.reason = "state changed"
    walk.journal.resource(state)
    walk.journal.event(walk.stack, state, ("CREATE", "IN_PROGRESS"), state.reason, evaluated.values)


async def _remove(
    walk: Making,
    resource: ResourceDefinition,
    state: ResourceState,
    evaluated: Evaluated,
    failed: Retries,
) -> None:
    """Deletes what an attempt has made, and forgets all that was noted of it. Where nothing was made, what is in the
    way belongs to others."""
    walk.journal.resource(state)
    await walk.journal.flush()
    if state.physical_id is not None:
        delete = getattr(resource.found, "delete", None)
        if delete is not None:
            await awaited(delete(walk.context(state)))
        walk.journal.event(walk.stack, state, ("DELETE", "COMPLETE"), "state changed")
        state.physical_id = None
        state.reference = None
        state.data = {MADE_FOR: state.data[MADE_FOR]} if MADE_FOR in state.data else {}
        walk.describe(state, resource, evaluated)
        state.hold(evaluated.values)
    else:
        walk.journal.event(walk.stack, state, ("DELETE", "COMPLETE"), "state changed")
    _note(state, Retries(failed.of, failed.count, failed.first, False))
    walk.journal.resource(state)


def _known(walk: Making, state: ResourceState) -> Retries | None:
    """What failed in the action under way. What an older one has left to be deleted counts as no attempt."""
    noted = state.data.get(RETRIES)
    if noted is None:
        return None
    known = Retries(**noted)
    if known.of == walk.occasion:
        return known
    return Retries(walk.occasion, 0, known.first, True) if known.removing else None


def _note(state: ResourceState, retries: Retries | None) -> None:
    others = {name: value for name, value in state.data.items() if name != RETRIES}
    state.data = others | ({RETRIES: asdict(retries)} if retries is not None else {})
