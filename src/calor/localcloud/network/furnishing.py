"""What the network service of a new cloud begins with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from calor.localcloud.caller import Caller
from calor.localcloud.network.documents import Furnished
from calor.localcloud.network.networks import NETWORKS
from calor.localcloud.network.resources import D, Resource, made_of
from calor.localcloud.network.router_interfaces import add_interface
from calor.localcloud.network.routers import ROUTERS
from calor.localcloud.network.state import Networking
from calor.localcloud.network.subnets import SUBNETS
from calor.localcloud.network.viewer import Viewer

_DONE = "network"


@dataclass(frozen=True)
class _Furnisher:
    networking: Networking
    viewer: Viewer

    def make(self, resource: Resource[D], **body: Any) -> D:
        return made_of(
            resource, self.networking, self.viewer, resource.kind.read_new(self.viewer.caller, body)
        )


def furnish_networks(
    networking: Networking, external_cidr: str, admin_project: str, demo_project: str
) -> None:
    """The external network, and two networks of the project `demo`; once: what is removed later stays away."""
    records = networking.records
    if records.furnished.get(_DONE):
        return
    with networking.change():
        admin = Caller("", "", "admin", "default", project_id=admin_project, roles=frozenset(("admin",)))
        furnisher = _Furnisher(networking, Viewer(records, admin))
        public = furnisher.make(NETWORKS, name="public", is_default=True, **{"router:external": True})
        furnisher.make(
            SUBNETS,
            name="public-subnet",
            network_id=public.id,
            ip_version=4,
            cidr=external_cidr,
            enable_dhcp=False,
        )
        subnets = [
            _subnet(furnisher, demo_project, "heat-net", "heat-subnet", "10.0.0.0/24"),
            _subnet(furnisher, demo_project, "test-net", "test-subnet", "10.0.1.0/24"),
        ]
        router = furnisher.make(
            ROUTERS,
            name="heat-router",
            project_id=demo_project,
            external_gateway_info={"network_id": public.id},
        )
        add_interface(networking, furnisher.viewer, router, {"subnet_id": subnets[0]})
        records.furnished.add(Furnished(_DONE))


def _subnet(furnisher: _Furnisher, project_id: str, network_name: str, name: str, cidr: str) -> str:
    network = furnisher.make(NETWORKS, name=network_name, project_id=project_id)
    return furnisher.make(
        SUBNETS, name=name, network_id=network.id, project_id=project_id, ip_version=4, cidr=cidr
    ).id
