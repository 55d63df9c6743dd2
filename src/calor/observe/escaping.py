"""Keeps text that users wrote from looking like lines, or fields, of the log."""

from __future__ import annotations

import logging
import re

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_PLAIN = re.compile(r"[^\s\"'=\[\]\\]+")


def one_line(text: str) -> str:
    """The text with control characters, line breaks among them, written as in Python."""
    return _CONTROL.sub(lambda found: ascii(found[0])[1:-1], text)


def indented(text: str) -> str:
    """Several lines, none of which begins as a line of the log does."""
    return "\n".join(f"  {one_line(line)}" for line in text.split("\n"))


def field(name: str, value: object) -> str:
    """A field of a line; a value in which another field could begin is quoted."""
    shown = str(value)
    return f"{name}={shown if _PLAIN.fullmatch(shown) else ascii(shown)}"


class EscapedLines(logging.Formatter):
    """A line for each record, with the lines of a traceback indented below it."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        return one_line(super().formatMessage(record))

    def formatException(self, ei: object) -> str:  # noqa: N802
        return indented(super().formatException(ei))  # type: ignore[arg-type]

    def formatStack(self, stack_info: str) -> str:  # noqa: N802
        return indented(stack_info)
