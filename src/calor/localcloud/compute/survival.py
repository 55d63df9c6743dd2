"""What is done when the cloud starts: servers run on, and what was under way is taken up again."""

from __future__ import annotations

from functools import partial

from calor.localcloud.compute import oddments, power, reshaping, shelving
from calor.localcloud.compute.building import BUILD, DELETE
from calor.localcloud.compute.plans import plan_of
from calor.localcloud.compute.state import Compute
from calor.localcloud.compute.statuses import SHUT_DOWN
from calor.localcloud.compute.tasks import Task, carry_out_later, change, in_error
from calor.localcloud.machinery import MachineryFailed
from calor.localcloud.problems import Problem

_RUNNING = frozenset({"active", "paused", "suspended", "rescued", "resized"})

_TASKS: dict[str, Task] = {
    task.state: task
    for task in (
        BUILD,
        DELETE,
        *power.TASKS,
        *reshaping.TASKS,
        *shelving.TASKS,
        *oddments.TASKS,
    )
} | {
    # Further parts of tasks: each is done from its beginning.
    "networking": BUILD,
    "block_device_mapping": BUILD,
    "spawning": BUILD,
    "image_uploading": shelving.SNAPSHOT,
}


def all_server_ids(compute: Compute) -> frozenset[str]:
    return frozenset(server.id for server in compute.records.servers.find())


async def take_up(compute: Compute) -> None:
    """Once at every start, when the networks are there again."""
    await compute.networks.wired()
    running = await compute.ground.machinery.running()
    for server in compute.records.servers.find():
        if server.task_state in _TASKS:
            carry_out_later(compute, server, _TASKS[server.task_state])
        elif server.task_state is None and server.vm_state in _RUNNING and server.id not in running:
            compute.ground.life.later(0, partial(_boot_again, compute, server.id))


async def note_death(compute: Compute, server_id: str) -> None:
    """A server has ended by itself. One that is being worked on ended because of that."""
    server = compute.records.servers.get(server_id)
    if server is not None and server.task_state is None and server.vm_state in _RUNNING:
        change(compute, server_id, vm_state="stopped", power_state=SHUT_DOWN)


async def _boot_again(compute: Compute, server_id: str) -> None:
    """The host was restarted, or servers only seem to run here. What was frozen is so again."""
    machinery = compute.ground.machinery
    async with compute.turns.of(server_id):
        server = compute.records.servers.get(server_id)
        if server is None or server.task_state is not None or server.vm_state not in _RUNNING:
            return
        try:
            await machinery.boot(plan_of(compute, server))
            if server.vm_state in ("paused", "suspended"):
                await machinery.freeze(server.id)
        except (MachineryFailed, Problem) as error:
            change(compute, server.id, **in_error(compute, error))
