"""Says what a stack waits for while a service is away: in the reason of each resource that needs it, and in that of the
stack. It is written when a wait begins and when it ends, however often the service is asked meanwhile."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from calor.clouds.errors import CloudError

if TYPE_CHECKING:
    from calor.engine.runs import Run
    from calor.engine.states import ResourceState

WAITING = "; waiting for "
"""What stands between the reason of a state and what is waited for."""


def before_waiting(reason: str) -> str:
    """A reason without what was waited for, perhaps by an engine that is gone."""
    return reason.partition(WAITING)[0]


def waiting(reason: str, service: str, since: float, error: CloudError) -> str:
    began = datetime.fromtimestamp(since, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return f"{before_waiting(reason)}{WAITING}{service} since {began}: {error.message}"


class Outages:
    """Who waits in a run, for which services."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._waiting: dict[tuple[str, str], float] = {}
        """When the waits of resources, by their ids, for services began."""

    def clear(self) -> None:
        """Forgets what an engine before this one has waited for."""
        self._tell(before_waiting(self._run.stack.reason))

    def away(self, state: ResourceState, service: str, error: CloudError) -> None:
        key = (state.id, service)
        if key in self._waiting:
            return
        since = self._waiting[key] = self._run.now()
        if state.status == "IN_PROGRESS":
            state.reason = waiting(state.reason, service, since, error)
            self._run.journal.resource(state)
        if len(self._waiting) == 1:
            self._tell(waiting(self._run.stack.reason, service, since, error))
        self._run.journal.send()

    def back(self, state: ResourceState, service: str) -> None:
        if self._waiting.pop((state.id, service), None) is None:
            return
        if state.status == "IN_PROGRESS":
            state.reason = before_waiting(state.reason)
            self._run.journal.resource(state)
        if not self._waiting:
            self.clear()
        self._run.journal.send()

    def _tell(self, reason: str) -> None:
        stack = self._run.stack
        if stack.status == "IN_PROGRESS" and stack.reason != reason:
            self._run.reason_changed(reason)
