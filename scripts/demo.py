"""A demo: starts Calor, creates a stack and shows its progress.

    python scripts/demo.py up|down

The server keeps running until `down`; a second `up` shows it again.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
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
    (STATE / "server.url").write_text(URL)
    (STATE / "server.pid").write_text(str(server.pid))
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if server.poll() is not None:
            output = (STATE / "server.log").read_text().strip()
            sys.exit(f"Calor did not start:\n{output}\nOn another port: `CALOR_DEMO_PORT=9704 make demo`")
        if not (STATE / "clouds.yaml").exists():
            # Until it has its ports, somebody else may answer there.
            time.sleep(0.1)
            continue
        if answers(URL):
            return
        time.sleep(0.1)
    sys.exit("Calor does not respond.")


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Waits while another `up` is working. The lock ends with the process, however it ends."""
    folder = os.open(STATE.parent, os.O_RDONLY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Another `make demo` is starting it; waiting …", flush=True)
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def up() -> None:
    with alone():
        bring_up()


def bring_up() -> None:
    url = running()
    if url is None:
        down()
        print("Starting Calor with its embedded cloud …", flush=True)
        start()
        url = URL
    else:
        print("The demo is already running. `make demo-down` stops it and removes its files.", flush=True)
    problems = why_simulated()
    if problems:
        print(f"Servers are simulated here, nothing answers at their addresses: {problems}")
    if has_stack():
        run("stack", "output", "show", "--all", "web")
    else:
        print(f"Creating the stack `web` from {TEMPLATE.relative_to(HOME)}:", flush=True)
        if run("stack", "create", "-t", str(TEMPLATE), "web"):
            sys.exit("The stack could not be created.")
    if not problems:
        visit()
    print(
        f"""
Calor runs at {url}. What to try next:

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

`make demo-down` stops it and removes its files."""
    )


def running() -> str | None:
    """The URL of the server of an earlier demo, which may have another port."""
    pid = server_process()
    if pid is None:
        return None
    url = (STATE / "server.url").read_text()
    if not answers(url):
        sys.exit(f"The demo runs as process {pid}, but {url} does not answer. `make demo-down` removes it.")
    return url


def server_process() -> int | None:
    try:
        pid = int((STATE / "server.pid").read_text())
    except (OSError, ValueError):
        return None
    return pid if _is_running(pid) else None


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/healthcheck", timeout=2):
            return True
    except OSError:
        return False


def has_stack() -> bool:
    shown = subprocess.run(calor("stack", "show", "web"), env=environment(), capture_output=True, check=False)
    return shown.returncode == 0


def run(*words: str) -> int:
    return subprocess.run(calor(*words), env=environment(), check=False).returncode


def why_simulated() -> str:
    """Why servers are simulated; empty if they are not."""
    probe = calor("cloud", "probe", "-f", "json")
    probed = subprocess.run(probe, env=environment(), capture_output=True, text=True)
    if not probed.stdout:
        return probed.stderr.strip()
    return "; ".join(json.loads(probed.stdout)["reasons"])


def visit() -> None:
    """Fetches the page of each server of the stack."""
    shown = subprocess.run(
        calor("stack", "output", "show", "web", "urls", "-f", "json"),
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if shown.returncode:
        # The user has changed the stack.
        return
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
    """The environment of this process without the variables that select another cloud."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OS_")}
    return {**kept, "CALOR_STATE_DIR": str(STATE)}


def down() -> None:
    """Stops the server of an earlier demo, and removes its files."""
    pid = server_process()
    if pid is not None:
        os.kill(pid, signal.SIGTERM)
        end = time.monotonic() + PATIENCE
        while _is_running(pid) and time.monotonic() < end:
            time.sleep(0.05)
    if STATE.exists():
        subprocess.run(calor("cloud", "stop"), env=environment(), capture_output=True, check=False)
    shutil.rmtree(STATE, ignore_errors=True)


def _is_running(pid: int) -> bool:
    """Whether the process is the demo: after a reboot, its pid may be another program's."""
    shown = subprocess.run(["ps", "-p", str(pid), "-o", "args="], capture_output=True, text=True, check=False)
    return "calor" in shown.stdout


if __name__ == "__main__":
    {"up": up, "down": down}[sys.argv[1]]()
