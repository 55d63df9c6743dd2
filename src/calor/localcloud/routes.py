"""Routes of a service: handlers take the service and the call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from calor.localcloud.web import Call, Reply, Route, Rule

S = TypeVar("S")


@dataclass(frozen=True)
class ServiceRoute(Generic[S]):
    method: str
    path: str
    handler: Callable[[S, Call], Reply | Awaitable[Reply]]
    rule: Rule | None
    """Who may send the request; None for everyone, even without a token."""
    streams: bool = False
    """Whether the handler reads the body piece by piece, whatever its size."""

    def bound(self, service: S) -> Route:
        return Route(self.method, self.path, partial(self.handler, service), self.rule, self.streams)
