"""What the present work is about: fields that every log line of it carries, and that a run inherits from the request
that started it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from calor.observe import tracing


@dataclass(slots=True)
class _Scope:
    values: dict[str, str] = field(default_factory=dict)
    discreet: bool = False


_current: ContextVar[_Scope] = ContextVar("calor_fields")
_resource: ContextVar[str] = ContextVar("calor_resource", default="")


@contextmanager
def about(*, discreet: bool = False, **values: str | None) -> Iterator[None]:
    """Adds fields to those there are. `discreet` says that values which nobody may read are at hand: what exceptions
    say is then kept out of the log."""
    above = _current.get(None) or _Scope()
    token = _current.set(_Scope(above.values | _given(values), discreet or above.discreet))
    resource = _resource.get()
    try:
        yield
    finally:
        _current.reset(token)
        _resource.set(resource)


def learn(**values: str | None) -> None:
    """Adds to the fields of the scope that one is in, also for those who opened it in another thread."""
    scope = _current.get(None)
    if scope is not None:
        scope.values |= _given(values)


def at_resource(name: str) -> None:
    """What follows is about a resource, until it is said to be about another, or about none (the empty name). Tasks
    that are started meanwhile stay with it. Cheap: a walk says so at every step."""
    _resource.set(name)


def current() -> Mapping[str, str]:
    scope = _current.get(None)
    values = scope.values if scope is not None else {}
    resource = _resource.get()
    return {**values, "resource": resource} if resource else values


def is_discreet() -> bool:
    scope = _current.get(None)
    return scope is not None and scope.discreet


def origin() -> dict[str, str]:
    """What has to be stored with an action for its run to be known as the work of this request."""
    found = {"request_id": current().get("request_id"), "traceparent": tracing.carried()}
    return _given(found)


def _given(values: Mapping[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in values.items() if value}
