"""Runs a command on several stacks: an error with one does not affect the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from calor.cli.api.client import ApiError, StackRef
from calor.cli.errors import CommandError, Problems
from calor.cli.stack.finishing import StackFailed

Named = TypeVar("Named", str, StackRef)


def collect_errors(stacks: Sequence[Named], do: Callable[[Named], object]) -> list[CommandError]:
    """Calls `do` with each stack and returns the errors."""
    problems: list[CommandError] = []
    for one in stacks:
        try:
            do(one)
        except StackFailed as error:
            problems.append(error)
        except ApiError as error:
            problems.append(error if len(stacks) == 1 else _with_name(one, error))
        except CommandError as error:
            # Not about this stack: logging in, reaching the service, the output format.
            problems.append(error)
            break
    return problems


_KINDS_WITH_NAME = frozenset({"EntityNotFound", "ActionInProgress", "StackExists"})
"""The kinds of errors whose messages include the name of the stack."""


def _with_name(one: str | StackRef, error: ApiError) -> ApiError:
    """The error with the stack's name in its message."""
    if error.kind in _KINDS_WITH_NAME:
        return error
    name = one if isinstance(one, str) else one.name
    return ApiError(error.status, f"{name}: {error.message}", error.kind, error.hint, error.diagnostics)


def raise_all(problems: list[CommandError]) -> None:
    if len(problems) == 1:
        raise problems[0]
    if problems:
        raise Problems(problems)
