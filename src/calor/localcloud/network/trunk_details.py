"""trunk_details of ports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from calor.localcloud.network.records import Port, Records, SubPort, by_id
from calor.localcloud.problems import Conflict
from calor.localcloud.types import Json


def trunk_details(records: Records, port_ids: Sequence[str]) -> Mapping[str, object]:
    """By the id of the parent port, for those that are one."""
    trunks = records.trunks.find_in("port_id", port_ids)
    if not trunks:
        return {}
    sub_ports = sub_ports_of(records, [trunk.id for trunk in trunks])
    macs = by_id(records.ports, {each.id for group in sub_ports.values() for each in group})
    return {
        trunk.port_id: {
            "trunk_id": trunk.id,
            "sub_ports": [
                {**show_sub_port(each), "mac_address": macs[each.id].mac_address}
                for each in sub_ports[trunk.id]
            ],
        }
        for trunk in trunks
    }


def sub_ports_of(records: Records, trunk_ids: Sequence[str]) -> Mapping[str, Sequence[SubPort]]:
    found: dict[str, list[SubPort]] = {id: [] for id in trunk_ids}
    for sub_port in records.sub_ports.find_in("trunk_id", trunk_ids):
        found[sub_port.trunk_id].append(sub_port)
    return found


def show_sub_port(sub_port: SubPort) -> Json:
    return {
        "port_id": sub_port.id,
        "segmentation_type": sub_port.segmentation_type,
        "segmentation_id": sub_port.segmentation_id,
    }


def check_not_in_trunk(records: Records, port: Port) -> None:
    if records.trunks.count(port_id=port.id):
        raise Conflict(f"Port {port.id} is the parent of a trunk.", "PortInUseAsTrunkParent")
    if sub_port := records.sub_ports.get(port.id):
        raise Conflict(f"Port {port.id} is a subport of trunk {sub_port.trunk_id}.", "PortInUseAsSubPort")
