"""What follows after a stack was told to do something: waiting, and telling how it went."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from calor.cli.api.client import Heat, StackRef
from calor.cli.api.patience import patiently
from calor.cli.asking import announce
from calor.cli.errors import CommandError
from calor.cli.progress import out_stream, watch
from calor.cli.render import records, secrets
from calor.cli.stack.following import shown_stack
from calor.cli.stack.places import Places

SHORT = (
    "id",
    "stack_name",
    "description",
    "creation_time",
    "updated_time",
    "stack_status",
    "stack_status_reason",
)
LINE = records.columns("id", "stack_name", "stack_status", "creation_time", "updated_time")
POLL_SECONDS = 2.0


class StackFailed(CommandError):
    """What was begun has ended, and not as it should."""

    def __init__(self, stack: StackRef, state: str, reason: str | None) -> None:
        super().__init__(
            f"the stack {stack.name} is {state}: {reason or 'no reason is given'}",
            f"see `calor stack failures {stack.name}`",
        )


def waits(arguments: argparse.Namespace) -> bool:
    """In the old spelling, whoever wants to wait says how often to look."""
    asked = arguments.legacy and getattr(arguments, "poll", None) is not None
    return bool(arguments.wait or asked)


def finish(
    heat: Heat,
    stack: StackRef,
    arguments: argparse.Namespace,
    *,
    after: str | None,
    places: Places | None = None,
    wanted: tuple[str, ...],
    expected: int = 0,
) -> int:
    """Shows progress until the action has ended, if that is asked for, and then the stack. Raises StackFailed unless
    the stack's state then is one of those wanted."""
    shown = finished(heat, stack, arguments, after=after, places=places, wanted=wanted, expected=expected)
    if shown:
        print_stack(arguments, shown)
    return 0


def finished(
    heat: Heat,
    stack: StackRef,
    arguments: argparse.Namespace,
    *,
    after: str | None,
    places: Places | None = None,
    wanted: tuple[str, ...],
    expected: int = 0,
) -> dict[str, Any]:
    """The same without showing the stack, which is given; it is empty if the stack is gone."""
    if not waits(arguments):
        return patiently(lambda: shown_stack(heat, stack))
    try:
        state = watch(
            heat,
            stack,
            after,
            places or Places(None),
            out=out_stream(arguments.format),
            poll=getattr(arguments, "poll", None) or POLL_SECONDS,
            expected=expected,
        )
    except KeyboardInterrupt:
        announce(f"The service goes on; `calor stack event list --follow {stack.name}` shows it.")
        raise
    shown = patiently(lambda: shown_stack(heat, stack, outputs=True))
    if state not in wanted:
        raise StackFailed(stack, state, shown.get("stack_status_reason"))
    return shown


def in_records(arguments: argparse.Namespace) -> bool:
    """Whether stacks are shown as records, of which several make a list."""
    return bool(arguments.legacy or arguments.format or arguments.columns)


def print_stacks(arguments: argparse.Namespace, shown: Sequence[Mapping[str, Any]]) -> None:
    """The records of several stacks as one list."""
    records.print_list(arguments, LINE if arguments.legacy else records.columns(*SHORT), shown)


def print_stack(arguments: argparse.Namespace, shown: Mapping[str, Any]) -> None:
    if arguments.legacy:
        records.print_list(arguments, LINE, [shown])
    elif in_records(arguments):
        records.print_record(arguments, {key: shown.get(key) for key in SHORT})
    else:
        print(f"{shown.get('stack_name')} {shown.get('id')} {shown.get('stack_status')}")
        masked = [secrets.output(arguments, one) for one in shown.get("outputs") or ()]
        for output in masked:
            print(f"  {output.get('output_key')} = {_value(output.get('output_value'))}")
        if masked != (shown.get("outputs") or []):
            announce(
                f"Secret outputs are masked; `calor stack output show {shown.get('stack_name')} NAME` prints one."
            )
    sys.stdout.flush()


def _value(value: Any) -> str:
    import json

    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
