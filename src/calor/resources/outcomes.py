"""Exceptions and results of hooks."""

from __future__ import annotations

from dataclasses import dataclass

from calor.resources.values import JsonObject


class ResourceFailed(Exception):
    """An action on a resource failed. `kind` is the error class in the reasons that users see."""

    def __init__(self, message: str, kind: str = "ResourceFailure") -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind


class NeedsReplacement(Exception):
    """Raised by `update` when the change cannot be made in place."""


class NothingToDo(Exception):
    """Raised by `signal` to ignore a signal, without an error or event."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One of the templates of a rolling update, and how many seconds to wait after it."""

    template: JsonObject
    pause: float = 0.0
