"""Plain YAML 1.1 scalars as Heat reads them: as in 1.1, except that dates remain text."""

from __future__ import annotations

import math
import re

_BOOLEANS = {
    word: truth
    for truth, words in ((True, ("yes", "true", "on")), (False, ("no", "false", "off")))
    for base in words
    for word in (base, base.capitalize(), base.upper())
}
_NULLS = {"", "~", "null", "Null", "NULL"}
_INTEGER = re.compile(
    r"[-+]?(?:0b[0-1_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+|[1-9][0-9_]*(?::[0-5]?[0-9])+)\Z"
)
_FLOAT = re.compile(
    r"[-+]?(?:[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?"
    r"|[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|\.(?:inf|Inf|INF))\Z|\.(?:nan|NaN|NAN)\Z"
)
_NUMERIC_START = frozenset("-+.0123456789")
LONGEST_SEXAGESIMAL = 1000
"""In characters. Converting one takes quadratic time."""
SEXAGESIMAL = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?\Z")


def plain(text: str) -> object:
    """The value of an unquoted scalar without a tag. Raises ValueError for one that only looks like a number."""
    if text[:1] in _NUMERIC_START and text:
        if _INTEGER.match(text):
            return integer(text)
        if _FLOAT.match(text):
            return number(text)
        return text
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if text in _NULLS:
        return None
    return text


def boolean(text: str) -> bool:
    return _BOOLEANS[text]


def integer(text: str) -> int:
    digits = text.replace("_", "")
    sign = -1 if digits[:1] == "-" else 1
    digits = digits.lstrip("+-")
    if digits.startswith("0b"):
        return sign * int(digits[2:], 2)
    if digits.startswith("0x"):
        return sign * int(digits[2:], 16)
    if digits.startswith("0") and digits != "0":
        return sign * int(digits, 8)
    if ":" in digits:
        if len(digits) > LONGEST_SEXAGESIMAL:
            raise ValueError(f"a sexagesimal number has at most {LONGEST_SEXAGESIMAL} characters")
        total = 0
        for part in digits.split(":"):
            total = total * 60 + int(part)
        return sign * total
    return sign * int(digits)


def number(text: str) -> float:
    digits = text.replace("_", "").lower()
    sign = -1.0 if digits[:1] == "-" else 1.0
    digits = digits.lstrip("+-")
    if digits == ".inf":
        return sign * math.inf
    if digits == ".nan":
        return math.nan
    if ":" in digits:
        if len(digits) > LONGEST_SEXAGESIMAL:
            raise ValueError(f"a sexagesimal number has at most {LONGEST_SEXAGESIMAL} characters")
        total = 0.0
        for part in digits.split(":"):
            total = total * 60 + float(part)
        return sign * total
    return sign * float(digits)
