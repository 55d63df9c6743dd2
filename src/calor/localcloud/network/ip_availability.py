"""How many addresses networks have, and how many are taken; for admins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from calor.localcloud.network.addresses import as_number
from calor.localcloud.network.documents import Network, Subnet
from calor.localcloud.network.listing import filters_of, list_reply
from calor.localcloud.network.networks import NETWORKS
from calor.localcloud.network.records import Records
from calor.localcloud.network.resources import NetworkRoute, admins
from calor.localcloud.network.state import Networking
from calor.localcloud.network.viewer import Viewer
from calor.localcloud.web import Call, Reply

_FILTERS = ("network_id", "network_name", "project_id", "ip_version")


def list_availabilities(networking: Networking, call: Call) -> Reply:
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


def get_availability(networking: Networking, call: Call) -> Reply:
    network = NETWORKS.need(Viewer(networking.records, call.caller), call.path["id"])
    subnets = networking.records.subnets.find(network_id=network.id)
    return Reply(body={"network_ip_availability": _show(networking.records, network, subnets)})


def _show(records: Records, network: Network, subnets: Sequence[Subnet]) -> dict[str, Any]:
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
    return sum(as_number(pool["end"]) - as_number(pool["start"]) + 1 for pool in subnet.allocation_pools)


ROUTES = (
    NetworkRoute("GET", "/v2.0/network-ip-availabilities", list_availabilities, admins),
    NetworkRoute("GET", "/v2.0/network-ip-availabilities/{id}", get_availability, admins),
)
