"""Reads and parses the bodies of requests, which may be hostile."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

from starlette.requests import Request

from calor.api.errors import BadRequest
from calor.resources import received_json

_READ_AS_JSON = frozenset({"", "text/plain", "application/json"})


LARGE = 1_048_576
MOST_VALUES = 2_000_000
"""A limit, since an empty list has two bytes in a body but thirty times as many in memory."""
SECONDS = 120.0


def announced(request: Request) -> int | None:
    """The size of a body according to the headers: 0 if there is none, None if it is not stated."""
    if "transfer-encoding" in request.headers:
        return None
    stated = request.headers.get("content-length", "0")
    return int(stated) if stated.isascii() and stated.isdigit() else None


async def receive(request: Request, largest: int, seconds: float = SECONDS) -> bytes:
    """The bytes of a body. Raises BadRequest if there are too many, or if they take too long to arrive."""
    if (announced(request) or 0) > largest:
        raise _too_large(largest)
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(seconds):
            async for part in request.stream():
                size += len(part)
                if size > largest:
                    raise _too_large(largest)
                parts.append(part)
    except TimeoutError:
        raise BadRequest(f"The body was not received within {seconds:.0f} seconds.") from None
    return b"".join(parts)


def _too_large(largest: int) -> BadRequest:
    return BadRequest(
        f"Request limit exceeded: JSON body size exceeds maximum allowed size ({largest} bytes).",
        "RequestLimitExceeded",
    )


def parse(raw: bytes, content_type: str) -> Any:
    """The object in a body; None if there is none. Raises BadRequest."""
    kind = content_type.partition(";")[0].strip().lower()
    if not raw.startswith(b"{") or kind not in _READ_AS_JSON:
        return None
    if len(raw) > LARGE and _values(raw) > MOST_VALUES:
        raise BadRequest(f"The body has more than {MOST_VALUES:,} values.", "RequestLimitExceeded")
    try:
        return received_json.parse(raw)
    except ValueError as error:
        raise BadRequest(f"The body cannot be read as JSON: {error}.") from None


_TEXT = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)


def _values(raw: bytes) -> int:
    """An upper bound for the number of values. The content of strings is only excluded, which is slower, if
    necessary."""
    most = _marks(raw)
    return most if most <= MOST_VALUES else _marks(_TEXT.sub(b"", raw))


def _marks(raw: bytes) -> int:
    return sum(map(raw.count, (b"[", b"{", b",")))


def check_template(body: object, largest: int) -> None:
    """Raises BadRequest if the template in a body is too large. Those in files are checked when they are read."""
    template = body.get("template") if isinstance(body, dict) else None
    text = template if isinstance(template, str) else json.dumps(template, separators=(",", ":"))
    if len(text.encode("utf-8", "surrogatepass")) > largest:
        raise BadRequest(
            f"Request limit exceeded: Template size exceeds maximum allowed size ({largest} bytes).",
            "RequestLimitExceeded",
        )
