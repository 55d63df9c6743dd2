"""Errors that commands report."""

from __future__ import annotations

from collections.abc import Sequence


class CommandError(Exception):
    """An error with a one-line message and a hint about what to do."""

    code = 1
    is_temporary = False
    """Whether the same request may succeed later."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def line(self) -> str:
        message = " ".join(self.message.split())
        return f"{message} ({self.hint})" if self.hint else message


class Problems(CommandError):
    """Several errors, printed one per line."""

    def __init__(self, problems: Sequence[CommandError]) -> None:
        super().__init__("; ".join(one.line() for one in problems))
        self.problems = tuple(problems)
        self.code = max(one.code for one in problems)


class Unavailable(CommandError):
    """A service does not respond, or a proxy reports that it is down."""

    is_temporary = True


class UsageError(CommandError):
    """The command line is wrong."""

    code = 2
