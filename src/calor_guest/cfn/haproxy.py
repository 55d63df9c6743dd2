"""Figures of HAProxy, from its statistics socket."""

import csv
import socket
from typing import Dict, Mapping, Tuple

from calor_guest.cfn.problems import Problem

SOCKET = "/tmp/.haproxy-stats"
_SECONDS = 10.0
_LARGEST = 8 << 20
_FRONTEND, _BACKEND, _SERVER = "0", "1", "2"
_OF_FRONTENDS = {
    "RequestCount": "req_tot",
    "HTTPCode_ELB_4XX": "hrsp_4xx",
    "HTTPCode_ELB_5XX": "hrsp_5xx",
}
_OF_BACKENDS = {
    "HTTPCode_Backend_2XX": "hrsp_2xx",
    "HTTPCode_Backend_3XX": "hrsp_3xx",
    "HTTPCode_Backend_4XX": "hrsp_4xx",
    "HTTPCode_Backend_5XX": "hrsp_5xx",
}

Figure = Tuple[str, str]
"""A value and its unit."""


def ask(path: str = SOCKET) -> str:
    """The table of statistics. Raises Problem."""
    received = b""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(_SECONDS)
            connection.connect(path)
            connection.sendall(b"show stat\n")
            while len(received) < _LARGEST:
                data = connection.recv(65536)
                if not data:
                    break
                received += data
    except OSError as error:
        raise Problem(f"HAProxy does not respond at {path}: {error}") from None
    return received.decode("utf-8", "replace")


def figures(table: str, latency_only: bool = False) -> Dict[str, Figure]:
    found: Dict[str, Figure] = {}
    rows = list(csv.DictReader(table.lstrip("# ").splitlines()))
    if not latency_only:
        for row in rows:
            names = {_FRONTEND: _OF_FRONTENDS, _BACKEND: _OF_BACKENDS}.get(row.get("type") or "", {})
            found.update((name, (row.get(key) or "0", "Counter")) for name, key in names.items())
        servers = [row for row in rows if row.get("type") == _SERVER]
        up = sum(1 for row in servers if row.get("status") == "UP")
        found["HealthyHostCount"] = (str(up), "Counter")
        found["UnHealthyHostCount"] = (str(len(servers) - up), "Counter")
    milliseconds = max((_latency(row) for row in rows), default=0.0)
    found["Latency"] = (str(milliseconds / 1000), "Seconds")
    return found


def _latency(row: Mapping[str, str]) -> float:
    try:
        return float(row.get("check_duration") or 0)
    except ValueError:
        return 0.0
