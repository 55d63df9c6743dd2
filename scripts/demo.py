"""A first look: starts Calor, makes a stack and shows how it comes to be.

    python scripts/demo.py up|down

Standard library only; the server keeps running after `up` until `down`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

HOME = Path(__file__).resolve().parent.parent
STATE = HOME / ".demo"
PORT = int(os.environ.get("CALOR_DEMO_PORT", "8004"))
URL = f"http://127.0.0.1:{PORT}"
TEMPLATE = HOME / "examples" / "random" / "password.yaml"
PATIENCE = 60.0


def call(method: str, url: str, body: Any = None, **headers: str) -> tuple[Any, Any]:
    """The JSON that comes back, and the headers."""
    data = None if body is None else json.dumps(body).encode()
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **names}, method=method)
    with urllib.request.urlopen(request, timeout=10) as answer:
        text = answer.read()
        return (json.loads(text) if text else None), answer.headers


def start() -> None:
    STATE.mkdir(exist_ok=True)
    log = (STATE / "server.log").open("w")
    command = [sys.executable, "-m", "calor", "serve", "--state-dir", str(STATE), "--port", str(PORT)]
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


def log_in() -> tuple[str, str]:
    """A token of the user demo, and the URL of its project's stacks."""
    password = json.loads((STATE / "passwords.json").read_text())["demo"]
    domain = {"name": "Default"}
    user = {"name": "demo", "password": password, "domain": domain}
    identity = {"methods": ["password"], "password": {"user": user}}
    body = {"auth": {"identity": identity, "scope": {"project": {"name": "demo", "domain": domain}}}}
    token, headers = call("POST", f"http://127.0.0.1:{PORT + 2}/identity/v3/auth/tokens", body)
    return headers["X-Subject-Token"], f"{URL}/v1/{token['token']['project']['id']}/stacks"


def show_progress(stack: str, token: str) -> dict[str, Any]:
    """Prints events as they come, until the stack is done; the stack then."""
    seen: set[str] = set()
    while True:
        events, _ = call("GET", f"{stack}/events?sort_dir=asc", X_Auth_Token=token)
        for event in events["events"]:
            if event["id"] not in seen:
                seen.add(event["id"])
                print(
                    f"  {event['event_time'][11:19]}  {event['resource_name']:<12} {event['resource_status']}"
                )
        shown, _ = call("GET", stack, X_Auth_Token=token)
        found: dict[str, Any] = shown["stack"]
        if not found["stack_status"].endswith("IN_PROGRESS") and len(seen) >= 4:
            return found
        time.sleep(0.1)


def up() -> None:
    down()
    print("Starting Calor with its embedded cloud …")
    start()
    token, stacks = log_in()
    name = f"demo-{int(time.time())}"
    print(f"Creating the stack {name} from {TEMPLATE.relative_to(HOME)}:")
    body = {"stack_name": name, "template": TEMPLATE.read_text()}
    made, _ = call("POST", stacks, body, X_Auth_Token=token)
    stack = show_progress(f"{stacks}/{name}/{made['stack']['id']}", token)
    print("Outputs:")
    for output in stack.get("outputs", []):
        print(f"  {output['output_key']} = {output['output_value']}")
    if stack["stack_status"] != "CREATE_COMPLETE":
        sys.exit(f"The stack is {stack['stack_status']}: {stack['stack_status_reason']}")
    print(
        f"""
Calor runs at {URL}. Try it with the OpenStack client:

  export OS_CLIENT_CONFIG_FILE={STATE}/clouds.yaml OS_CLOUD=calor
  .venv/bin/openstack stack list

`make demo-down` stops it and removes what it made."""
    )


def down() -> None:
    pid_file = STATE / "server.pid"
    if pid_file.exists():
        try:
            os.kill(int(pid_file.read_text()), signal.SIGTERM)
        except (ProcessLookupError, ValueError):
            pass
        else:
            time.sleep(1.0)
    for path in STATE.glob("*"):
        path.unlink()
    if STATE.exists():
        STATE.rmdir()


if __name__ == "__main__":
    {"up": up, "down": down}[sys.argv[1]]()
