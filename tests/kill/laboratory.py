"""A server that is killed, in parts or as a whole, and looked at through its REST API."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2 as httpx
from installing import install, on_path
from journalled import JOURNAL, Journalled, Service
from running import Server, free_port

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


class Lab:
    """Requests are repeated until they are answered, as a client has to when servers are killed."""

    def __init__(self, folder: Path, database_url: str | None = None) -> None:
        self.folder = folder
        self.service = Service(folder / "journal")
        self.service.journal.touch()
        plugin = Path(__file__).with_name("journalled.py")
        install(folder / "plugins", "journalled", [plugin], {"journalled": "journalled"})
        self._environment = {**on_path(folder / "plugins"), JOURNAL: str(self.service.journal)}
        if database_url is not None:
            self._environment["OS_DATABASE__CONNECTION"] = database_url
        self._log = (folder / "log").open("a")
        self._port = free_port()
        # A connection that is kept may be closed by the server while a request is on its way.
        self._http = httpx.Client(timeout=PATIENCE / 2, limits=httpx.Limits(max_keepalive_connections=0))
        self.server = self._started()
        self.server.ready()
        token, project = self.server.token()
        self._http.headers["X-Auth-Token"] = token
        self._base = f"http://127.0.0.1:{self.server.port}/v1/{project}"

    def _started(self) -> Server:
        return Server(self.folder / "state", self._port, log=self._log.fileno(), **self._environment)

    def close(self) -> None:
        self.server.stop()
        self._http.close()
        self._log.close()

    # Killing.

    def kill(self, victim: str) -> int:
        """Kills a part, or everything, and returns when it is there again: how long the journal was when it was
        gone. `stopped` is told to end instead."""
        if victim in PARTS:
            before = until(lambda: self.server.child(victim), f"the process {victim}")
            os.kill(before, signal.SIGKILL)
            size = self.service.journal.stat().st_size
            until(lambda: self.server.child(victim) not in (None, before), f"another process {victim}")
            return size
        if victim == "stopped":
            self.server.stop()
        else:
            self.server.process.kill()
            self.server.process.wait(PATIENCE)
        size = self.service.journal.stat().st_size
        self.server = self._started()
        self.server.ready()
        return size

    # Asking.

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
            assert answer is None, f"{method} {path}: {answer.status_code} {answer.text}"
            return False

        until(asked, f"{method} {path} to be accepted")

    def stack(self, reference: str) -> dict[str, Any] | None:
        answer = self.ask("GET", f"/stacks/{reference}")
        return answer.json()["stack"] if answer.status_code == 200 else None

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

    # Looking.

    def check_things(self, wanted: dict[str, dict[str, str] | None], ids: dict[str, str]) -> None:
        """Whether the service has exactly what the stacks want, and made nothing twice. `wanted` has the values
        by path for each stack that exists, None for one that is half done; `ids` the ids of those stacks."""
        things = self.service.things()
        made_for = [thing.resource for thing in things.values()]
        assert len(made_for) == len(set(made_for)), "something was made twice for one resource"
        known: dict[str, str] = {}
        for name, values in wanted.items():
            shown = self.resources(name, ids[name])
            own = {path: one for path, one in shown.items() if one["resource_type"] == Journalled.type_name}
            states = {path: one["resource_status"] for path, one in shown.items()}
            if values is None:
                assert not any(state.endswith("IN_PROGRESS") for state in states.values()), states
                known |= {id: path for path, one in own.items() if (id := one["physical_resource_id"])}
                continue
            assert all(state.endswith("_COMPLETE") for state in states.values()), states
            assert own.keys() == values.keys(), "other resources than the template says"
            for path, one in own.items():
                id = one["physical_resource_id"]
                assert id in things, f"{name}/{path} was never made"
                assert things[id].values[-1] == values[path], f"{name}/{path} has another value"
                known[id] = f"{name}/{path}"
        alive = {id for id, thing in things.items() if not thing.deleted}
        assert alive == known.keys(), (
            f"lost: {[known[id] for id in known.keys() - alive]}, left over: {alive - known.keys()}"
        )
        for thing in things.values():
            pairs = zip(thing.values, thing.values[1:], strict=False)
            assert all(one != other for one, other in pairs), f"changed twice: {thing}"

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
