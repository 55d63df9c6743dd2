"""Measures how fast scripts run on real servers of the embedded cloud, from the request to the result in the stack.
Starts its own server.

    python benchmarks/software.py [POLL_SERVER_HEAT] [POLL_SERVER_CFN] [POLL_TEMP_URL]

Times are in seconds, and in multiples of what the same servers take without deployments.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from typing import Any

from server import PORT, Client, Server

TRANSPORTS = ("POLL_SERVER_HEAT", "POLL_SERVER_CFN")


def main(transports: list[str]) -> None:
    with tempfile.TemporaryDirectory(prefix="calor-bench-") as folder:
        server = Server(folder, PORT, backend="linux")
        try:
            # The first server of a cloud builds the image.
            seconds(server, "image", stack(1, 0, TRANSPORTS[0]))
            for transport in transports:
                measure(server, transport)
        finally:
            server.stop()
            subprocess.run(
                [sys.executable, "-m", "calor", "cloud", "stop", "--state-dir", folder],
                stdout=subprocess.DEVNULL,
            )


def measure(server: Server, transport: str) -> None:
    bare, one = (seconds(server, "one", stack(1, count, transport)) for count in (0, 1))
    report(f"{transport}: 1 deployment on 1 server", one, bare)
    bare, many = (seconds(server, "many", stack(20, count, transport)) for count in (0, 5))
    report(f"{transport}: 100 deployments on 20 servers", many, bare)


def report(what: str, whole: float, servers: float) -> None:
    print(
        f"{what:50} {whole:6.2f} s   {whole / servers:4.1f} times the servers alone ({servers:.2f} s)",
        flush=True,
    )


def seconds(server: Server, name: str, template: dict[str, Any]) -> float:
    """How long a stack takes to be created. It is deleted afterwards."""
    client = Client(server)
    began = time.perf_counter()
    path = client.create(name, template)
    client.wait(path)
    ended = time.perf_counter()
    client.ask("DELETE", path)
    client.wait(path)
    return ended - began


def stack(servers: int, deployments: int, transport: str) -> dict[str, Any]:
    """A template of servers on a network of their own, with so many deployments on each."""
    resources: dict[str, Any] = {
        "network": {"type": "OS::Neutron::Net"},
        "subnet": {
            "type": "OS::Neutron::Subnet",
            "properties": {"network": {"get_resource": "network"}, "cidr": "10.1.0.0/24"},
        },
        "config": {
            "type": "OS::Heat::SoftwareConfig",
            "properties": {
                "group": "script",
                "inputs": [{"name": "number"}],
                "outputs": [{"name": "result"}],
                "config": "#!/bin/sh\necho number $number\necho $number >$heat_outputs_path.result\n",
            },
        },
    }
    for number in range(servers):
        resources[f"server{number}"] = {
            "type": "OS::Nova::Server",
            "depends_on": "subnet",
            "properties": {
                "image": "debian-12",
                "flavor": "m1.small",
                "networks": [{"network": {"get_resource": "network"}}],
                "user_data_format": "SOFTWARE_CONFIG",
                "software_config_transport": transport,
            },
        }
        for each in range(deployments):
            resources[f"deployment{number}-{each}"] = {
                "type": "OS::Heat::SoftwareDeployment",
                "properties": {
                    "config": {"get_resource": "config"},
                    "server": {"get_resource": f"server{number}"},
                    "signal_transport": "CFN_SIGNAL" if transport == "POLL_SERVER_CFN" else "HEAT_SIGNAL",
                    "input_values": {"number": each},
                },
            }
    return {"heat_template_version": "2018-08-31", "resources": resources}


if __name__ == "__main__":
    main(sys.argv[1:] or list(TRANSPORTS))
