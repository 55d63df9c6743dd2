"""Actions on stacks as they are: check, suspend, resume, cancel; and handing them over."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from calor.cli.api.client import Heat
from calor.cli.asking import announce, confirm
from calor.cli.errors import CommandError
from calor.cli.stack.finishing import finished, in_records, print_stack, print_stacks
from calor.cli.stack.following import newest
from calor.cli.stack.places import forget, noted
from calor.cli.stack.several import problems_with, raise_all


def check(heat: Heat, arguments: argparse.Namespace) -> int:
    return _act(heat, arguments, "check", ("CHECK_COMPLETE",))


def suspend(heat: Heat, arguments: argparse.Namespace) -> int:
    return _act(heat, arguments, "suspend", ("SUSPEND_COMPLETE",))


def resume(heat: Heat, arguments: argparse.Namespace) -> int:
    return _act(heat, arguments, "resume", ("RESUME_COMPLETE",))


def cancel(heat: Heat, arguments: argparse.Namespace) -> int:
    """Without rollback the action that was cancelled has failed, as was wanted."""
    if arguments.no_rollback:
        return _act(heat, arguments, "cancel_without_rollback", ("CREATE_FAILED", "UPDATE_FAILED"))
    return _act(heat, arguments, "cancel_update", ("ROLLBACK_COMPLETE", "UPDATE_COMPLETE", "UPDATE_FAILED"))


def _act(heat: Heat, arguments: argparse.Namespace, action: str, wanted: tuple[str, ...]) -> int:
    """Tries every stack that is named, one after the other."""
    listed = len(arguments.stacks) > 1 and in_records(arguments)
    shown: list[dict[str, Any]] = []

    def act(reference: str) -> None:
        stack = heat.find(reference)
        places = noted(heat, stack)
        last = newest(heat, stack)
        heat.post(f"{stack.path}/actions", {action: None})
        found = finished(heat, stack, arguments, after=last, places=places, wanted=wanted)
        if listed:
            shown.append(found)
        else:
            print_stack(arguments, found)

    problems = problems_with(arguments.stacks, act)
    if listed:
        print_stacks(arguments, shown)
    raise_all(problems)
    return 0


def abandon(heat: Heat, arguments: argparse.Namespace) -> int:
    """The stack goes, what it made stays; what is needed to adopt it is printed."""
    stack = heat.find(arguments.stack)
    announce(f"Abandoning in {heat.target}: {stack.name} ({stack.id}); its resources stay")
    confirm("Are you sure?", yes=arguments.legacy or arguments.yes)
    # Found out before the stack is gone that its data cannot be written.
    if arguments.output_file:
        _check_writable(arguments.output_file)
    data = heat.delete(f"{stack.path}/abandon")
    forget(stack)
    try:
        _put(arguments, data)
    except CommandError as error:
        # The service does not have it any more.
        print(_text(data))
        raise CommandError(error.message, "the data is on standard output instead") from None
    return 0


def export(heat: Heat, arguments: argparse.Namespace) -> int:
    _put(arguments, heat.get(f"{heat.find(arguments.stack).path}/export"))
    return 0


def _put(arguments: argparse.Namespace, data: object) -> None:
    if not arguments.output_file:
        print(_text(data))
        return
    path = arguments.output_file
    # Private keys and hidden parameters are in there.
    with _writing(path), open(path, "w", encoding="utf-8", opener=_private) as file:
        file.write(_text(data) + "\n")


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _text(data: object) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False)


def _check_writable(path: str) -> None:
    """Raises CommandError. What is in the file stays, and no file is left where there was none."""
    with _writing(path):
        is_new = not os.path.lexists(path)
        with open(path, "a", encoding="utf-8"):
            pass
        if is_new:
            Path(path).unlink()


@contextmanager
def _writing(path: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        raise CommandError(f"{path} cannot be written: {getattr(error, 'strerror', None) or error}") from None
