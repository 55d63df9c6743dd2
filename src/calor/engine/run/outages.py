"""Shows outages of services in the status reasons of waiting resources and of the stack. They are written when a wait
begins and ends, not for each retry."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

from calor.clouds.errors import CloudError
from calor.engine.run.journal import Journal
from calor.engine.run.root import RootStack
from calor.lifecycle import Status
from calor.stacks.states import ResourceState

WAITING = "; waiting for "
"""Separates the reason from the outage."""


def without_wait(reason: str) -> str:
    """A reason without an outage, perhaps written by a dead engine."""
    return reason.partition(WAITING)[0]


def waiting(reason: str, service: str, since: float, error: CloudError) -> str:
    began = datetime.fromtimestamp(since, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return f"{without_wait(reason)}{WAITING}{service} since {began}: {error.message}"


class Outages:
    """The resources of a run that wait for services."""

    def __init__(self, root: RootStack, journal: Journal, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._root = root
        self._journal = journal
        self._waiting: dict[tuple[str, str], float] = {}
        """When each wait began, by resource id and service."""

    def clear(self) -> None:
        """Removes an outage from the stack's reason."""
        self._show(without_wait(self._root.row.reason))

    def is_waiting(self, state: ResourceState, service: str) -> bool:
        return (state.id, service) in self._waiting

    def begin_wait(self, state: ResourceState, service: str, error: CloudError) -> None:
        key = (state.id, service)
        if key in self._waiting:
            return
        since = self._waiting[key] = self._clock()
        if state.status == Status.IN_PROGRESS:
            state.reason = waiting(state.reason, service, since, error)
            self._journal.resource(state)
        if len(self._waiting) == 1:
            self._show(waiting(self._root.row.reason, service, since, error))
        self._journal.send()

    def end_wait(self, state: ResourceState, service: str) -> None:
        if self._waiting.pop((state.id, service), None) is None:
            return
        if state.status == Status.IN_PROGRESS:
            state.reason = without_wait(state.reason)
            self._journal.resource(state)
        if not self._waiting:
            self.clear()
        self._journal.send()

    def _show(self, reason: str) -> None:
        stack = self._root.row
        if stack.status == Status.IN_PROGRESS and stack.reason != reason:
            self._root.change_reason(reason)
