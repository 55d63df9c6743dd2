"""Logs, metrics and spans of a run: how long its steps take and how they end."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from calor.observe import fields, tracing
from calor.observe.series import RUN_SECONDS, RUN_WAIT_SECONDS, STEP_SECONDS
from calor.resources.values import JsonObject
from calor.stacks.run_notes import RunNotes
from calor.stacks.states import ResourceState
from calor.store import records

log = logging.getLogger("calor.runs")

TEMPLATE = "(template)"
"""The type of template resources in metrics, as users can create any number of names."""


@contextmanager
def running(stack: records.Stack, engine: str) -> Iterator[None]:
    """Sets up the log fields and the span of a run, with the id of the request that started it."""
    origin = RunNotes.of(stack).origin
    with (
        fields.scope(
            confidential=stack.sealed,
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


class Telemetry:
    """Logs, metrics and spans of one run."""

    def __init__(self, is_type: Callable[[str], object]) -> None:
        self._is_type = is_type
        self._begun: dict[str, float] = {}
        self._spans: JsonObject = {}
        self._above: JsonObject = {}

    def run_started(self, stack: records.Stack, now: float) -> None:
        RUN_WAIT_SECONDS.observe(max(now - (stack.updated_at or stack.created_at), 0.0))
        log.info("%s of stack %s started", stack.action, stack.name)

    def run_ended(self, stack: records.Stack, now: float) -> None:
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
    def stack_scope(self, stack: records.Stack) -> Iterator[None]:
        """Sets the log fields of a stack of the tree."""
        above = self._above[stack.id] = tracing.current_context()
        try:
            with fields.scope(stack=stack.name, stack_id=stack.id):
                yield
        finally:
            del self._above[stack.id]
            tracing.restore_context(above)

    def step(self, stack: records.Stack, state: ResourceState, now: float) -> None:
        """Records a state change of a resource."""
        if state.status == "IN_PROGRESS":
            self._begun[state.id] = now
            if tracing.is_on():
                self._spans[state.id] = tracing.start_span(
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
            tracing.end_span(span, "FAILED" if state.status == "FAILED" else None)
