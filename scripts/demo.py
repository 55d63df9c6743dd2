"""A first look: starts Calor, makes a stack and shows how it comes to be.

    python scripts/demo.py up|down

The server keeps running after `up` until `down`.
"""

from __future__ import annotations

import json
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
PORT = os.environ.get("CALOR_DEMO_PORT", "8004")
URL = f"http://127.0.0.1:{PORT}"
TEMPLATE = HOME / "examples" / "web" / "web.yaml"
PATIENCE = 60.0


def calor(*words: str) -> list[str]:
    """The command of the project, whichever Python runs this."""
    return [str(HOME / ".venv" / "bin" / "calor"), *words]


def start() -> None:
    STATE.mkdir(exist_ok=True)
    with (STATE / "server.log").open("w") as log:
        command = calor("serve", "--state-dir", str(STATE), "--port", PORT)
        server = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
    (STATE / "server.pid").write_text(str(server.pid))
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if server.poll() is not None:
            said = (STATE / "server.log").read_text().strip()
            sys.exit(f"Calor did not start:\n{said}\nOn another port: `CALOR_DEMO_PORT=9704 make demo`")
        if not (STATE / "clouds.yaml").exists():
            # Until it has its ports, somebody else may answer there.
            time.sleep(0.1)
            continue
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
    problems = why_simulated()
    if problems:
        print(f"Servers are simulated here, nothing answers at their addresses: {problems}")
    print(f"Creating the stack `web` from {TEMPLATE.relative_to(HOME)}:", flush=True)
    made = subprocess.run(
        calor("stack", "create", "-t", str(TEMPLATE), "web"), env=environment(), check=False
    )
    if made.returncode:
        sys.exit("The stack could not be made.")
    if not problems:
        visit()
    print(
        f"""
Calor runs at {URL}. What to try next:

  export CALOR_STATE_DIR={STATE}
  .venv/bin/calor stack list
  .venv/bin/calor stack update web -t {TEMPLATE.relative_to(HOME)} --parameter servers=3
  .venv/bin/calor stack graph web
  {".venv/bin/calor cloud ssh web-0" if not problems else ".venv/bin/calor cloud probe"}

With the OpenStack client:

  .venv/bin/pip install python-openstackclient python-heatclient
  export OS_CLIENT_CONFIG_FILE={STATE}/clouds.yaml OS_CLOUD=calor
  .venv/bin/openstack stack list
  .venv/bin/openstack server list

`make demo-down` stops it and removes what it made."""
    )


def why_simulated() -> str:
    """Empty where servers really run."""
    probe = calor("cloud", "probe", "-f", "json")
    probed = subprocess.run(probe, env=environment(), capture_output=True, text=True)
    if not probed.stdout:
        return probed.stderr.strip()
    return "; ".join(json.loads(probed.stdout)["reasons"])


def visit() -> None:
    """Asks each server of the stack for its page, as a browser would."""
    shown = subprocess.run(
        calor("stack", "output", "show", "web", "urls", "-f", "json"),
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    for url in json.loads(shown.stdout)["output_value"]:
        print(f"\n$ curl {url}\n{page(url)}", end="", flush=True)


def page(url: str) -> str:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:
                content: str = answer.read().decode()
                return content
        except OSError as error:
            if time.monotonic() > end:
                return f"no answer: {error}\n"
            time.sleep(0.1)


def environment() -> dict[str, str]:
    """That of this process, but for what leads to another cloud."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OS_")}
    return {**kept, "CALOR_STATE_DIR": str(STATE)}


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
    if STATE.exists():
        subprocess.run(calor("cloud", "stop"), env=environment(), capture_output=True, check=False)
    shutil.rmtree(STATE, ignore_errors=True)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    {"up": up, "down": down}[sys.argv[1]]()
