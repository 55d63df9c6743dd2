"""IP availability of networks; for admins."""

from __future__ import annotations

from collections.abc import Sequence

from calor.localcloud.network.addresses import to_number
from calor.localcloud.network.lists import filters_of, list_reply
from calor.localcloud.network.networks import NETWORKS
from calor.localcloud.network.records import Network, Records, Subnet
from calor.localcloud.network.service import NetworkService
from calor.localcloud.network.viewer import Viewer
from calor.localcloud.policy import admins
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.types import Json
from calor.localcloud.web import Call, Reply

_FILTERS = ("network_id", "network_name", "project_id", "ip_version")


def list_availabilities(networking: NetworkService, call: Call) -> Reply:
    records = networking.records
    filters = filters_of(call, _FILTERS)
    versions = filters.pop("ip_version", [])
    networks = records.networks.find()
    by_network: dict[str, list[Subnet]] = {network.id: [] for network in networks}
    for subnet in records.subnets.find():
        if not versions or str(subnet.ip_version) in versions:
            by_network[subnet.network_id].append(subnet)
    shown = [_show(records, network, by_network[network.id]) for network in networks]
    return list_reply(call, "network_ip_availabilities", shown, filters)


def get_availability(networking: NetworkService, call: Call) -> Reply:
    network = NETWORKS.need(Viewer(networking.records, call.caller), call.path["id"])
    subnets = networking.records.subnets.find(network_id=network.id)
    return Reply(body={"network_ip_availability": _show(networking.records, network, subnets)})


def _show(records: Records, network: Network, subnets: Sequence[Subnet]) -> Json:
    shown = [
        {
            "subnet_id": subnet.id,
            "subnet_name": subnet.name,
            "cidr": subnet.cidr,
            "ip_version": subnet.ip_version,
            "total_ips": _total(subnet),
            "used_ips": records.allocations.count(subnet_id=subnet.id),
        }
        for subnet in subnets
    ]
    return {
        "network_id": network.id,
        "network_name": network.name,
        "project_id": network.project_id,
        "tenant_id": network.project_id,
        "total_ips": sum(_total(subnet) for subnet in subnets),
        "used_ips": sum(int(str(each["used_ips"])) for each in shown),
        "subnet_ip_availability": shown,
    }


def _total(subnet: Subnet) -> int:
    return sum(to_number(pool["end"]) - to_number(pool["start"]) + 1 for pool in subnet.allocation_pools)


ROUTES = (
    ServiceRoute("GET", "/v2.0/network-ip-availabilities", list_availabilities, admins),
    ServiceRoute("GET", "/v2.0/network-ip-availabilities/{id}", get_availability, admins),
)
