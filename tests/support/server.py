"""A server as a process of its own."""

from __future__ import annotations

import os
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import SystemRandom
from typing import Any

import httpx2 as httpx
import yaml

PATIENCE = 90.0
_CHANCE = SystemRandom()


def until(check: Callable[[], Any]) -> Any:
    """What a check gives as soon as it gives something."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = check()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError("it never came")


def free_port() -> int:
    """A port with two more free behind it: none of those that the system gives to connections, which may be taken by
    one before a server listens, or while it is started again."""
    while True:
        port = _CHANCE.randrange(20_000, 32_000, 4)
        try:
            for each in range(port, port + 3):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", each))
            return port
        except OSError:
            continue


ONE_ATTEMPT = {"OS_DEFAULT__ACTION_RETRY_LIMIT": "0"}
"""What shall fail fails at once: tests do not wait for further attempts."""


class Place:
    """Where a server is, however its processes were started."""

    def __init__(self, state_dir: Path, port: int) -> None:
        self.state_dir = state_dir
        self.port = port

    def ready(self, scheme: str = "http", verify: ssl.SSLContext | bool = True) -> None:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                address = f"{scheme}://127.0.0.1:{self.port}/healthcheck"
                if httpx.get(address, verify=verify).status_code == 200:
                    return
            except httpx.HTTPError:
                pass
            time.sleep(0.05)
        raise AssertionError("the server does not answer")

    def client(self, **headers: str) -> httpx.Client:
        """The API of the project of the user demo, as that user unless headers say otherwise."""
        token, project = self.token()
        base = f"http://127.0.0.1:{self.port}/v1/{project}"
        # Some servers close a connection without having said that they would.
        limits = httpx.Limits(max_keepalive_connections=0)
        sent = headers or {"X-Auth-Token": token}
        return httpx.Client(base_url=base, headers=sent, follow_redirects=True, limits=limits)

    def token(self) -> tuple[str, str]:
        """A token of the user demo and the id of its project."""
        return self.token_of("calor")

    def api(self) -> httpx.Client:
        """The REST API of the user demo's project."""
        token, project = self.token()
        base = f"http://127.0.0.1:{self.port}/v1/{project}"
        return httpx.Client(base_url=base, headers={"X-Auth-Token": token}, follow_redirects=True)

    def token_of(self, name: str) -> tuple[str, str]:
        cloud = yaml.safe_load((self.state_dir / "clouds.yaml").read_text())["clouds"][name]["auth"]
        domain = {"name": "Default"}
        body = {
            "auth": {
                "identity": {
                    "methods": ["password"],
                    "password": {
                        "user": {"name": cloud["username"], "password": cloud["password"], "domain": domain}
                    },
                },
                "scope": {"project": {"name": cloud["project_name"], "domain": domain}},
            }
        }
        answer = httpx.post(f"{cloud['auth_url']}/auth/tokens", json=body)
        return answer.headers["X-Subject-Token"], answer.json()["token"]["project"]["id"]


class Server(Place):
    def __init__(
        self,
        state_dir: Path,
        port: int,
        config: Path | None = None,
        *,
        log: int | None = None,
        backend: str = "simulated",
        **environment: str,
    ) -> None:
        super().__init__(state_dir, port)
        command = [sys.executable, "-m", "calor", "serve", "--state-dir", str(state_dir), "--port", str(port)]
        command += ["--cloud-backend", backend]
        if config is not None:
            command += ["--config-file", str(config)]
        # Not a pipe: a server whose log nobody reads would stand still.
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self.process = subprocess.Popen(
            command, stderr=log or self._log, env={**os.environ, **ONE_ATTEMPT, **environment}
        )

    def output(self) -> str:
        """All that it has logged so far."""
        self._log.seek(0)
        return self._log.read()

    def children(self) -> list[int]:
        shown = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return [int(pid) for pid in shown.split()]

    def child(self, name: str) -> int | None:
        """The process that runs a program of the server: `engine`, `api` or `cloud`."""
        for pid in self.children():
            try:
                if Path(f"/proc/{pid}/comm").read_text().strip() == f"calor {name}":
                    return pid
            except OSError:
                continue
        return None

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(PATIENCE)
