"""Prevents log injection: text from users cannot look like log lines or fields."""

from __future__ import annotations

import logging
import re

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_PLAIN = re.compile(r"[^\s\"'=\[\]\\]+")


def one_line(text: str) -> str:
    """The text with control characters, line breaks included, escaped as in Python."""
    return text if text.isprintable() else _CONTROL.sub(lambda found: ascii(found[0])[1:-1], text)


def indented(text: str) -> str:
    """The lines of a text, indented so that none looks like a log line."""
    return "\n".join(f"  {one_line(line)}" for line in text.split("\n"))


def field(name: str, value: object) -> str:
    """A field of a log line, quoted if its value could be taken for more fields."""
    shown = str(value)
    return f"{name}={shown if _PLAIN.fullmatch(shown) else ascii(shown)}"


class EscapedLines(logging.Formatter):
    """One line per record, with tracebacks indented below it."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        return one_line(super().formatMessage(record))

    def formatException(self, ei: object) -> str:  # noqa: N802
        return indented(super().formatException(ei))  # type: ignore[arg-type]

    def formatStack(self, stack_info: str) -> str:  # noqa: N802
        return indented(stack_info)
