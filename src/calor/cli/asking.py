"""Questions to whoever sits at the terminal; nobody is asked when nobody does."""

from __future__ import annotations

import sys

from calor.cli.errors import CommandError


def confirm(question: str, *, yes: bool) -> None:
    """Goes on if the answer is yes, if it was given beforehand, or if there is no terminal. Raises CommandError."""
    if yes or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise CommandError("nothing was done", "--yes goes on without asking")


def announce(text: str) -> None:
    """Says on standard error what is going to be done."""
    print(text, file=sys.stderr, flush=True)
