"""Bodies of requests that arrive in time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from calor.localcloud.problems import RequestTimeout

SECONDS_AT_FIRST = 60.0
LEAST_PER_SECOND = 16 << 10
"""Bytes per second on average, so that nobody keeps a request open by sending a little now and then."""


async def in_time(stream: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The pieces of a body. Raises RequestTimeout if it is too slow; what is done with the pieces does not count."""
    clock = asyncio.get_running_loop().time
    left = SECONDS_AT_FIRST
    while True:
        asked = clock()
        try:
            async with asyncio.timeout(left):
                piece = await anext(stream, None)
        except TimeoutError:
            raise RequestTimeout("The body of the request arrives too slowly.") from None
        if piece is None:
            return
        left += len(piece) / LEAST_PER_SECOND - (clock() - asked)
        yield piece
