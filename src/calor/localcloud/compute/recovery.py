"""Restarts servers and resumes interrupted tasks after a restart of the cloud."""

from __future__ import annotations

from functools import partial

from calor.localcloud.backend import BackendError
from calor.localcloud.compute import other_actions, power, rebuild_resize, shelving
from calor.localcloud.compute.building import BUILD, DELETE
from calor.localcloud.compute.plans import plan_of
from calor.localcloud.compute.service import ComputeService
from calor.localcloud.compute.statuses import SHUT_DOWN
from calor.localcloud.compute.tasks import Task, carry_out_later, change, in_error
from calor.localcloud.problems import Problem

_RUNNING = frozenset({"active", "paused", "suspended", "rescued", "resized"})

_TASKS: dict[str, Task] = {
    task.state: task
    for task in (
        BUILD,
        DELETE,
        *power.TASKS,
        *rebuild_resize.TASKS,
        *shelving.TASKS,
        *other_actions.TASKS,
    )
} | {
    # The task states of later steps: the whole task is repeated.
    "networking": BUILD,
    "block_device_mapping": BUILD,
    "spawning": BUILD,
    "image_uploading": shelving.SNAPSHOT,
}


def resume_servers(compute: ComputeService) -> None:
    compute.context.background.later(0, partial(_resume, compute))


async def _resume(compute: ComputeService) -> None:
    """Waits until the backend has the networks."""
    await compute.networks.wait_until_synced()
    running = await compute.context.backend.running()
    for server in compute.records.servers.find():
        if server.task_state in _TASKS:
            carry_out_later(compute, server, _TASKS[server.task_state])
        elif server.task_state is None and server.vm_state in _RUNNING and server.id not in running:
            compute.context.background.later(0, partial(_boot_again, compute, server.id))


async def on_server_exit(compute: ComputeService, server_id: str) -> None:
    """Handles a server that exited by itself, unless a task is working on it."""
    server = compute.records.servers.get(server_id)
    if server is not None and server.task_state is None and server.vm_state in _RUNNING:
        change(compute, server_id, vm_state="stopped", power_state=SHUT_DOWN)


async def _boot_again(compute: ComputeService, server_id: str) -> None:
    """The host was restarted, or the backend is simulated. Paused and suspended servers are frozen again."""
    backend = compute.context.backend
    async with compute.server_locks.of(server_id):
        server = compute.records.servers.get(server_id)
        if server is None or server.task_state is not None or server.vm_state not in _RUNNING:
            return
        try:
            await backend.boot(plan_of(compute, server))
            if server.vm_state in ("paused", "suspended"):
                await backend.freeze(server.id)
        except (BackendError, Problem) as error:
            change(compute, server.id, **in_error(compute, error))
