"""States of stacks and resources, and their colours."""

from __future__ import annotations

import re

from calor.cli.render.ansi import CYAN, DIM, GREEN, RED, YELLOW, Paint

_STATE = re.compile(r"\A(?:[A-Z]+_)?(IN_PROGRESS|COMPLETE|FAILED)\Z")
_COLOURS = {"IN_PROGRESS": YELLOW, "COMPLETE": GREEN, "FAILED": RED}
_SIGNS = {"IN_PROGRESS": "◐", "COMPLETE": "✔", "FAILED": "✘"}


def progress_of(state: str) -> str:
    """`COMPLETE` of `CREATE_COMPLETE`."""
    found = _STATE.match(state)
    return found[1] if found else ""


def colour(state: str) -> str:
    if state.startswith("INIT_"):
        return DIM
    if state == "DELETE_COMPLETE":
        return CYAN
    return _COLOURS.get(progress_of(state), "")


def sign(state: str) -> str:
    return "·" if state.startswith("INIT_") else _SIGNS.get(progress_of(state), "·")


def painted(shown: str, state: str, paint: Paint) -> str:
    """A text in the colour of a state; unchanged if it is not a state."""
    style = colour(state) if progress_of(state) else ""
    return paint(shown, style) if style else shown
