"""Errors of evaluations."""

from __future__ import annotations


class TookTooLong(Exception):
    """The work was stopped because of its time or memory."""


class BadPattern(ValueError):
    """The regular expression is invalid."""


class TooSlow(ValueError):
    """A regular expression takes too long, or too much memory."""


class YaqlFailed(Exception):
    """A YAQL expression is invalid or cannot be evaluated. `kind` is the name of the error class."""

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        self.kind = kind
