"""A client of the soak test: creates, updates and reads stacks, and checks that they match their templates."""

from __future__ import annotations

import random
import statistics
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import workloads
from server import Client, Server

MOST_STACKS = 3
_THERE = frozenset({"CREATE_COMPLETE", "UPDATE_COMPLETE", "RESUME_COMPLETE", "CHECK_COMPLETE"})


class Tally:
    """Counts the requests and problems of all clients."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._times: list[float] = []
        self._counts: Counter[str] = Counter()
        self.problems: list[str] = []

    def took(self, seconds: float) -> None:
        with self._lock:
            self._times.append(seconds)

    def did(self, what: str) -> None:
        with self._lock:
            self._counts[what] += 1

    def failed(self, problem: str) -> None:
        with self._lock:
            self.problems.append(problem)

    @property
    def done(self) -> str:
        with self._lock:
            return " ".join(f"{what} {number}" for what, number in sorted(self._counts.items()))

    def latency(self) -> tuple[int, float, float]:
        """The number of requests since the last call, and their median and 99th percentile."""
        with self._lock:
            times, self._times = sorted(self._times), []
        if not times:
            return 0, 0.0, 0.0
        return len(times), statistics.median(times), times[int(len(times) * 0.99)]


@dataclass
class Kind:
    """A kind of stack: its template, files and expected resources."""

    template: dict[str, Any]
    files: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)
    waits: bool = False
    """Whether it is complete only after a signal."""
    scales: bool = False

    @property
    def names(self) -> set[str]:
        return set(self.template["resources"])


def any_kind(chance: random.Random) -> Kind:
    size = chance.randint(1, 12)
    made: Kind = chance.choice((_flat, _chain, _group, _tree, _secret, _waiting, _scaling))(size)
    return made


def _flat(size: int) -> Kind:
    return Kind(workloads.independent(size))


def _chain(size: int) -> Kind:
    return Kind(workloads.linked(size))


def _group(size: int) -> Kind:
    return Kind(workloads.group(size))


def _tree(size: int) -> Kind:
    return Kind(*workloads.tree(max(size // 3, 1), 3))


def _secret(size: int) -> Kind:
    template = workloads.independent(size)
    template["parameters"] = {"word": {"type": "string", "hidden": True}}
    template["outputs"] = {"said": {"value": {"get_param": "word"}}}
    return Kind(template, parameters={"word": f"word {size}"})


def _waiting(size: int) -> Kind:
    template = workloads.independent(size)
    template["resources"]["handle"] = {"type": "OS::Heat::WaitConditionHandle"}
    template["resources"]["condition"] = {
        "type": "OS::Heat::WaitCondition",
        "properties": {"handle": {"get_resource": "handle"}, "timeout": 300},
    }
    return Kind(template, waits=True)


def _scaling(size: int) -> Kind:
    template = workloads.independent(1)
    member = {"type": "OS::Heat::RandomString", "properties": {"length": 6}}
    template["resources"]["group"] = {
        "type": "OS::Heat::AutoScalingGroup",
        "properties": {"min_size": 1, "max_size": 50, "desired_capacity": size, "resource": member},
    }
    template["resources"]["policy"] = {
        "type": "OS::Heat::ScalingPolicy",
        "properties": {
            "auto_scaling_group_id": {"get_resource": "group"},
            "adjustment_type": "change_in_capacity",
            "scaling_adjustment": 1,
            "cooldown": 0,
        },
    }
    template["outputs"] = {"size": {"value": {"get_attr": ["group", "current_size"]}}}
    return Kind(template, scales=True)


class Wrong(Exception):
    """Something is not as it should be."""


class _Timed(Client):
    def __init__(self, server: Server, tally: Tally) -> None:
        super().__init__(server)
        self._tally = tally

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        began = time.perf_counter()
        answer = super().ask(method, path, body)
        self._tally.took(time.perf_counter() - began)
        return answer


class Journey:
    """One client. Every stack is a visit with a connection of its own."""

    def __init__(
        self, server: Server, tally: Tally, end: threading.Event, chance: random.Random, name: str
    ) -> None:
        self._server = server
        self._tally = tally
        self._end = end
        self._chance = chance
        self._name = name
        self._made = 0

    def travel(self) -> None:
        """Until the end, or until something is wrong."""
        stacks: dict[str, Kind] = {}
        try:
            while not self._end.is_set() and not self._tally.problems:
                self._visit(stacks)
            for path in stacks:
                self._delete(_Timed(self._server, self._tally), path)
        except Exception as error:
            self._tally.failed(f"{self._name}: {type(error).__name__}: {error}")

    def _visit(self, stacks: dict[str, Kind]) -> None:
        client = _Timed(self._server, self._tally)
        if len(stacks) < MOST_STACKS:
            kind = any_kind(self._chance)
            stacks[self._create(client, kind)] = kind
            return
        path = self._chance.choice(list(stacks))
        todo = self._chance.choice(
            (self._update, self._look, self._look, self._preview, self._fail, self._act, self._signal, None)
        )
        if todo is None:
            self._delete(client, path)
            del stacks[path]
        else:
            stacks[path] = todo(client, path, stacks[path])

    # What is done to a stack. Each gives what the stack is afterwards.

    def _create(self, client: Client, kind: Kind) -> str:
        self._made += 1
        body = {"stack_name": f"{self._name}-{self._made}", **_body(kind)}
        made = client.ask("POST", "/stacks", body)["stack"]["id"]
        path = f"/stacks/{body['stack_name']}/{made}"
        self._settle(client, path, kind, "CREATE_COMPLETE")
        return path

    def _update(self, client: Client, path: str, kind: Kind) -> Kind:
        wanted = any_kind(self._chance)
        client.ask("PUT", path, _body(wanted))
        self._settle(client, path, wanted, "UPDATE_COMPLETE")
        return wanted

    def _fail(self, client: Client, path: str, kind: Kind) -> Kind:
        """An update that fails leads back to what was there."""
        body = _body(kind)
        resources = dict(body["template"]["resources"])
        resources["bad"] = {"type": "OS::Heat::TestResource", "properties": {"fail": True}}
        body["template"] = {**body["template"], "resources": resources}
        client.ask("PUT", path, {**body, "disable_rollback": False})
        self._settle(client, path, kind, "ROLLBACK_COMPLETE")
        return kind

    def _act(self, client: Client, path: str, kind: Kind) -> Kind:
        for verb in self._chance.choice((("suspend", "resume"), ("check",))):
            client.ask("POST", f"{path}/actions", {verb: None})
            self._settle(client, path, kind, f"{verb.upper()}_COMPLETE")
        return kind

    def _preview(self, client: Client, path: str, kind: Kind) -> Kind:
        wanted = any_kind(self._chance)
        client.ask("PUT", f"{path}/preview", _body(wanted))
        client.ask("POST", "/validate", {"template": wanted.template, "files": wanted.files})
        client.ask("POST", "/stacks/preview", {"stack_name": f"{self._name}-preview", **_body(wanted)})
        self._tally.did("preview")
        return kind

    def _look(self, client: Client, path: str, kind: Kind) -> Kind:
        client.ask("GET", "/stacks?limit=20")
        client.ask("GET", path)
        client.ask("GET", f"{path}/resources?nested_depth=2")
        client.ask("GET", f"{path}/events?limit=50")
        client.ask("GET", f"{path}/template")
        self._tally.did("look")
        return kind

    def _signal(self, client: Client, path: str, kind: Kind) -> Kind:
        if not kind.scales:
            return kind
        before = self._size(client, path)
        client.ask("POST", f"{path}/resources/policy/signal", {})
        end = time.monotonic() + 60
        while self._size(client, path) != before + 1:
            if time.monotonic() > end:
                raise Wrong(
                    f"{path}: the group has {self._size(client, path)} members after a signal, had {before}"
                )
            time.sleep(0.05)
        self._tally.did("signal")
        return kind

    def _delete(self, client: Client, path: str) -> None:
        client.ask("DELETE", path)
        self._ended(client, path, "DELETE_COMPLETE")
        self._tally.did("delete")

    # How it has to end.

    def _settle(self, client: Client, path: str, kind: Kind, state: str) -> None:
        if kind.waits and state in ("CREATE_COMPLETE", "UPDATE_COMPLETE"):
            self._send_word(client, path)
        self._ended(client, path, state)
        found = {one["resource_name"]: one for one in client.ask("GET", f"{path}/resources")["resources"]}
        if set(found) != kind.names:
            raise Wrong(f"{path} has {sorted(found)}, its template {sorted(kind.names)}")
        bad = [one for one in found.values() if not one["resource_status"].endswith("COMPLETE")]
        if bad:
            raise Wrong(f"{path} is {state}, and {bad[0]['resource_name']} {bad[0]['resource_status']}")
        self._tally.did(state.partition("_")[0].lower())

    @staticmethod
    def _ended(client: Client, path: str, state: str) -> None:
        end = time.monotonic() + 120
        while True:
            stack = client.ask("GET", f"{path}?resolve_outputs=false")["stack"]
            if stack["stack_status"] == state:
                return
            if stack["stack_status"].endswith(("_COMPLETE", "_FAILED")) and not _passing(stack, state):
                raise Wrong(f"{path} is {stack['stack_status']}, not {state}: {stack['stack_status_reason']}")
            if time.monotonic() > end:
                raise Wrong(f"{path} stays {stack['stack_status']}")
            time.sleep(0.05)

    @staticmethod
    def _send_word(client: Client, path: str) -> None:
        """As soon as there is somebody to send it to."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            found = client.ask("GET", f"{path}/resources")["resources"]
            for one in found:
                if one["resource_name"] == "handle" and one["resource_status"] in _THERE:
                    client.ask("POST", f"{path}/resources/handle/signal", {"status": "SUCCESS"})
                    return
            time.sleep(0.05)
        raise Wrong(f"{path} has no handle to signal")

    @staticmethod
    def _size(client: Client, path: str) -> int:
        outputs = client.ask("GET", path)["stack"]["outputs"]
        return int(next(one["output_value"] for one in outputs if one["output_key"] == "size"))


def _passing(stack: dict[str, Any], state: str) -> bool:
    """Whether a stack is on its way to a rollback's end."""
    return state == "ROLLBACK_COMPLETE" and stack["stack_status"] == "UPDATE_FAILED"


def _body(kind: Kind) -> dict[str, Any]:
    return {
        "template": kind.template,
        "files": kind.files,
        "parameters": kind.parameters,
        "timeout_mins": 5,
    }
