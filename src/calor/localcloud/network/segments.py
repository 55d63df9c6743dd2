"""Segments of networks; for admins."""

from __future__ import annotations

from calor.localcloud.network import requests
from calor.localcloud.network.kinds import Attribute, Given, Kind
from calor.localcloud.network.provider import TYPES, choose_segment
from calor.localcloud.network.records import Records, Segment
from calor.localcloud.network.resources import Resource, find_by, routes_of
from calor.localcloud.network.service import NetworkService
from calor.localcloud.network.viewer import Viewer
from calor.localcloud.policy import admins
from calor.localcloud.problems import Conflict
from calor.localcloud.requests import nullable, one_of, text
from calor.localcloud.store import Collection

KIND = Kind(
    "segment",
    "segments",
    "Segment",
    (
        Attribute("name", nullable(requests.name)),
        Attribute("description", nullable(requests.description)),
        Attribute("network_id", requests.uuid, fixed=True, required=True),
        Attribute("network_type", one_of(*TYPES), fixed=True, required=True),
        Attribute("physical_network", nullable(text(64)), fixed=True),
        Attribute("segmentation_id", nullable(requests.whole(1, 2**32 - 1)), fixed=True),
    ),
)


def create_segment(networking: NetworkService, viewer: Viewer, given: Given) -> Segment:
    network = viewer.need_network(given["network_id"])
    place = choose_segment(
        networking.records,
        given["network_type"],
        given.get("physical_network"),
        given.get("segmentation_id"),
    )
    given["description"] = given.get("description") or ""
    segment = networking.new_record(Segment, {**given, **place}, project_id=network.project_id)
    return networking.records.segments.add(segment)


def update_segment(networking: NetworkService, viewer: Viewer, segment: Segment, given: Given) -> Segment:
    if "description" in given:
        given["description"] = given["description"] or ""
    return networking.save(networking.records.segments, segment, **given)


def delete_segment(networking: NetworkService, viewer: Viewer, segment: Segment) -> None:
    records = networking.records
    if records.subnets.count(segment_id=segment.id):
        raise Conflict(f"Segment {segment.id} is in use by subnets.", "SegmentInUse")
    if len(records.segments.find(network_id=segment.network_id)) == 1:
        raise Conflict(f"Segment {segment.id} is the only one of its network.", "SegmentInUse")
    records.segments.remove(segment.id)


def _documents(records: Records) -> Collection[Segment]:
    return records.segments


SEGMENTS: Resource[Segment] = Resource(
    KIND,
    "/v2.0/segments",
    _documents,
    create=create_segment,
    update=update_segment,
    delete=delete_segment,
    lookups={"network_id": find_by(_documents, "network_id")},
    rule=admins,
)

ROUTES = routes_of(SEGMENTS)
