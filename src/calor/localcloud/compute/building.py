"""Builds and deletes servers."""

from __future__ import annotations

from calor.localcloud.backend import BackendError
from calor.localcloud.compute.disks import attach_disks, detach_disks
from calor.localcloud.compute.plans import plan_of
from calor.localcloud.compute.quotas import release_quota
from calor.localcloud.compute.records import Server
from calor.localcloud.compute.service import ComputeService
from calor.localcloud.compute.statuses import RUNNING
from calor.localcloud.compute.tasks import DELETING, Changes, Task, step
from calor.localcloud.problems import Problem


async def _build(compute: ComputeService, server: Server) -> Changes:
    try:
        step(compute, server, "networking")
        await compute.networks.wait_until_synced()
        step(compute, server, "block_device_mapping")
        await attach_disks(compute, server)
        step(compute, server, "spawning")
        await compute.context.backend.boot(plan_of(compute, server), fresh=True)
    except (BackendError, Problem):
        release_ports(compute, server)
        raise
    return {"vm_state": "active", "power_state": RUNNING, "launched": compute.stamp()}


async def _delete(compute: ComputeService, server: Server) -> None:
    await compute.context.backend.destroy(server.id)
    release_ports(compute, server)
    detach_disks(compute, server)
    if server.shelved_image:
        compute.images.remove_image(server.shelved_image)
    with compute.records.store.transaction():
        release_quota(compute, server)
        compute.records.instance_actions.remove_where(server_id=server.id)
        compute.records.consoles.remove_where(server_id=server.id)
        compute.records.servers.remove(server.id)


def release_ports(compute: ComputeService, server: Server) -> None:
    for port in compute.networks.ports_of(server.id):
        compute.networks.release_port(port.id)


BUILD = Task("scheduling", "create", "compute__do_build_and_run_instance", _build)
DELETE = Task(DELETING, "delete", "compute_terminate_instance", _delete)
