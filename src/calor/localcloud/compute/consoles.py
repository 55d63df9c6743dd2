"""Consoles and diagnostics of servers."""

from __future__ import annotations

import html
import secrets

from calor.localcloud.compute.actions import Action
from calor.localcloud.compute.microversions import version_of
from calor.localcloud.compute.policy import members
from calor.localcloud.compute.preconditions import need_server
from calor.localcloud.compute.records import Console, Server
from calor.localcloud.compute.requests import number, strict
from calor.localcloud.compute.routes import ComputeRoute
from calor.localcloud.compute.service import HOST, ComputeService
from calor.localcloud.policy import admins
from calor.localcloud.problems import Conflict, NotFound
from calor.localcloud.requests import nullable, one_of
from calor.localcloud.web import Call, Reply

_KINDS = {
    "vnc": ("novnc", "xvpvnc"),
    "spice": ("spice-html5",),
    "rdp": ("rdp-html5",),
    "serial": ("serial",),
}
_OUTPUT_FORM = nullable(strict(optional={"length": nullable(number(-1))}))
_PAGE = """<!DOCTYPE html>
<html><head><meta charset="utf-8"><meta http-equiv="refresh" content="2"><title>{name}</title></head>
<body style="background:#000;color:#ddd"><pre>{text}</pre></body></html>
"""


async def _output(compute: ComputeService, call: Call, server: Server, content: object) -> Reply:
    length = (_OUTPUT_FORM(content, "os-getConsoleOutput") or {}).get("length")
    _require_launched(server)
    text = await compute.context.backend.console(server.id)
    if length is not None and length >= 0:
        text = "\n".join(text.splitlines()[-length:] if length else [])
    return Reply(body={"output": text})


def _old_console(protocol: str) -> Action:
    form = strict({"type": one_of(*_KINDS[protocol])})

    def act(compute: ComputeService, call: Call, server: Server, content: object) -> Reply:
        kind = form(content, "The action")["type"]
        return Reply(body={"console": {"type": kind, "url": _open(compute, call, server)}})

    return Action(act, until=(2, 5))


def create_console(compute: ComputeService, call: Call) -> Reply:
    kinds = [kind for group in _KINDS.values() for kind in group]
    form = strict({"protocol": one_of(*_KINDS), "type": one_of(*kinds)})
    given = call.read_in("remote_console", form)
    one_of(*_KINDS[given["protocol"]])(given["type"], "remote_console.type")
    url = _open(compute, call, need_server(compute, call))
    return Reply(body={"remote_console": {**given, "url": url}})


async def show_console(compute: ComputeService, call: Call) -> Reply:
    """The page of a console, which needs no token but the one in its URL."""
    console = compute.records.consoles.get(call.query.get("token", ""))
    server = compute.records.servers.get(console.server_id) if console else None
    if server is None:
        raise NotFound("The console token is invalid.")
    text = await compute.context.backend.console(server.id)
    page = _PAGE.format(name=html.escape(server.name), text=html.escape(text))
    return Reply(raw=page.encode(), headers={"Content-Type": "text/html; charset=utf-8"})


async def get_diagnostics(compute: ComputeService, call: Call) -> Reply:
    server = need_server(compute, call)
    if server.vm_state != "active":
        raise Conflict(f"Server {server.id} is not running.")
    usage = await compute.context.backend.usage(server.id)
    if version_of(call) < (2, 48):
        return Reply(body={"cpu0_time": int(usage.cpu_seconds * 1e9), "memory": int(usage.memory_mb * 1024)})
    ports = compute.networks.ports_of(server.id)
    disks = compute.records.disks.find(server_id=server.id)
    shown = {
        "state": "running",
        "driver": "libvirt",
        "hypervisor": compute.context.backend.name,
        "hypervisor_os": "linux",
        "uptime": None,
        "config_drive": server.config_drive,
        "num_cpus": server.flavor["vcpus"],
        "num_nics": len(ports),
        "num_disks": len(disks) + 1,
        "cpu_details": [{"id": 0, "time": int(usage.cpu_seconds * 1e9), "utilisation": None}],
        "memory_details": {"maximum": server.flavor["ram"], "used": int(usage.memory_mb)},
        "nic_details": [{"mac_address": port.mac} for port in ports],
        "disk_details": [],
    }
    return Reply(body=shown)


def check_console(compute: ComputeService, call: Call) -> Reply:
    console = compute.records.consoles.get(call.path["token"])
    if console is None:
        raise NotFound("The console token is invalid.")
    shown = {"instance_uuid": console.server_id, "host": HOST, "port": 0, "internal_access_path": None}
    return Reply(body={"console": shown})


def _open(compute: ComputeService, call: Call, server: Server) -> str:
    _require_launched(server)
    token = secrets.token_urlsafe(24)
    compute.records.consoles.add(Console(token, server.id))
    return f"{call.base}/console?token={token}"


def _require_launched(server: Server) -> None:
    if server.launched is None:
        raise Conflict(f"Server {server.id} is not ready.")


ACTIONS = {
    "os-getConsoleOutput": Action(_output, even_locked=True),
    "os-getVNCConsole": _old_console("vnc"),
    "os-getSPICEConsole": _old_console("spice"),
    "os-getRDPConsole": _old_console("rdp"),
    "os-getSerialConsole": _old_console("serial"),
}

ROUTES = (
    ComputeRoute("POST", "/servers/{server_id}/remote-consoles", create_console, members, since=(2, 6)),
    ComputeRoute("GET", "/servers/{server_id}/diagnostics", get_diagnostics, admins),
    ComputeRoute("GET", "/os-console-auth-tokens/{token}", check_console, admins),
)
