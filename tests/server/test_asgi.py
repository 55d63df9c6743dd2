"""The ASGI apps."""

from __future__ import annotations

import asyncio

from starlette.types import Message

from calor.server.asgi import heat_api


def test_websockets_are_refused_before_anything_is_started() -> None:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(heat_api()({"type": "websocket", "path": "/", "headers": []}, receive, send))
    assert sent == [{"type": "websocket.close"}]
