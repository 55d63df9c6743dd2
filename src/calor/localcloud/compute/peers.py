"""What the compute service offers to the other services and to the backend."""

from __future__ import annotations

from collections.abc import Sequence

from calor.localcloud.backend import MetadataRequest, MetadataResponse
from calor.localcloud.compute.hypervisors import HYPERVISOR_ID, sizes
from calor.localcloud.compute.metadata_service import answer
from calor.localcloud.compute.records import Server
from calor.localcloud.compute.recovery import on_server_exit
from calor.localcloud.compute.service import HOST, ComputeService
from calor.localcloud.peers import Capacity, ServerUsage


class ComputePeer:
    """Implements `Servers`."""

    host_id = HYPERVISOR_ID
    host_name = HOST

    def __init__(self, service: ComputeService) -> None:
        self._service = service

    def capacity(self) -> Capacity:
        found = sizes(self._service)
        return Capacity(found["vcpus"], found["memory_mb"], found["local_gb"])

    def usage(self, server_id: str) -> ServerUsage | None:
        server = self._service.records.servers.get(server_id)
        return None if server is None else _usage(server)

    def usages(self, project_id: str | None = None) -> Sequence[ServerUsage]:
        servers = self._service.records.servers
        found = servers.find() if project_id is None else servers.find(project_id=project_id)
        return [_usage(server) for server in found]

    def aggregates(self) -> Sequence[str]:
        return [each.uuid for each in self._service.records.aggregates.find() if HOST in each.hosts]

    def all_server_ids(self) -> frozenset[str]:
        return frozenset(server.id for server in self._service.records.servers.find())

    def answer_metadata(self, question: MetadataRequest) -> MetadataResponse:
        """Called by the backend when a server asks the metadata service."""
        return answer(self._service, question)

    async def on_server_exit(self, server_id: str) -> None:
        """Called by the backend when a server has ended by itself."""
        await on_server_exit(self._service, server_id)


def _usage(server: Server) -> ServerUsage:
    flavor = server.flavor
    taken = Capacity(flavor["vcpus"], flavor["ram"], flavor["disk"] + flavor["ephemeral"])
    return ServerUsage(server.id, server.project_id, server.user_id, taken)
