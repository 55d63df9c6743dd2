"""The cloud as a program of its own, for clients that nobody has modified."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest


@dataclass(frozen=True)
class Running:
    url: str
    database: Path
    passwords: dict[str, str]
    process: subprocess.Popen[str]

    def connect(self, user: str, project: str, **more: Any) -> Any:
        return pytest.importorskip("openstack").connect(
            auth_url=f"{self.url}/identity",
            username=user,
            password=self.passwords[user],
            project_name=project,
            user_domain_id="default",
            project_domain_id="default",
            region_name="RegionOne",
            load_envvars=False,
            load_yaml_config=False,
            **more,
        )


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start(database: Path, port: int) -> subprocess.Popen[str]:
    arguments = ["--port", str(port), "--database", str(database), "--backend", "simulated"]
    announced = ["--announce", "orchestration:heat=http://127.0.0.1:8004/v1/%(project_id)s"]
    process = subprocess.Popen(
        [sys.executable, "-m", "calor.localcloud", *arguments, *announced],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(1000):
        try:
            urlopen(f"http://127.0.0.1:{port}/identity/v3").close()
            return process
        except OSError:
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
    raise AssertionError("The cloud did not start.")
