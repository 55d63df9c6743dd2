"""Actions on existing stacks: check, suspend, resume, cancel, abandon and export."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from calor.cli.api.client import Heat
from calor.cli.confirmation import announce, confirm
from calor.cli.errors import CommandError
from calor.cli.json_values import JsonObject
from calor.cli.render import ansi
from calor.cli.stack.finishing import in_records, print_stack, print_stacks, wait_for
from calor.cli.stack.following import newest
from calor.cli.stack.multiple import collect_errors, raise_all
from calor.cli.stack.places import forget_places, recall_places


def check(heat: Heat, arguments: argparse.Namespace) -> int:
    return _act(heat, arguments, "check", ("CHECK_COMPLETE",))


def suspend(heat: Heat, arguments: argparse.Namespace) -> int:
    return _act(heat, arguments, "suspend", ("SUSPEND_COMPLETE",))


def resume(heat: Heat, arguments: argparse.Namespace) -> int:
    return _act(heat, arguments, "resume", ("RESUME_COMPLETE",))


def cancel(heat: Heat, arguments: argparse.Namespace) -> int:
    """With --no-rollback, a FAILED state is what was requested."""
    if arguments.no_rollback:
        return _act(heat, arguments, "cancel_without_rollback", ("CREATE_FAILED", "UPDATE_FAILED"))
    return _act(heat, arguments, "cancel_update", ("ROLLBACK_COMPLETE", "UPDATE_COMPLETE", "UPDATE_FAILED"))


def _act(heat: Heat, arguments: argparse.Namespace, action: str, wanted: tuple[str, ...]) -> int:
    """Runs an action on each of the stacks, one after the other."""
    listed = len(arguments.stacks) > 1 and in_records(arguments)
    shown: list[JsonObject] = []

    def act(reference: str) -> None:
        stack = heat.find(reference)
        places = recall_places(heat, stack)
        last = newest(heat, stack)
        heat.post(f"{stack.path}/actions", {action: None})
        found = wait_for(heat, stack, arguments, after=last, places=places, wanted=wanted)
        if listed:
            shown.append(found)
        else:
            print_stack(arguments, found)

    problems = collect_errors(arguments.stacks, act)
    if listed:
        print_stacks(arguments, shown)
    raise_all(problems)
    return 0


def abandon(heat: Heat, arguments: argparse.Namespace) -> int:
    """Deletes the stack but not its resources, and writes the data for adopting it."""
    stack = heat.find(arguments.stack)
    announce(f"Abandoning in {heat.target}: {stack.name} ({stack.id}); its resources are kept")
    confirm("Are you sure?", yes=arguments.legacy or arguments.yes)
    # Afterwards the service has no copy of the data.
    if arguments.output_file:
        _check_writable(arguments.output_file)
    data = heat.delete(f"{stack.path}/abandon")
    forget_places(stack)
    try:
        _write(arguments, data)
    except CommandError as error:
        ansi.print_text(_text(data))
        raise CommandError(error.message, "the data was written to standard output instead") from None
    return 0


def export(heat: Heat, arguments: argparse.Namespace) -> int:
    _write(arguments, heat.get(f"{heat.find(arguments.stack).path}/export"))
    return 0


def _write(arguments: argparse.Namespace, data: object) -> None:
    if not arguments.output_file:
        ansi.print_text(_text(data))
        return
    path = arguments.output_file
    # The data includes private keys and hidden parameters.
    with _reporting_errors(path), open(path, "w", encoding="utf-8", opener=_private) as file:
        file.write(_text(data) + "\n")


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _text(data: object) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False)


def _check_writable(path: str) -> None:
    """Raises CommandError if the file cannot be written. Changes nothing."""
    with _reporting_errors(path):
        is_new = not os.path.lexists(path)
        with open(path, "a", encoding="utf-8"):
            pass
        if is_new:
            Path(path).unlink()


@contextmanager
def _reporting_errors(path: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        raise CommandError(f"{path} cannot be written: {getattr(error, 'strerror', None) or error}") from None
