"""Translates expressions for RE2, which takes linear time, if the results are the same as those of Python's `re`.

Expressions are rewritten from the syntax tree of `re`, with explicit classes. Those with features that RE2 lacks (back
references, look-arounds) or handles differently (repeated empty matches, Unicode classes) are not translated.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from re import _constants  # type: ignore[attr-defined]
from typing import Any

from calor.bounded.estimating import parse

MOST_WORK = 20_000_000
"""The limit for characters times the size of RE2's program."""
MOST_REPEATS = 1_000

_CLASSES = {
    _constants.CATEGORY_DIGIT: "0-9",
    _constants.CATEGORY_WORD: "0-9A-Z_a-z",
    _constants.CATEGORY_SPACE: r"\t-\r\x1c-\x20",
}
_NEGATED = {
    _constants.CATEGORY_NOT_DIGIT: r"\x00-/:-\x{10ffff}",
    _constants.CATEGORY_NOT_WORD: r"\x00-/:-@\[-\^`\{-\x{10ffff}",
    _constants.CATEGORY_NOT_SPACE: r"\x00-\x08\x0e-\x1b!-\x{10ffff}",
}
_PLACES = {
    _constants.AT_BEGINNING: r"\A",
    _constants.AT_BEGINNING_STRING: r"\A",
    _constants.AT_END: r"\z",
    _constants.AT_END_STRING: r"\z",
    _constants.AT_BOUNDARY: r"\b",
}
_TAKEN = re.IGNORECASE | re.DOTALL | re.VERBOSE | re.UNICODE


class _Differs(Exception):
    """RE2 lacks a feature, or handles it differently."""


@dataclass(frozen=True, slots=True)
class Linear:
    """An expression for RE2, and restrictions of texts for which results are the same as those of `re`."""

    pattern: Any
    only_ascii: bool
    """Valid for ASCII only, because of its classes or ignored case."""
    has_end: bool
    """Not valid for texts that end with a line break, before which `$` matches in `re`."""

    def takes(self, text: str) -> bool:
        if self.only_ascii and not text.isascii():
            return False
        if self.has_end and text.endswith("\n"):
            return False
        return len(text) * int(self.pattern.programsize) <= MOST_WORK and _is_unicode(text)


@cache
def engine() -> Any:
    """RE2, imported when first needed; None if it is not installed."""
    try:
        import re2
    except ImportError:
        return None
    return re2


@lru_cache(maxsize=1024)
def linear(expression: str, flags: int = 0) -> Linear | None:
    """Translates a valid expression for RE2, if possible."""
    re2 = engine()
    if re2 is None:
        return None
    tree = parse(expression, flags)
    if tree.state.flags & ~_TAKEN:
        return None
    writer = _Writer(bool(tree.state.flags & re.IGNORECASE), bool(tree.state.flags & re.DOTALL))
    options = re2.Options()
    options.log_errors = False
    try:
        pattern = re2.compile(writer.sequence(tree), options)
        # Reading its size compiles it.
        return Linear(pattern, writer.only_ascii, writer.has_end) if pattern.programsize >= 0 else None
    except (_Differs, RecursionError, re2.error):
        return None


class _Writer:
    def __init__(self, ignores_case: bool, dot_all: bool) -> None:
        self._ignores_case = ignores_case
        self._dot_all = dot_all
        self.only_ascii = ignores_case
        self.has_end = False

    def sequence(self, items: Any) -> str:
        written = "".join(self._item(kind, value) for kind, value in items)
        return f"(?i:{written})" if self._ignores_case else f"(?:{written})"

    def _item(self, kind: Any, value: Any) -> str:
        if kind is _constants.LITERAL:
            return self._character(value)
        if kind is _constants.NOT_LITERAL:
            return f"[^{self._character(value)}]"
        if kind is _constants.ANY:
            return r"(?s:.)" if self._dot_all else r"[^\n]"
        if kind is _constants.IN:
            return self._class(value)
        if kind is _constants.AT:
            return self._place(value)
        if kind is _constants.BRANCH:
            return f"(?:{'|'.join(self.sequence(one) for one in value[1])})"
        if kind is _constants.SUBPATTERN:
            _, added, removed, inner = value
            if added or removed:
                raise _Differs
            return self.sequence(inner)
        if kind in (_constants.MAX_REPEAT, _constants.MIN_REPEAT):
            return self._repeat(value, "?" if kind is _constants.MIN_REPEAT else "")
        raise _Differs

    def _repeat(self, value: Any, lazy: str) -> str:
        least, most, body = value
        if body.getwidth()[0] == 0:
            raise _Differs
        if least > MOST_REPEATS or (most is not _constants.MAXREPEAT and most > MOST_REPEATS):
            raise _Differs
        end = "" if most is _constants.MAXREPEAT else str(most)
        return f"{self.sequence(body)}{{{least},{end}}}{lazy}"

    def _place(self, value: object) -> str:
        if value not in _PLACES:
            raise _Differs
        self.has_end = self.has_end or value is _constants.AT_END
        self.only_ascii = self.only_ascii or value is _constants.AT_BOUNDARY
        return _PLACES[value]

    def _class(self, members: Any) -> str:
        negated, written = "", ""
        for kind, value in members:
            if kind is _constants.NEGATE:
                negated = "^"
            elif kind is _constants.LITERAL:
                written += self._character(value)
            elif kind is _constants.RANGE:
                written += f"{self._character(value[0])}-{self._character(value[1])}"
            elif kind is _constants.CATEGORY and value in _CLASSES | _NEGATED:
                self.only_ascii = True
                written += (_CLASSES | _NEGATED)[value]
            else:
                raise _Differs
        return f"[{negated}{written}]"

    def _character(self, code: int) -> str:
        # Some characters outside ASCII are case variants of ASCII ones.
        if (self._ignores_case and code > 127) or 0xD800 <= code <= 0xDFFF:
            raise _Differs
        return f"\\x{{{code:x}}}"


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
