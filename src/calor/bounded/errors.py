"""Why something was not evaluated."""

from __future__ import annotations


class TookTooLong(Exception):
    """The work was stopped: it used up its time or memory."""


class BadPattern(ValueError):
    """It is no regular expression."""


class TooSlow(ValueError):
    """A regular expression takes too long, or too much memory."""


class YaqlFailed(Exception):
    """A YAQL expression cannot be read or evaluated. `kind` is the class of error that tells why."""

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        self.kind = kind
