"""Readers: functions that validate a value of a request and return it, or raise in the request. `where` is its position
in the request.

They can be combined, so that the body of a request is one declaration: see `shape`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

from calor.localcloud.problems import BadRequest
from calor.localcloud.types import Json

T = TypeVar("T")

Reader = Callable[[object, str], T]

NAME_LENGTH = 255
TEXT_LENGTH = 65_536
DEPTH = 64


def parse_json(raw: bytes) -> Any:
    """JSON whose every value can be stored and sent back: no NaN, no infinity, no half of a surrogate pair, and not
    so deep that wrapping it once more would be too much for the encoder."""
    try:
        value = json.loads(raw, parse_constant=_refuse_constant, parse_float=_finite)
        if b"\\u" in raw:
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise BadRequest("The body is nested too deeply.") from None
    except ValueError:
        raise BadRequest("The body is not valid JSON.") from None
    # With few brackets, it cannot be deep.
    if raw.count(b"[") + raw.count(b"{") > DEPTH and _is_deeper(value, DEPTH):
        raise BadRequest("The body is nested too deeply.")
    return value


def _is_deeper(value: object, than: int) -> bool:
    if not isinstance(value, list | dict):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return than == 0 or any(_is_deeper(each, than - 1) for each in inner)


def _refuse_constant(text: str) -> float:
    raise ValueError(text)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def text(longest: int = TEXT_LENGTH, shortest: int = 0) -> Reader[str]:
    def read(value: object, where: str) -> str:
        if not isinstance(value, str):
            raise BadRequest(f"{where} must be a string.")
        if not shortest <= len(value) <= longest:
            raise BadRequest(f"{where} must have {shortest} to {longest} characters.")
        if "\0" in value:
            raise BadRequest(f"{where} must not contain a NUL character.")
        return value

    return read


def name(value: object, where: str) -> str:
    read = text(NAME_LENGTH, shortest=1)(value, where)
    if not read.strip():
        raise BadRequest(f"{where} must not be blank.")
    return read


def description(value: object, where: str) -> str:
    """A text; null stands for an empty one."""
    return "" if value is None else text()(value, where)


identifier = text(NAME_LENGTH, shortest=1)


def boolean(value: object, where: str) -> bool:
    if not isinstance(value, bool):
        raise BadRequest(f"{where} must be true or false.")
    return value


def whole(least: int, most: int) -> Reader[int]:
    def read(value: object, where: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise BadRequest(f"{where} must be a whole number from {least} to {most}.")
        return value

    return read


def one_of(*allowed: str) -> Reader[str]:
    def read(value: object, where: str) -> str:
        if value not in allowed:
            raise BadRequest(f"{where} must be one of {', '.join(allowed)}.")
        return str(value)

    return read


def anything(value: object, where: str) -> object:
    return value


def mapping(value: object, where: str) -> Json:
    if not isinstance(value, dict):
        raise BadRequest(f"{where} must be an object.")
    return value


def nullable(reader: Reader[T]) -> Reader[T | None]:
    return lambda value, where: None if value is None else reader(value, where)


def listing(reader: Reader[T], longest: int = 1000) -> Reader[tuple[T, ...]]:
    def read(value: object, where: str) -> tuple[T, ...]:
        if not isinstance(value, list) or len(value) > longest:
            raise BadRequest(f"{where} must be a list of at most {longest} items.")
        return tuple(reader(item, f"{where}[{position}]") for position, item in enumerate(value))

    return read


def shape(
    required: Mapping[str, Reader[object]] | None = None,
    optional: Mapping[str, Reader[object]] | None = None,
    others: bool = False,
) -> Reader[Json]:
    """An object with these members. Other members are dropped, or kept as they are with `others`."""
    required, optional = required or {}, optional or {}
    known = {**required, **optional}

    def read(value: object, where: str) -> Json:
        given = mapping(value, where)
        for member in required:
            if member not in given:
                raise BadRequest(f"{where} must have a member {member}.")
        found = {
            member: known[member](content, f"{where}.{member}")
            for member, content in given.items()
            if member in known
        }
        if others:
            found |= {identifier(m, where): content for m, content in given.items() if m not in known}
        return found

    return read


def moment(value: object, where: str) -> datetime:
    """A time in ISO 8601; without a zone it is in UTC."""
    written = text(64)(value, where)
    try:
        read = datetime.fromisoformat(written)
        return (read if read.tzinfo else read.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadRequest(f"{where} must be a time such as 2030-01-31T12:00:00Z.") from None


def truth(written: str) -> bool:
    """A boolean in a query. All values except those for false are true, also the empty one."""
    return written.lower() not in ("0", "false", "no", "off")
