"""What is told of a run while it goes on: how long its steps take and how they end, in the log, as figures, and as
spans."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from calor.engine.states import ResourceState
from calor.observe import fields, tracing
from calor.observe.series import RUN_SECONDS, RUN_WAIT_SECONDS, STEP_SECONDS
from calor.store import records

log = logging.getLogger("calor.runs")

ORIGIN = "origin"
"""Where an action notes which request began it."""
TEMPLATE = "(template)"
"""What figures call types that are templates: anybody can name any number of these."""


@contextmanager
def running(stack: records.Stack, engine: str) -> Iterator[None]:
    """Around a run. What its log lines have in common begins with the request that asked for the action."""
    origin = stack.run.get(ORIGIN, {})
    with (
        fields.about(
            discreet=stack.sealed,
            request_id=origin.get("request_id"),
            engine=engine,
            project=stack.project,
            user=stack.username,
            stack=stack.name,
            stack_id=stack.id,
            action=stack.action,
        ),
        tracing.span(
            f"run {stack.action}",
            parent=origin.get("traceparent"),
            calor_stack=stack.name,
            calor_action=stack.action,
        ),
    ):
        yield


class Watch:
    """Follows one run."""

    def __init__(self, is_type: Callable[[str], object]) -> None:
        self._is_type = is_type
        self._begun: dict[str, float] = {}
        self._spans: dict[str, Any] = {}
        self._above: dict[str, Any] = {}

    def begins(self, stack: records.Stack, now: float) -> None:
        RUN_WAIT_SECONDS.observe(max(now - (stack.updated_at or stack.created_at), 0.0))
        log.info("%s of stack %s is taken up", stack.action, stack.name)

    def ends(self, stack: records.Stack, now: float) -> None:
        seconds = max(now - (stack.updated_at or stack.created_at), 0.0)
        RUN_SECONDS.observe(seconds, stack.action, stack.status)
        level = logging.INFO if stack.status == "COMPLETE" else logging.WARNING
        reason = "" if stack.status == "COMPLETE" or stack.sealed else f": {stack.reason}"
        log.log(
            level,
            "%s of stack %s is %s after %.2f s%s",
            stack.action,
            stack.name,
            stack.status,
            seconds,
            reason,
        )

    @contextmanager
    def walking(self, stack: records.Stack) -> Iterator[None]:
        """Around the walk of a stack of the tree."""
        above = self._above[stack.id] = tracing.here()
        try:
            with fields.about(stack=stack.name, stack_id=stack.id):
                yield
        finally:
            del self._above[stack.id]
            tracing.back_to(above)

    def step(self, stack: records.Stack, state: ResourceState, now: float) -> None:
        """A resource has changed its state."""
        if state.status == "IN_PROGRESS":
            self._begun[state.id] = now
            if tracing.is_on():
                self._spans[state.id] = tracing.begin(
                    f"{state.action} {state.type_name}",
                    self._above.get(stack.id),
                    calor_stack=stack.name,
                    calor_resource=state.name,
                    calor_type=state.type_name,
                    calor_action=state.action,
                )
            return
        seconds = max(now - self._begun.pop(state.id, now), 0.0)
        type_name = state.type_name if self._is_type(state.type_name) else TEMPLATE
        STEP_SECONDS.observe(seconds, type_name, state.action, state.status)
        if state.status == "FAILED":
            reason = "" if stack.sealed else f": {state.reason}"
            log.warning("%s of resource %s failed%s", state.action, state.name, reason)
        if self._spans and (span := self._spans.pop(state.id, None)) is not None:
            tracing.end(span, "FAILED" if state.status == "FAILED" else None)
