"""Waits for an action on a stack and reports the result."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from calor.cli.api.client import Heat, StackRef
from calor.cli.api.retries import with_retries
from calor.cli.confirmation import announce
from calor.cli.errors import CommandError
from calor.cli.json_values import JsonMapping, JsonObject
from calor.cli.progress import out_stream, watch
from calor.cli.render import ansi, records, secrets
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
    """The action ended in another state than requested."""

    def __init__(self, stack: StackRef, state: str, reason: str | None) -> None:
        super().__init__(
            f"the stack {stack.name} is {state}: {reason or 'no reason was given'}",
            f"see `calor stack failures {stack.name}`",
        )


def waits(arguments: argparse.Namespace) -> bool:
    """Whether to wait for completion. The commands of the old client wait if --poll is given."""
    polls = arguments.legacy and getattr(arguments, "poll", None) is not None
    return bool(arguments.wait or polls)


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
    """Shows progress until the action has ended, unless --no-wait is given, and then the stack. Raises StackFailed if
    the final state is not in `wanted`."""
    shown = wait_for(heat, stack, arguments, after=after, places=places, wanted=wanted, expected=expected)
    if shown:
        print_stack(arguments, shown)
    return 0


def wait_for(
    heat: Heat,
    stack: StackRef,
    arguments: argparse.Namespace,
    *,
    after: str | None,
    places: Places | None = None,
    wanted: tuple[str, ...],
    expected: int = 0,
) -> JsonObject:
    """Like `finish`, but returns the stack instead of printing it; empty if the stack no longer exists."""
    if not waits(arguments):
        return with_retries(lambda: shown_stack(heat, stack))
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
        announce(f"The action continues; follow it with `calor stack event list --follow {stack.name}`.")
        raise
    shown = with_retries(lambda: shown_stack(heat, stack, outputs=True))
    if state not in wanted:
        raise StackFailed(stack, state, shown.get("stack_status_reason"))
    return shown


def in_records(arguments: argparse.Namespace) -> bool:
    """Whether stacks are printed as records, and several of them as one list."""
    return bool(arguments.legacy or arguments.format or arguments.columns)


def print_stacks(arguments: argparse.Namespace, shown: Sequence[JsonMapping]) -> None:
    """Prints several stacks as one list."""
    records.print_list(arguments, LINE if arguments.legacy else records.columns(*SHORT), shown)


def print_stack(arguments: argparse.Namespace, shown: JsonMapping) -> None:
    if arguments.legacy:
        records.print_list(arguments, LINE, [shown])
    elif in_records(arguments):
        records.print_record(arguments, {key: shown.get(key) for key in SHORT})
    else:
        print(f"{shown.get('stack_name')} {shown.get('id')} {shown.get('stack_status')}")
        masked = [secrets.output(arguments, one) for one in shown.get("outputs") or ()]
        for output in masked:
            ansi.print_text(f"  {output.get('output_key')} = {_value(output.get('output_value'))}")
        if masked != (shown.get("outputs") or []):
            announce(
                "Secret outputs are masked; print one with "
                f"`calor stack output show {shown.get('stack_name')} NAME`."
            )
    sys.stdout.flush()


def _value(value: object) -> str:
    """Further lines of a text are indented, so that they differ from the next output."""
    import json

    if isinstance(value, str):
        return value.rstrip("\n").replace("\n", "\n    ")
    return json.dumps(value, ensure_ascii=False)
