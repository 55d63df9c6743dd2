"""Messages from a queue of Zaqar over a WebSocket, as soon as they arrive."""

from typing import Any, Dict, Mapping

from calor_guest.collect.websocket import WebSocket
from calor_guest.common.http import RequestFailed, Tls

_SUBSCRIBED_FOR = 10000
"""Seconds. The end of the connection ends a subscription, too."""


def next_message(url: str, headers: Mapping[str, str], queue: str, seconds: float, tls: Tls) -> Any:
    """What the next message holds; waits for one. Raises RequestFailed and ValueError."""
    with WebSocket(url, tls) as connection:
        client = _Client(connection, headers)
        client.request("authenticate", {})
        client.request("queue_create", {"queue_name": queue})
        # Those that come from now on; only then those that are there, so that none is missed.
        client.request("subscription_create", {"queue_name": queue, "ttl": _SUBSCRIBED_FOR})
        waiting = client.request("message_delete_many", {"queue_name": queue, "pop": 1}).get("messages")
        return waiting[0]["body"] if waiting else client.next_pushed(seconds)


class _Client:
    def __init__(self, connection: WebSocket, headers: Mapping[str, str]) -> None:
        self._connection = connection
        self._headers = dict(headers)

    def request(self, action: str, body: Mapping[str, Any]) -> Dict[str, Any]:
        """The body of the answer."""
        self._connection.send({"action": action, "headers": self._headers, "body": body})
        while True:
            answer = self._connection.receive()
            # A message that arrives meanwhile is still in the queue.
            if "request" in answer or "headers" in answer:
                break
        status = int(answer.get("headers", {}).get("status", 200))
        if status >= 400:
            raise RequestFailed(f"{action}: {answer.get('body')}", status)
        return answer.get("body") or {}

    def next_pushed(self, seconds: float) -> Any:
        return self._connection.receive(seconds)["body"]
