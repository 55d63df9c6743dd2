"""Starts, stops, reboots, pauses and suspends servers."""

from __future__ import annotations

from calor.localcloud.compute.actions import ACCEPTED, Action, accept
from calor.localcloud.compute.plans import plan_of
from calor.localcloud.compute.preconditions import require_state
from calor.localcloud.compute.records import Server
from calor.localcloud.compute.requests import strict
from calor.localcloud.compute.service import ComputeService
from calor.localcloud.compute.statuses import PAUSED, RUNNING, SHUT_DOWN, SUSPENDED
from calor.localcloud.compute.tasks import Changes, Task
from calor.localcloud.problems import BadRequest
from calor.localcloud.requests import text
from calor.localcloud.web import Call, Reply

RUNS: Changes = {"vm_state": "active", "power_state": RUNNING, "fault": None}
STANDS: Changes = {"vm_state": "stopped", "power_state": SHUT_DOWN}


async def start(compute: ComputeService, server: Server) -> Changes:
    await compute.networks.wait_until_synced()
    await compute.context.backend.boot(plan_of(compute, server))
    return RUNS


async def stop(compute: ComputeService, server: Server) -> Changes:
    await compute.context.backend.halt(server.id)
    return STANDS


async def reboot(compute: ComputeService, server: Server) -> Changes:
    await compute.context.backend.halt(server.id)
    return await start(compute, server)


async def _pause(compute: ComputeService, server: Server) -> Changes:
    await compute.context.backend.freeze(server.id)
    return {"vm_state": "paused", "power_state": PAUSED}


async def _suspend(compute: ComputeService, server: Server) -> Changes:
    await compute.context.backend.freeze(server.id)
    return {"vm_state": "suspended", "power_state": SUSPENDED}


async def _wake(compute: ComputeService, server: Server) -> Changes:
    """A server that was frozen before a restart of the host is not running: it boots instead."""
    if server.id in await compute.context.backend.running():
        await compute.context.backend.thaw(server.id)
        return RUNS
    return await start(compute, server)


START = Task("powering-on", "start", "compute_start_instance", start)
STOP = Task("powering-off", "stop", "compute_stop_instance", stop)
SOFT_REBOOT = Task("rebooting", "reboot", "compute_reboot_instance", reboot)
HARD_REBOOT = Task("rebooting_hard", "reboot", "compute_reboot_instance", reboot)
PAUSE = Task("pausing", "pause", "compute_pause_instance", _pause)
UNPAUSE = Task("unpausing", "unpause", "compute_unpause_instance", _wake)
SUSPEND = Task("suspending", "suspend", "compute_suspend_instance", _suspend)
RESUME = Task("resuming", "resume", "compute_resume_instance", _wake)
TASKS = (START, STOP, SOFT_REBOOT, HARD_REBOOT, PAUSE, UNPAUSE, SUSPEND, RESUME)

_REBOOT = strict({"type": text(4)})


def _simple(doing: str, task: Task, *states: str) -> Action:
    def act(compute: ComputeService, call: Call, server: Server, content: object) -> Reply:
        require_state(server, doing, *states)
        return accept(compute, call, server, task)

    return Action(act)


def _reboot(compute: ComputeService, call: Call, server: Server, content: object) -> Reply:
    kind = _REBOOT(content, "reboot")["type"].upper()
    if kind not in ("SOFT", "HARD"):
        raise BadRequest("reboot.type must be SOFT or HARD.")
    hard = kind == "HARD"
    states = ("active", "stopped", "paused", "suspended", "error") if hard else ("active",)
    if hard and server.task_state in ("rebooting", "rebooting_hard"):
        # All reboots are hard reboots here, so that it is done already.
        return ACCEPTED
    require_state(server, "reboot", *states)
    return accept(compute, call, server, HARD_REBOOT if hard else SOFT_REBOOT)


ACTIONS = {
    "os-start": _simple("start", START, "stopped"),
    "os-stop": _simple("stop", STOP, "active", "error"),
    "reboot": Action(_reboot),
    "pause": _simple("pause", PAUSE, "active"),
    "unpause": _simple("unpause", UNPAUSE, "paused"),
    "suspend": _simple("suspend", SUSPEND, "active"),
    "resume": _simple("resume", RESUME, "suspended"),
}
