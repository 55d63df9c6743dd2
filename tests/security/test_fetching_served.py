"""Web servers that answer slowly hold up those who fetch from them, and nobody else."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection

import pytest
import requests

from calor.localcloud.config import GUEST_SOURCE_ADDRESS
from tests.support.server import Server, free_port

SLOW_REQUESTS = 45
FETCH_SECONDS = 5


class SlowSite:
    """Begins to answer and never ends."""

    def __init__(self) -> None:
        self.over = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}/slow.yaml"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._drip, args=(connection,), daemon=True).start()

    def _drip(self, connection: socket.socket) -> None:
        with connection:
            try:
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n")
                while not self.over.wait(0.2):
                    connection.sendall(b"#")
            except OSError:
                pass

    def close(self) -> None:
        self.over.set()
        self._listening.close()


@pytest.fixture
def slow() -> Iterator[SlowSite]:
    site = SlowSite()
    yield site
    site.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    tmp_path = tmp_path_factory.mktemp("server")
    config = tmp_path / "heat.conf"
    config.write_text(
        f"[DEFAULT]\ntemplate_fetch_timeout = {FETCH_SECONDS}\n[calor]\nfetch_allowed = 127.0.0.1\n"
    )
    made = Server(tmp_path / "state", free_port(), config)
    made.ready()
    yield made
    made.stop()


def test_slow_templates_do_not_stop_the_api(server: Server, slow: SlowSite) -> None:
    token, project = server.token()
    headers = {"X-Auth-Token": token}
    base = f"http://127.0.0.1:{server.port}/v1/{project}"

    def validate(number: int) -> int:
        body = {"template_url": f"{slow.url}?{number}"}
        return requests.post(f"{base}/validate", json=body, headers=headers, timeout=120).status_code

    with ThreadPoolExecutor(SLOW_REQUESTS) as pool:
        began = time.monotonic()
        asked = [pool.submit(validate, number) for number in range(SLOW_REQUESTS)]
        while not any(one.done() for one in asked):
            time.sleep(0.05)
        for _ in range(5):
            assert (
                requests.get(f"{base}/stacks", headers=headers, timeout=FETCH_SECONDS * 4).status_code == 200
            )
        statuses = [one.result() for one in asked]
        took = time.monotonic() - began
    # One project has no more than eight turns; whoever gets one is told that it took too long.
    assert set(statuses) == {400, 503}
    assert statuses.count(400) < SLOW_REQUESTS / 2
    assert took < 100


def test_metrics_are_not_shown_to_servers(server: Server) -> None:
    statuses = {}
    for address in ("127.0.0.1", GUEST_SOURCE_ADDRESS):
        connection = HTTPConnection("127.0.0.1", server.port, timeout=60, source_address=(address, 0))
        connection.request("GET", "/metrics", headers={"X-Forwarded-For": "127.0.0.1"})
        statuses[address] = connection.getresponse().status
        connection.close()
    assert statuses == {"127.0.0.1": 200, GUEST_SOURCE_ADDRESS: 403}


@pytest.mark.parametrize("where", ["template_url", "type", "TemplateURL"])
def test_no_template_is_fetched_from_private_addresses(server: Server, where: str) -> None:
    token, project = server.token()
    url = f"http://127.0.0.2:{server.port}/t.yaml"
    version = {"heat_template_version": "2021-04-16"}
    bodies = {
        "template_url": {"template_url": url},
        "type": {"template": {**version, "resources": {"a": {"type": url}}}},
        "TemplateURL": {
            "template": {
                **version,
                "resources": {
                    "a": {"type": "AWS::CloudFormation::Stack", "properties": {"TemplateURL": url}}
                },
            }
        },
    }
    answer = requests.post(
        f"http://127.0.0.1:{server.port}/v1/{project}/stacks",
        json={"stack_name": f"s-{where.replace('_', '')}", **bodies[where]},
        headers={"X-Auth-Token": token},
        timeout=60,
    )
    assert answer.status_code == 400
    assert "is not at a public address (an operator can allow it with [calor] fetch_allowed)" in answer.text


INNER = (
    b"heat_template_version: 2021-04-16\nresources: {a: {type: OS::Heat::Value, properties: {value: b}}}\n"
)


def test_what_is_allowed_is_fetched_by_the_api_and_by_the_engine(server: Server) -> None:
    """A template at an address, which has a type at an address, in a stack below."""
    site = socket.create_server(("127.0.0.1", 0))
    base = f"http://127.0.0.1:{site.getsockname()[1]}"
    outer = (
        f"heat_template_version: 2021-04-16\nresources: {{inner: {{type: '{base}/inner.yaml'}}}}\n".encode()
    )
    asked: list[bytes] = []

    def serve() -> None:
        while True:
            try:
                connection, _ = site.accept()
            except OSError:
                return
            with connection:
                line = connection.recv(65536).split(b"\r\n")[0]
                asked.append(line.split()[1])
                content = INNER if b"inner" in line else outer
                head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(content)}\r\n\r\n"
                connection.sendall(head.encode() + content)

    threading.Thread(target=serve, daemon=True).start()
    token, project = server.token()
    headers = {"X-Auth-Token": token}
    stacks = f"http://127.0.0.1:{server.port}/v1/{project}/stacks"
    resource = {"type": "AWS::CloudFormation::Stack", "properties": {"TemplateURL": f"{base}/outer.yaml"}}
    template = {"heat_template_version": "2021-04-16", "resources": {"below": resource}}
    body = {"stack_name": "fetched", "template": template}
    assert requests.post(stacks, json=body, headers=headers, timeout=60).status_code == 201
    deadline = time.monotonic() + 120
    while True:
        found = requests.get(f"{stacks}/fetched", headers=headers, timeout=60).json()["stack"]
        if found["stack_status"] != "CREATE_IN_PROGRESS":
            break
        assert time.monotonic() < deadline
        time.sleep(0.2)
    assert found["stack_status"] == "CREATE_COMPLETE", found["stack_status_reason"]
    nested = requests.get(f"{stacks}/fetched/resources?nested_depth=3", headers=headers, timeout=60)
    listed = {one["resource_name"] for one in nested.json()["resources"]}
    assert listed == {"below", "inner", "a"}
    assert {b"/outer.yaml", b"/inner.yaml"} <= set(asked)
    site.close()
