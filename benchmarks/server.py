"""Measures a server: whole stacks over the REST API, single requests, memory. Starts its own server.

    python benchmarks/server.py [WORKLOAD ...]

DATABASE_URL selects an empty database instead of SQLite in a temporary folder.

Times are in seconds and in multiples of the floor (see floor.py), which is measured before and after.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import floor
import workloads
import yaml

PORT = 28004
PATIENCE = 300.0


class Client:
    """One connection, and a token of the user demo."""

    def __init__(self, server: Server) -> None:
        self._base = f"/v1/{server.project}"
        self._headers = {"X-Auth-Token": server.token, "Content-Type": "application/json"}
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port)

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        text = json.dumps(body) if body is not None else None
        self._connection.request(method, self._base + path, text, self._headers)
        answer = self._connection.getresponse()
        content = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {content[:500]!r}")
        return json.loads(content) if content else None

    def create(self, name: str, template: Any, files: Any = None, parameters: Any = None) -> str:
        body = {
            "stack_name": name,
            "template": template,
            "files": files or {},
            "parameters": parameters or {},
            "timeout_mins": 60,
        }
        return f"/stacks/{name}/{self.ask('POST', '/stacks', body)['stack']['id']}"

    def wait(self, path: str) -> None:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            stack = self.ask("GET", f"{path}?resolve_outputs=false")["stack"]
            if stack["stack_status"].endswith("_COMPLETE"):
                return
            if stack["stack_status"].endswith("_FAILED"):
                raise RuntimeError(stack["stack_status_reason"])
            time.sleep(0.01)
        raise RuntimeError(f"{path} takes too long")


class Server:
    def __init__(
        self, folder: str, port: int = PORT, options: Sequence[str] = (), backend: str = "simulated"
    ) -> None:
        self.port = port
        command = [
            sys.executable,
            "-m",
            "calor",
            "serve",
            "--state-dir",
            folder,
            "--port",
            str(port),
            *options,
        ]
        started = time.perf_counter()
        self.process = subprocess.Popen([*command, "--cloud-backend", backend], stderr=subprocess.DEVNULL)
        while not self._answers():
            time.sleep(0.01)
        self.first_answer = time.perf_counter() - started
        self._cloud = yaml.safe_load((Path(folder) / "clouds.yaml").read_text())["clouds"]["calor"]["auth"]
        self.log_in()

    def log_in(self) -> None:
        """Gets a new token."""
        self.token, self.project = _log_in(self._cloud)

    def _answers(self) -> bool:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.port)
            connection.request("GET", "/healthcheck")
            return connection.getresponse().status == 200
        except OSError:
            return False

    def processes(self) -> dict[int, str]:
        """Its processes with their names."""
        waiting, found = [self.process.pid], {}
        while waiting:
            pid = waiting.pop()
            with contextlib.suppress(OSError):
                found[pid] = Path(f"/proc/{pid}/comm").read_text().strip()
                waiting += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
        return found

    def memory(self) -> float:
        """The memory of all processes in megabytes; shared pages are counted once."""
        return sum(map(pss, self.processes()))

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


def pss(pid: int, part: str = "Pss") -> float:
    """The memory of a process in megabytes, with its share of shared pages. `Pss_Anon` excludes files, whose share
    depends on how many other processes use the same libraries."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{part}:")) / 1024


def _log_in(cloud: dict[str, str]) -> tuple[str, str]:
    domain = {"name": "Default"}
    user = {"name": cloud["username"], "password": cloud["password"], "domain": domain}
    scope = {"project": {"name": cloud["project_name"], "domain": domain}}
    body = {"auth": {"identity": {"methods": ["password"], "password": {"user": user}}, "scope": scope}}
    parts = urlsplit(cloud["auth_url"])
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port)
    headers = {"Content-Type": "application/json"}
    connection.request("POST", f"{parts.path}/auth/tokens", json.dumps(body), headers)
    answer = connection.getresponse()
    project: str = json.loads(answer.read())["token"]["project"]["id"]
    return str(answer.headers["X-Subject-Token"]), project


class Bench:
    def __init__(self, server: Server) -> None:
        self.server = server
        self.client = Client(server)
        self.floor = floor.seconds(1000)

    def report(self, what: str, seconds: float, resources: int = 1000) -> None:
        floors = seconds / (self.floor * resources / 1000)
        print(f"{what:44} {seconds:8.3f} s {floors:8.1f} floors", flush=True)

    def timed(self, work: Callable[[], Any]) -> float:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    def stack(self, what: str, template: Any, resources: int, files: Any = None) -> None:
        """Creates and deletes a stack."""
        path = ""

        def create() -> None:
            nonlocal path
            path = self.client.create("bench", template, files)
            self.client.wait(path)

        self.report(f"{what}: create", self.timed(create), resources)

        def delete() -> None:
            self.client.ask("DELETE", path)
            self.client.wait(path)

        self.report(f"{what}: delete", self.timed(delete), resources)

    def latency(self, what: str, work: Callable[[], Any], rounds: int = 200) -> None:
        times = sorted(self.timed(work) for _ in range(rounds))
        middle, late = statistics.median(times), times[int(rounds * 0.99)]
        print(f"{what:44} {middle * 1000:8.2f} ms p50 {late * 1000:8.2f} ms p99", flush=True)

    # The workloads.

    def flat(self) -> None:
        for size in (1000, 10000):
            self.stack(f"{size} independent resources", workloads.independent(size), size)

    def shapes(self) -> None:
        self.stack("chain of 300", workloads.linked(300), 300)
        self.stack("10 layers of 50", workloads.layers(10, 50), 500)
        self.stack("ResourceGroup of 200", workloads.group(200), 200)

    def many(self) -> None:
        """Small stacks by 10 clients, and lists of them by several."""
        template = workloads.independent(5)

        def create(name: str) -> str:
            client = Client(self.server)
            path = client.create(name, template)
            client.wait(path)
            return path

        def delete(path: str) -> None:
            client = Client(self.server)
            client.ask("DELETE", path)
            client.wait(path)

        with ThreadPoolExecutor(10) as pool:
            paths: list[str] = []
            names = [f"many-{number}" for number in range(50)]
            seconds = self.timed(lambda: paths.extend(pool.map(create, names)))
            self.report("50 stacks of 5 by 10 clients", seconds, 250)
            self.latency("stack list of 50", lambda: self.client.ask("GET", "/stacks"))
            self.latency("stack show", lambda: self.client.ask("GET", paths[0]))
            for clients in (1, 8):
                self.rate(f"stack list of 50 by {clients}", clients)
            self.timed(lambda: list(pool.map(delete, paths)))
            names = [f"more-{number}" for number in range(400)]
            seconds = self.timed(lambda: paths.extend(pool.map(create, names)))
            print(f"{'stacks of 5 created by 10 clients':44} {400 / seconds:8.0f} a second", flush=True)
            seconds = self.timed(lambda: list(pool.map(delete, paths[50:])))
            print(f"{'stacks of 5 deleted by 10 clients':44} {400 / seconds:8.0f} a second", flush=True)

    def rate(self, what: str, clients: int, requests: int = 800) -> None:
        def ask(_: int) -> None:
            client = Client(self.server)
            for _ in range(requests // clients):
                client.ask("GET", "/stacks")

        with ThreadPoolExecutor(clients) as pool:
            seconds = self.timed(lambda: list(pool.map(ask, range(clients))))
        print(f"{what:44} {requests / seconds:8.0f} a second", flush=True)

    def large(self) -> None:
        template = workloads.independent(500)
        path = self.client.create("large", template)
        self.client.wait(path)

        def update() -> None:
            self.client.ask("PUT", path, {"template": template})
            self.client.wait(path)

        self.report("update of 500 that changes nothing", self.timed(update), 500)
        self.latency("resource list of 500", lambda: self.client.ask("GET", f"{path}/resources"), 50)
        self.latency("validate 500", lambda: self.client.ask("POST", "/validate", {"template": template}), 50)
        self.client.ask("DELETE", path)
        self.client.wait(path)

    def busy(self) -> None:
        """Requests while 10,000 resources are being created."""
        small = self.client.create("small", workloads.independent(5))
        self.client.wait(small)
        done = threading.Event()

        def load() -> None:
            client = Client(self.server)
            path = client.create("busy", workloads.independent(10000))
            client.wait(path)
            done.set()
            client.ask("DELETE", path)
            client.wait(path)

        thread = threading.Thread(target=load)
        thread.start()
        times = []
        while not done.is_set():
            times.append(self.timed(lambda: self.client.ask("GET", small)))
            time.sleep(0.002)
        thread.join()
        times.sort()
        print(
            f"{'stack show while 10,000 are created':44} {times[len(times) // 2] * 1000:8.2f} ms p50", end=" "
        )
        print(f"{times[int(len(times) * 0.99)] * 1000:8.2f} ms p99 of {len(times)}", flush=True)

    def tree(self) -> None:
        """20 resources in each nested stack."""
        for nested in (100, 1000):
            template, files = workloads.tree(nested, 19)
            most = [0.0]
            done = threading.Event()

            def watch(most: list[float] = most, done: threading.Event = done) -> None:
                while not done.wait(0.2):
                    most[0] = max(most[0], self.server.memory())

            thread = threading.Thread(target=watch)
            thread.start()
            self.stack(f"{nested} nested stacks, {nested * 20} resources", template, nested * 20, files)
            done.set()
            thread.join()
            print(f"{'  memory meanwhile':44} {most[0]:8.0f} MB", flush=True)


def _options(folder: str) -> list[str]:
    """No limit on the size of stacks, and the selected database."""
    url = os.environ.get("DATABASE_URL")
    database = f"[database]\nconnection = {url}\n" if url else ""
    config = Path(folder) / "heat.conf"
    config.write_text(f"[DEFAULT]\nmax_resources_per_stack = -1\n{database}")
    return ["--config-file", str(config)]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder, options=_options(folder))
        try:
            print(f"{'first response':44} {server.first_answer:8.3f} s")
            time.sleep(2)
            print(f"{'memory at rest':44} {server.memory():8.0f} MB")
            bench = Bench(server)
            print(f"{'floor of 1,000':44} {bench.floor:8.3f} s")
            for name in sys.argv[1:] or ["flat", "shapes", "many", "large", "busy", "tree"]:
                getattr(bench, name)()
            print(f"{'floor of 1,000 afterwards':44} {floor.seconds(1000):8.3f} s")
        finally:
            server.stop()


if __name__ == "__main__":
    main()
