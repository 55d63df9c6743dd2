"""Seeds the external network, two networks of the project `demo`, and a router."""

from __future__ import annotations

from dataclasses import dataclass

from calor.localcloud.caller import Caller
from calor.localcloud.network.networks import NETWORKS
from calor.localcloud.network.records import Seeded
from calor.localcloud.network.resources import D, Resource, create_record
from calor.localcloud.network.router_interfaces import add_interface
from calor.localcloud.network.routers import ROUTERS
from calor.localcloud.network.service import NetworkService
from calor.localcloud.network.subnets import SUBNETS
from calor.localcloud.network.viewer import Viewer
from calor.localcloud.seeding import SeedAccounts

_DONE = "network"


@dataclass(frozen=True)
class _Seeder:
    networking: NetworkService
    viewer: Viewer

    def make(self, resource: Resource[D], **body: object) -> D:
        return create_record(
            resource, self.networking, self.viewer, resource.kind.read_new(self.viewer.caller, body)
        )


def seed_networks(networking: NetworkService, accounts: SeedAccounts) -> None:
    admin_project, demo_project = accounts.admin_project, accounts.demo_project
    records = networking.records
    if admin_project is None or demo_project is None or records.seeded.get(_DONE):
        return
    with networking.change():
        admin = Caller("", "", "admin", "default", project_id=admin_project, roles=frozenset(("admin",)))
        seeder = _Seeder(networking, Viewer(records, admin))
        public = seeder.make(NETWORKS, name="public", is_default=True, **{"router:external": True})
        seeder.make(
            SUBNETS,
            name="public-subnet",
            network_id=public.id,
            ip_version=4,
            cidr=networking.context.backend.external_cidr,
            enable_dhcp=False,
        )
        subnets = [
            _subnet(seeder, demo_project, "heat-net", "heat-subnet", "10.0.0.0/24"),
            _subnet(seeder, demo_project, "test-net", "test-subnet", "10.0.1.0/24"),
        ]
        router = seeder.make(
            ROUTERS,
            name="heat-router",
            project_id=demo_project,
            external_gateway_info={"network_id": public.id},
        )
        add_interface(networking, seeder.viewer, router, {"subnet_id": subnets[0]})
        records.seeded.add(Seeded(_DONE))


def _subnet(seeder: _Seeder, project_id: str, network_name: str, name: str, cidr: str) -> str:
    network = seeder.make(NETWORKS, name=network_name, project_id=project_id)
    return seeder.make(
        SUBNETS, name=name, network_id=network.id, project_id=project_id, ip_version=4, cidr=cidr
    ).id
