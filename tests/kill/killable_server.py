"""A server that is killed, in parts or as a whole, with a client for its REST API."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2 as httpx

from tests.support.server import Server, free_port

PATIENCE = 60.0
PARTS = ("engine", "api", "cloud")


def until(check: Callable[[], Any], what: str, patience: float = PATIENCE) -> Any:
    end = time.monotonic() + patience
    while time.monotonic() < end:
        found = check()
        if found:
            return found
        time.sleep(0.01)
    raise AssertionError(f"never came: {what}")


class Refused(AssertionError):
    """A change that is not made, as the answer says."""


class Served:
    """Requests are repeated until they are answered, as a client has to when servers are killed."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.folder = folder
        self._environment = environment
        self._log = (folder / "log").open("a")
        self._port = free_port()
        # A connection that is kept may be closed by the server while a request is on its way.
        self._http = httpx.Client(timeout=PATIENCE / 2, limits=httpx.Limits(max_keepalive_connections=0))
        self.server = self._started()
        self.server.ready()
        self.log_in()

    def log_in(self) -> None:
        self.token, self.project = self.server.token()
        self._http.headers["X-Auth-Token"] = self.token
        self._base = f"http://127.0.0.1:{self.server.port}/v1/{self.project}"

    def _started(self) -> Server:
        return Server(self.folder / "state", self._port, log=self._log.fileno(), **self._environment)

    def close(self) -> None:
        self.server.stop()
        self._http.close()
        self._log.close()

    # Killing.

    def fell(self, victim: str) -> int | None:
        """Kills a part, or everything; the process that a part was. `stopped` is told to end instead."""
        if victim in PARTS:
            part: int = until(lambda: self.server.child(victim), f"the process {victim}")
            os.kill(part, signal.SIGKILL)
            return part
        if victim == "stopped":
            self.server.stop()
        else:
            self.server.process.kill()
            self.server.process.wait(PATIENCE)
        return None

    def raise_again(self, victim: str, before: int | None) -> None:
        """Returns when what was killed is there again."""
        if before is not None:
            until(lambda: self.server.child(victim) not in (None, before), f"another process {victim}")
            return
        self.server = self._started()
        self.server.ready()

    # PreviewContext.

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> httpx.Response:
        """An answer; while there is none, or none but that a service is away, the request is repeated."""
        return until(lambda: self._answer(method, path, body), f"an answer to {method} {path}")

    def _answer(self, method: str, path: str, body: dict[str, Any] | None = None) -> httpx.Response | None:
        try:
            answer = self._http.request(method, self._base + path, json=body, follow_redirects=True)
        except httpx.HTTPError:
            return None
        return None if answer.status_code in (502, 503, 504) else answer

    def change(
        self, method: str, path: str, body: dict[str, Any] | None, accepted: Callable[[], bool]
    ) -> None:
        """Asks for a change. If the answer is lost, it is looked up whether the change was accepted: asking
        twice would be another change."""

        def asked() -> bool:
            answer = self._answer(method, path, body)
            if answer is not None and answer.status_code < 300:
                return True
            if accepted():
                return True
            if answer is not None:
                raise Refused(f"{method} {path}: {answer.status_code} {answer.text}")
            return False

        until(asked, f"{method} {path} to be accepted")

    def stack(self, reference: str) -> dict[str, Any] | None:
        answer = self.ask("GET", f"/stacks/{reference}")
        return answer.json()["stack"] if answer.status_code == 200 else None

    def template(self, reference: str) -> Any:
        answer = self.ask("GET", f"/stacks/{reference}/template")
        return answer.json() if answer.status_code == 200 else None

    def events(self, name: str, id: str) -> list[dict[str, Any]]:
        return self.ask("GET", f"/stacks/{name}/{id}/events?nested_depth=4&sort_dir=asc").json()["events"]

    def resources(self, name: str, id: str) -> dict[str, dict[str, Any]]:
        """All resources below a stack, by their path of names."""
        listed = self.ask("GET", f"/stacks/{name}/{id}/resources?nested_depth=4").json()["resources"]
        above = {one["physical_resource_id"]: one for one in listed}

        def path(one: dict[str, Any]) -> str:
            (link,) = [link["href"] for link in one["links"] if link["rel"] == "stack"]
            parent = above.get(link.rpartition("/")[2])
            return one["resource_name"] if parent is None else f"{path(parent)}/{one['resource_name']}"

        return {path(one): one for one in listed}

    def unfinished(self) -> list[str]:
        """Stacks that are still under way."""
        listed = self.ask("GET", "/stacks?show_nested=true").json()["stacks"]
        states = {one["stack_name"]: one["stack_status"] for one in listed}
        return [f"{name}: {state}" for name, state in states.items() if state.endswith("IN_PROGRESS")]

    def check_events(self, name: str, id: str, state: str) -> None:
        """Whether the end of the stack was told after the ends of all its resources."""
        events = self.events(name, id)
        last: dict[str, str] = {}
        for event in events:
            (link,) = [link["href"] for link in event["links"] if link["rel"] == "resource"]
            last[link] = event["resource_status"]
        assert events[-1]["resource_status"] == state, events[-1]
        assert events[-1]["physical_resource_id"] == id, "something was told after the end of the stack"
        open_ones = [f"{link}: {status}" for link, status in last.items() if status.endswith("IN_PROGRESS")]
        assert not open_ones, f"told as begun, but not as ended: {open_ones}"
