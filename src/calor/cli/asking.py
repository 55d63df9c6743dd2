"""Questions to whoever runs a command, and what is said before something is done."""

from __future__ import annotations

import sys

from calor.cli.errors import CommandError


def confirm(question: str, *, yes: bool, unasked: bool = False) -> None:
    """Returns if the answer is yes. Raises CommandError otherwise.

    The answer is read from standard input, whether that is a terminal or not. Input without an answer (a closed pipe,
    /dev/null, a template that was read from it) is no consent: then `--yes` is needed. With `unasked` the question is
    only asked on a terminal, as the old client does.
    """
    # A closed standard input is None.
    on_terminal = sys.stdin is not None and sys.stdin.isatty()
    if yes or (unasked and not (on_terminal and sys.stderr.isatty())):
        return
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    answer = _answer()
    if not answer:
        sys.stderr.write("\n")
        raise CommandError("nothing was done: standard input has no answer", "--yes goes on without asking")
    if not on_terminal:
        sys.stderr.write("\n")
    if answer.strip().lower() not in ("y", "yes"):
        raise CommandError("nothing was done: the answer was not yes", "--yes goes on without asking")


def _answer() -> str:
    """A line with its end, empty where there is none."""
    try:
        return sys.stdin.readline() if sys.stdin is not None else ""
    except (OSError, ValueError):
        # It cannot be read, or is not text.
        return ""


def announce(text: str) -> None:
    """Says on standard error what is going to be done."""
    print(text, file=sys.stderr, flush=True)
