"""Text on a terminal: colours, width, control characters."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TextIO
from unicodedata import combining, east_asian_width

BOLD = "1"
DIM = "2"
RED = "31"
GREEN = "32"
YELLOW = "33"
BLUE = "34"
CYAN = "36"

Paint = Callable[..., str]
"""`paint(text, BOLD, RED)`: the text in these styles."""


def painter(color: bool) -> Paint:
    """A function that applies styles, or without colour returns the text unchanged."""
    return _painted if color else _as_it_is


def _painted(text: str, *styles: str) -> str:
    return f"\x1b[{';'.join(styles)}m{text}\x1b[0m" if text else text


def _as_it_is(text: str, *styles: str) -> str:
    return text


def visible(text: str) -> str:
    """The text on one line with control characters replaced by visible symbols, so that it cannot control the
    terminal."""
    return text.translate(_PICTURES)


_PICTURES = {
    **{code: chr(0x2400 + code) for code in range(0x20)},
    0x7F: "\u2421",
    # C1 controls, line separators and characters that change the text direction.
    **dict.fromkeys(
        [*range(0x80, 0xA0), 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A)], "\ufffd"
    ),
}


_PICTURES_IN_LINES = {code: picture for code, picture in _PICTURES.items() if chr(code) not in "\n\t"}


def harmless(text: str, out: TextIO) -> str:
    """Untrusted text for a stream. On a terminal, control characters other than newlines and tabs are replaced by
    visible symbols; a file or a pipe gets the original."""
    return text.replace("\r\n", "\n").translate(_PICTURES_IN_LINES) if out.isatty() else text


def print_text(text: str, out: TextIO | None = None) -> None:
    """Prints untrusted text."""
    stream = out or sys.stdout
    print(harmless(text, stream), file=stream)


def char_width(char: str) -> int:
    """The number of terminal cells of a character."""
    if char < "\u0300":
        return 1
    if combining(char) or char == "\u200d":
        return 0
    return 2 if east_asian_width(char) in "WF" else 1


def text_width(text: str) -> int:
    return len(text) if text.isascii() else sum(map(char_width, text))
