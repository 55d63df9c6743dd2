"""Queues of the messaging service."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from uuid import uuid4

from calor.clouds.calls import Api, path_of
from calor.resources.values import JsonMapping

if TYPE_CHECKING:
    from keystoneauth1.session import Session


class Queues:
    """Queues, with the session's user. Methods raise CloudError."""

    def __init__(self, session: Session, url: str) -> None:
        root = url.rstrip("/")
        self._api = Api(session, root if root.endswith("/v2") else f"{root}/v2", "messaging")
        # Zaqar requires a client id.
        self._client = str(uuid4())

    def post(self, queue: str, bodies: Sequence[JsonMapping], ttl: int) -> None:
        """Posts messages to a queue that exists."""
        messages = [{"body": body, "ttl": ttl} for body in bodies]
        self._api.send(
            "POST",
            path_of("queues", queue, "messages"),
            body={"messages": messages},
            headers={"Client-ID": self._client},
        )
