"""Provider attributes of networks, which are those of their segments."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from calor.localcloud.network import requests
from calor.localcloud.network.kinds import Attribute
from calor.localcloud.network.problems import invalid
from calor.localcloud.network.records import Network, Records, Segment
from calor.localcloud.network.service import NetworkService
from calor.localcloud.problems import Conflict
from calor.localcloud.requests import nullable, one_of, text
from calor.localcloud.types import Json

TYPES = ("flat", "vlan", "vxlan", "gre", "geneve", "local")
DEFAULT_TYPE = "vxlan"
_NUMBERS = {"vlan": 4094, "vxlan": 2**24 - 1, "gre": 2**32 - 1, "geneve": 2**24 - 1}
_PHYSICAL = ("flat", "vlan")

PROVIDER = (
    Attribute(
        "provider:network_type", nullable(one_of(*TYPES)), admins=True, hidden=True, field="network_type"
    ),
    Attribute(
        "provider:physical_network", nullable(text(64)), admins=True, hidden=True, field="physical_network"
    ),
    Attribute(
        "provider:segmentation_id",
        nullable(requests.whole(1, 2**32 - 1)),
        admins=True,
        hidden=True,
        field="segmentation_id",
    ),
)


def add_segment(networking: NetworkService, network: Network, provider: Mapping[str, Any]) -> Segment:
    kind = provider["network_type"] or DEFAULT_TYPE
    if not provider["network_type"] and any(provider.values()):
        raise invalid("provider:network_type is required with other provider attributes.")
    place = choose_segment(
        networking.records, kind, provider["physical_network"], provider["segmentation_id"]
    )
    segment = networking.new_record(
        Segment, {}, project_id=network.project_id, network_id=network.id, network_type=kind, **place
    )
    return networking.records.segments.add(segment)


def choose_segment(records: Records, kind: str, physical: str | None, number: int | None) -> Json:
    """The physical network and segmentation id of a new segment: as requested, or free ones."""
    if (physical is None) == (kind in _PHYSICAL):
        raise invalid(f"physical_network {'is required' if kind in _PHYSICAL else 'prohibited'} for {kind}.")
    if kind not in _NUMBERS:
        if number is not None:
            raise invalid(f"segmentation_id prohibited for {kind}.")
        taken = kind == "flat" and any(
            each.physical_network == physical
            for each in records.segments.find(network_type=kind, segmentation_id=None)
        )
        if taken:
            raise Conflict(
                f"The physical network {physical} is in use by a flat network.", "FlatNetworkInUse"
            )
        return {"physical_network": physical, "segmentation_id": None}
    if number is not None and number > _NUMBERS[kind]:
        raise invalid(f"segmentation_id must not be more than {_NUMBERS[kind]} for {kind}.")
    if number is not None and _is_taken(records, kind, physical, number):
        raise Conflict(f"The segmentation id {number} of {kind} is in use.", "TunnelIdInUse")
    while number is None:
        candidate = 1 + secrets.randbelow(_NUMBERS[kind])
        number = None if _is_taken(records, kind, physical, candidate) else candidate
    return {"physical_network": physical, "segmentation_id": number}


def _is_taken(records: Records, kind: str, physical: str | None, number: int) -> bool:
    found = records.segments.find_in("segmentation_id", [number], network_type=kind)
    return any(each.physical_network == physical for each in found)


def provider_of(records: Records, network_ids: Sequence[str]) -> Mapping[str, Mapping[str, object]]:
    """The provider attributes of networks, by id: those of their first segment."""
    found: dict[str, Mapping[str, object]] = {}
    for segment in records.segments.find_in("network_id", network_ids):
        found.setdefault(
            segment.network_id,
            {
                "provider:network_type": segment.network_type,
                "provider:physical_network": segment.physical_network,
                "provider:segmentation_id": segment.segmentation_id,
            },
        )
    return found
