"""Context fields that every log line carries, such as the stack and the request id. A run inherits those of its
request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from calor.observe import tracing


@dataclass(slots=True)
class _Scope:
    values: dict[str, str] = field(default_factory=dict)
    confidential: bool = False


_current: ContextVar[_Scope] = ContextVar("calor_fields")
_resource: ContextVar[str] = ContextVar("calor_resource", default="")


@contextmanager
def scope(*, confidential: bool = False, **values: str | None) -> Iterator[None]:
    """Adds fields to the current ones. With `confidential`, hidden values may occur in exceptions, whose messages are
    then kept out of the log."""
    outer = _current.get(None) or _Scope()
    token = _current.set(_Scope(outer.values | _given(values), confidential or outer.confidential))
    resource = _resource.get()
    try:
        yield
    finally:
        _current.reset(token)
        _resource.set(resource)


def add(**values: str | None) -> None:
    """Adds fields to the current scope, also for the thread that opened it."""
    scope = _current.get(None)
    if scope is not None:
        scope.values |= _given(values)


def set_resource(name: str) -> None:
    """Sets the field `resource`; an empty name removes it. Tasks started meanwhile keep it. Cheap enough to call at
    every step of a run."""
    _resource.set(name)


def current() -> Mapping[str, str]:
    scope = _current.get(None)
    values = scope.values if scope is not None else {}
    resource = _resource.get()
    return {**values, "resource": resource} if resource else values


def is_confidential() -> bool:
    scope = _current.get(None)
    return scope is not None and scope.confidential


def origin() -> dict[str, str]:
    """The fields to store with an action, so that its run can be traced to this request."""
    found = {"request_id": current().get("request_id"), "traceparent": tracing.traceparent()}
    return _given(found)


def _given(values: Mapping[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in values.items() if value}
