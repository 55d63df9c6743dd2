"""A server whose parts are processes of their own, started one by one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tests.support.server import PATIENCE, Place, free_port

SAYS_READY = {"cloud": "The cloud is listening on"}


class Fleet(Place):
    def __init__(self, folder: Path, **environment: str) -> None:
        super().__init__(folder / "state", free_port())
        self._folder = folder
        self.environment = {
            **os.environ,
            "CALOR_STATE_DIR": str(self.state_dir),
            "OS_HEAT_API__BIND_PORT": str(self.port),
            **environment,
        }
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def log(self, name: str) -> str:
        """All that the processes of a name have said."""
        file = self._folder / f"{name}.log"
        return file.read_text() if file.exists() else ""

    def launch(self, name: str, command: Sequence[str]) -> subprocess.Popen[bytes]:
        with (self._folder / f"{name}.log").open("a") as log:
            self.running[name] = subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT, env=self.environment, start_new_session=True
            )
        return self.running[name]

    def command(self, name: str, *options: str) -> list[str]:
        simulated = ["--cloud-backend", "simulated"] if name == "cloud" else []
        return [sys.executable, "-m", "calor", name, *simulated, *options]

    def start(self, name: str, *options: str, called: str = "") -> subprocess.Popen[bytes]:
        """Starts a part and waits until it says that it is ready. It is called as its command is, unless there are
        several."""
        called = called or name
        known = len(self.log(called))
        process = self.launch(called, self.command(name, *options))
        says = SAYS_READY.get(name, f"calor {name} is ready")
        end = time.monotonic() + PATIENCE
        while says not in self.log(called)[known:]:
            assert process.poll() is None, self.log(called)
            assert time.monotonic() < end, f"{called} never became ready: {self.log(called)}"
            time.sleep(0.02)
        return process

    def refusal(self, name: str, *options: str) -> str:
        """What a part says that does not start."""
        process = self.launch(f"refused {name}", self.command(name, *options))
        assert process.wait(PATIENCE) == 1, self.log(f"refused {name}")
        return self.log(f"refused {name}")

    def tell(self, name: str, number: signal.Signals = signal.SIGTERM) -> int:
        """Sends a signal; the exit code."""
        process = self.running.pop(name)
        process.send_signal(number)
        return process.wait(PATIENCE)

    def stop(self) -> None:
        for process in self.running.values():
            process.terminate()
        for process in self.running.values():
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.running.clear()
