"""Routes of a service whose handlers work with its state."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from calor.localcloud.web import Call, Reply, Route, Rule

State = TypeVar("State")


@dataclass(frozen=True)
class RouteOf(Generic[State]):
    method: str
    path: str
    handler: Callable[[State, Call], Reply | Awaitable[Reply]]
    rule: Rule | None
    streams: bool = False

    def bound(self, state: State) -> Route:
        return Route(self.method, self.path, partial(self.handler, state), self.rule, self.streams)
