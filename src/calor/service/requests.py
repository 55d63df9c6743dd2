"""Requests for stacks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from calor.service.errors import ServiceError

Request = Mapping[str, Any]
"""The definition of a stack: `template`, `files`, `environment`, `environment_files` and `parameters`, in the form that
the language expects."""

_STACK_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_.-]{0,254}\Z")


@dataclass(frozen=True, slots=True)
class NewStack:
    """A request to create a stack."""

    name: str
    request: Request
    disable_rollback: bool = True
    timeout_mins: int | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StackChange:
    """A request to update a stack. None means unchanged."""

    request: Request
    existing: bool = False
    clear_parameters: tuple[str, ...] = ()
    disable_rollback: bool | None = None
    timeout_mins: int | None = None
    tags: tuple[str, ...] | None = None
    converge: bool = False


def check_name(name: str) -> None:
    """Raises ServiceError unless a stack can have the name."""
    if not _STACK_NAME.match(name):
        message = (
            f"Invalid stack name {name}: it must begin with a letter and have at most 255 letters, digits, "
            "underscores, dots and hyphens"
        )
        raise ServiceError("StackValidationFailed", message)
