from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from keystoneauth1.session import Session

from calor.clouds.errors import CloudError
from calor.clouds.zaqar import Queues
from calor.observe.series import CLOUD_SECONDS


class Messaging(BaseHTTPRequestHandler):
    received: list[tuple[str, dict[str, Any], str]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.received.append((self.path, body, self.headers["Client-ID"]))
        self.send_response(404 if "missing" in self.path else 201)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Tests are quiet."""


@pytest.fixture
def url() -> Iterator[str]:
    Messaging.received = []
    server = HTTPServer(("127.0.0.1", 0), Messaging)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def test_messages_are_posted_together(url: str) -> None:
    Queues(Session(), url).post("a queue", [{"n": 1}, {"n": 2}], 60)

    [(path, body, client)] = Messaging.received
    assert path == "/v2/queues/a%20queue/messages"
    assert body == {"messages": [{"body": {"n": 1}, "ttl": 60}, {"body": {"n": 2}, "ttl": 60}]}
    assert client


def test_figures_tell_them_from_requests_to_other_services(url: str) -> None:
    Queues(Session(), url).post("q", [{}], 60)

    assert 'service="messaging"' in CLOUD_SECONDS.text("engine")


def test_a_queue_that_is_not_there_is_an_error(url: str) -> None:
    with pytest.raises(CloudError):
        Queues(Session(), f"{url}/v2").post("missing", [{}], 60)
