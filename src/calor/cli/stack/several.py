"""Commands that name several stacks: what is wrong with one does not keep the others."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from calor.cli.api.client import ApiError, StackRef
from calor.cli.errors import CommandError, Problems
from calor.cli.stack.finishing import StackFailed

Named = TypeVar("Named", str, StackRef)


def problems_with(stacks: Sequence[Named], do: Callable[[Named], object]) -> list[CommandError]:
    """Does something with each; gives what went wrong."""
    problems: list[CommandError] = []
    for one in stacks:
        try:
            do(one)
        except StackFailed as error:
            problems.append(error)
        except ApiError as error:
            problems.append(error if len(stacks) == 1 else _named(one, error))
        except CommandError as error:
            # Not about this one: logging in, reaching the service, how to print.
            problems.append(error)
            break
    return problems


def _named(one: str | StackRef, error: ApiError) -> ApiError:
    """Some refusals do not say what they are about."""
    name = one if isinstance(one, str) else one.name
    is_named = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", error.message)
    said = error.message if is_named else f"{name}: {error.message}"
    return ApiError(error.status, said, error.kind, error.hint, error.found)


def raise_all(problems: list[CommandError]) -> None:
    if len(problems) == 1:
        raise problems[0]
    if problems:
        raise Problems(problems)
