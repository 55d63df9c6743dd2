"""Calor as somebody uses it who tries an example: by the command line, and by looking at what it did."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

from tests.support.server import Server, until

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


class Tried:
    def __init__(self, state_dir: Path, port: int) -> None:
        self._server = Server(state_dir, port, backend="linux")
        self._state_dir = state_dir
        self._server.ready()

    def end(self) -> None:
        self._server.stop()
        self.command("cloud", "stop")

    def command(self, *words: str) -> str:
        """What `calor` prints; fails if it fails."""
        done = subprocess.run(
            [sys.executable, "-m", "calor", *words],
            env={"CALOR_STATE_DIR": str(self._state_dir), "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            timeout=180,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def create(self, name: str, template: str, *options: str) -> None:
        self.command("stack", "create", "-t", str(EXAMPLES / template), *options, name)

    def update(self, name: str, template: str, *options: str) -> None:
        self.command("stack", "update", "-t", str(EXAMPLES / template), "--yes", *options, name)

    def delete(self, name: str) -> None:
        self.command("stack", "delete", "--yes", name)

    def output(self, stack: str, name: str) -> Any:
        return json.loads(self.command("stack", "output", "show", stack, name, "-f", "json"))["output_value"]

    def inside(self, server: str, *command: str) -> str:
        """What a command prints within a server."""
        return self.command("cloud", "ssh", server, *command)

    def servers(self) -> list[dict[str, Any]]:
        return self._listed("compute/v2.1/servers/detail", "servers")

    def objects(self) -> dict[str, int]:
        """How many things of each kind the project has in the cloud."""
        return {
            "servers": len(self.servers()),
            "networks": len(self._listed("network/v2.0/networks", "networks")),
            "ports": len(self._listed("network/v2.0/ports", "ports")),
            "routers": len(self._listed("network/v2.0/routers", "routers")),
            "security groups": len(self._listed("network/v2.0/security-groups", "security_groups")),
            "floating ips": len(self._listed("network/v2.0/floatingips", "floatingips")),
            "volumes": len(self._listed(f"volume/v3/{self._server.token()[1]}/volumes", "volumes")),
        }

    def _listed(self, path: str, key: str) -> list[dict[str, Any]]:
        token, _ = self._server.token()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self._server.port + 2}/{path}", headers={"X-Auth-Token": token}
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            listed: list[dict[str, Any]] = json.load(answer)[key]
            return listed


def page(url: str) -> str:
    """What a server answers, as soon as it does."""

    def visit() -> str | None:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return str(answer.read().decode())
        except OSError:
            time.sleep(0.1)
            return None

    return str(until(visit))


def send(url: str, **fields: str) -> None:
    """Sends a form."""
    urllib.request.urlopen(url, urllib.parse.urlencode(fields).encode(), timeout=10).close()
