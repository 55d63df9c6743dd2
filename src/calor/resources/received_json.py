"""JSON that was received: only what databases can store and what other programs can read and walk through."""

from __future__ import annotations

import json
import math
from typing import Any

MOST_LEVELS = 200
"""Twice as many as templates may have."""


def parse(raw: bytes) -> Any:
    """Raises ValueError."""
    try:
        data = json.loads(raw, parse_constant=_refused, parse_float=_finite)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if raw.count(b"[") + raw.count(b"{") > MOST_LEVELS and _is_deep(data):
        raise ValueError("it is nested too deeply")
    if b"\\u" in raw and not _is_storable(data):
        raise ValueError("it has characters that are not allowed in text")
    return data


def _refused(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text[:40]} is too large")
    return number


def _is_deep(data: object) -> bool:
    level = [data]
    for _ in range(MOST_LEVELS):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)  # type: ignore[attr-defined]
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


def _is_storable(data: object) -> bool:
    """Whether no text in the data has a NUL or an unpaired surrogate, which databases refuse."""
    waiting = [data]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend(item.keys())
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
        elif isinstance(item, str) and any(one == "\0" or "\ud800" <= one <= "\udfff" for one in item):
            return False
    return True
