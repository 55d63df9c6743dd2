"""The programs of a server are told to stop in the order in which they can do without each other."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.support.server import PATIENCE, until

SCRIPT = """
import signal, sys, time
from pathlib import Path
from calor.server.supervisor import Program, Supervisor

folder = Path(sys.argv[1])

def program(name, seconds):
    def main():
        told = []
        signal.signal(signal.SIGTERM, lambda *_: told.append(1))
        (folder / name).touch()
        while not told:
            time.sleep(0.01)
        time.sleep(seconds)
        with (folder / "ended").open("a") as file:
            file.write(f"{name}\\n")
    return main

Supervisor([
    Program("cloud", program("cloud", 0), needed=True),
    Program("api", program("api", 0.3)),
    Program("engine", program("engine", 0.1)),
]).run()
"""


def test_what_others_need_is_asked_to_stop_when_they_have(tmp_path: Path) -> None:
    server = subprocess.Popen([sys.executable, "-c", SCRIPT, str(tmp_path)])
    until(lambda: all((tmp_path / name).exists() for name in ("cloud", "api", "engine")))
    os.kill(server.pid, signal.SIGTERM)
    assert server.wait(PATIENCE) == 0

    *others, last = (tmp_path / "ended").read_text().split()
    assert last == "cloud"
    assert set(others) == {"api", "engine"}
