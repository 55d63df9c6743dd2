"""How servers come to be, and how they go."""

from __future__ import annotations

from calor.localcloud.compute.consumption import give_up
from calor.localcloud.compute.disks import provide_disks, release_disks
from calor.localcloud.compute.plans import plan_of
from calor.localcloud.compute.records import Server
from calor.localcloud.compute.state import Compute
from calor.localcloud.compute.statuses import RUNNING
from calor.localcloud.compute.tasks import DELETING, Changes, Task, step
from calor.localcloud.machinery import MachineryFailed
from calor.localcloud.problems import Problem


async def _build(compute: Compute, server: Server) -> Changes:
    try:
        step(compute, server, "networking")
        await compute.networks.wired()
        step(compute, server, "block_device_mapping")
        await provide_disks(compute, server)
        step(compute, server, "spawning")
        await compute.ground.machinery.boot(plan_of(compute, server), fresh=True)
    except (MachineryFailed, Problem):
        give_back_ports(compute, server)
        raise
    return {"vm_state": "active", "power_state": RUNNING, "launched": compute.stamp()}


async def _delete(compute: Compute, server: Server) -> None:
    await compute.ground.machinery.destroy(server.id)
    give_back_ports(compute, server)
    release_disks(compute, server)
    if server.shelved_image:
        compute.images.remove_image(server.shelved_image)
    with compute.records.store.transaction():
        give_up(compute, server)
        compute.records.deeds.remove_where(server_id=server.id)
        compute.records.consoles.remove_where(server_id=server.id)
        compute.records.servers.remove(server.id)


def give_back_ports(compute: Compute, server: Server) -> None:
    for port in compute.networks.ports_of(server.id):
        compute.networks.give_back(port.id)


BUILD = Task("scheduling", "create", "compute__do_build_and_run_instance", _build)
DELETE = Task(DELETING, "delete", "compute_terminate_instance", _delete)
