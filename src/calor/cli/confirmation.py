"""Asks for confirmation, and announces what a command is about to do."""

from __future__ import annotations

import sys

from calor.cli.errors import CommandError


def confirm(question: str, *, yes: bool, only_on_terminal: bool = False) -> None:
    """Returns if the answer is yes, else raises CommandError.

    The answer is read from standard input, whether that is a terminal or not. Input without an answer (a closed pipe,
    /dev/null, a template that was read from it) is not a confirmation: then `--yes` is needed. With `only_on_terminal`,
    the question is skipped elsewhere, as by the old client.
    """
    # A closed standard input is None.
    on_terminal = sys.stdin is not None and sys.stdin.isatty()
    if yes or (only_on_terminal and not (on_terminal and sys.stderr.isatty())):
        return
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    answer = _answer()
    if not answer:
        sys.stderr.write("\n")
        raise CommandError("nothing was done: standard input has no answer", "--yes skips the question")
    if not on_terminal:
        sys.stderr.write("\n")
    if answer.strip().lower() not in ("y", "yes"):
        raise CommandError("nothing was done: the answer was not yes", "--yes skips the question")


def _answer() -> str:
    """A line with its newline; empty if there is none."""
    try:
        return sys.stdin.readline() if sys.stdin is not None else ""
    except (OSError, ValueError):
        # It cannot be read, or is not text.
        return ""


def announce(text: str) -> None:
    """Prints to standard error what the command is about to do."""
    print(text, file=sys.stderr, flush=True)
