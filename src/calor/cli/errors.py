"""What a command says when it cannot do what it was asked for."""

from __future__ import annotations

from collections.abc import Sequence


class CommandError(Exception):
    """One line for whoever typed the command, and a hint on what to do about it."""

    code = 1
    may_pass = False
    """Whether the same request may succeed a little later."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def line(self) -> str:
        said = " ".join(self.message.split())
        return f"{said} ({self.hint})" if self.hint else said


class Problems(CommandError):
    """Several of them, a line for each."""

    def __init__(self, problems: Sequence[CommandError]) -> None:
        super().__init__("; ".join(one.line() for one in problems))
        self.problems = tuple(problems)
        self.code = max(one.code for one in problems)


class Unavailable(CommandError):
    """What was asked does not answer, or something before it says that it is not there."""

    may_pass = True


class UsageError(CommandError):
    """The command line does not make sense."""

    code = 2
