"""A first look: starts Calor, makes a stack and shows how it comes to be.

    python scripts/demo.py up|down

The server keeps running after `up` until `down`.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent
STATE = HOME / ".demo"
PORT = int(os.environ.get("CALOR_DEMO_PORT", "8004"))
URL = f"http://127.0.0.1:{PORT}"
TEMPLATE = HOME / "examples" / "first" / "first.yaml"
PATIENCE = 60.0


def calor(*words: str) -> list[str]:
    return [sys.executable, "-m", "calor", *words]


def start() -> None:
    STATE.mkdir(exist_ok=True)
    with (STATE / "server.log").open("w") as log:
        command = calor("serve", "--state-dir", str(STATE), "--port", str(PORT))
        server = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
    (STATE / "server.pid").write_text(str(server.pid))
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if server.poll() is not None:
            sys.exit(f"Calor did not start:\n{(STATE / 'server.log').read_text()}")
        try:
            with urllib.request.urlopen(f"{URL}/healthcheck", timeout=2):
                return
        except OSError:
            time.sleep(0.1)
    sys.exit("Calor does not answer.")


def up() -> None:
    down()
    print("Starting Calor with its embedded cloud …", flush=True)
    start()
    print(f"Creating the stack `first` from {TEMPLATE.relative_to(HOME)}:", flush=True)
    environment = {**os.environ, "CALOR_STATE_DIR": str(STATE)}
    for name in [one for one in environment if one.startswith("OS_")]:
        del environment[name]
    made = subprocess.run(
        calor("stack", "create", "-t", str(TEMPLATE), "first"), env=environment, check=False
    )
    if made.returncode:
        sys.exit("The stack could not be made.")
    print(
        f"""
Calor runs at {URL}. What to try next:

  export CALOR_STATE_DIR={STATE}
  .venv/bin/calor stack list
  .venv/bin/calor stack update first -t {TEMPLATE.relative_to(HOME)} --parameter members=5
  .venv/bin/calor stack graph first

With the OpenStack client:

  .venv/bin/pip install python-openstackclient python-heatclient
  export OS_CLIENT_CONFIG_FILE={STATE}/clouds.yaml OS_CLOUD=calor
  .venv/bin/openstack stack list

`make demo-down` stops it and removes what it made."""
    )


def down() -> None:
    """Stops the server of an earlier demo, and removes what it kept."""
    try:
        pid = int((STATE / "server.pid").read_text())
        os.kill(pid, signal.SIGTERM)
    except (OSError, ValueError):
        pass
    else:
        end = time.monotonic() + PATIENCE
        while _lives(pid) and time.monotonic() < end:
            time.sleep(0.05)
    shutil.rmtree(STATE, ignore_errors=True)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    {"up": up, "down": down}[sys.argv[1]]()
