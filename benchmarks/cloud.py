"""Measures how fast stacks of servers and ports are created in the embedded cloud. Starts its own server.

    python benchmarks/cloud.py [simulated] [linux]

Times are in seconds, with the number of requests to the cloud per server.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from server import PORT, Client, Server

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def main(backends: list[str]) -> None:
    for backend in backends:
        with tempfile.TemporaryDirectory(prefix="calor-bench-") as folder:
            server = Server(folder, PORT, backend=backend)
            try:
                measure(backend, server)
            finally:
                server.stop()
                subprocess.run(
                    [sys.executable, "-m", "calor", "cloud", "stop", "--state-dir", folder],
                    stdout=subprocess.DEVNULL,
                )


def measure(backend: str, server: Server) -> None:
    template = (EXAMPLES / "network" / "servers.yaml").read_text()
    run(server, f"{backend}: 3 servers on a network of their own", 3, template)
    run(server, f"{backend}: 50 servers in a group", 50, template)
    if backend == "simulated":
        run(server, f"{backend}: 200 servers with a port each", 200, with_ports(200))
        run(server, f"{backend}: 400 servers with a port each", 400, with_ports(400))


def run(server: Server, what: str, count: int, template: Any) -> None:
    client = Client(server)
    parameters = {"count": count} if isinstance(template, str) else {}
    asked = requests(server)
    began = time.perf_counter()
    path = client.create(f"of-{count}", template, parameters=parameters)
    client.wait(path)
    made = time.perf_counter()
    asked = requests(server) - asked
    began_deleting = time.perf_counter()
    client.ask("DELETE", path)
    client.wait(path)
    gone = time.perf_counter()
    print(
        f"{what:50} create {made - began:6.2f} s   delete {gone - began_deleting:6.2f} s"
        f"   {asked / count:5.1f} requests a server to create",
        flush=True,
    )


def requests(server: Server) -> float:
    """The number of requests that Calor has sent to the cloud."""
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/metrics") as answer:
        lines = answer.read().decode().splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith("calor_cloud_call_seconds_count"))


def with_ports(count: int) -> dict[str, Any]:
    """A template of servers with a port each."""
    resources: dict[str, Any] = {
        "network": {"type": "OS::Neutron::Net"},
        "subnet": {
            "type": "OS::Neutron::Subnet",
            "properties": {"network": {"get_resource": "network"}, "cidr": "10.1.0.0/20"},
        },
    }
    for number in range(count):
        resources[f"port{number}"] = {
            "type": "OS::Neutron::Port",
            "depends_on": "subnet",
            "properties": {"network": {"get_resource": "network"}},
        }
        resources[f"server{number}"] = {
            "type": "OS::Nova::Server",
            "properties": {
                "image": "cirros",
                "flavor": "m1.nano",
                "networks": [{"port": {"get_resource": f"port{number}"}}],
            },
        }
    return {"heat_template_version": "2018-08-31", "resources": resources}


if __name__ == "__main__":
    main(sys.argv[1:] or ["simulated", "linux"])
