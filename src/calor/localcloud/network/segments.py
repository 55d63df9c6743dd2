"""Segments of networks; for admins."""

from __future__ import annotations

from calor.localcloud.network import readers
from calor.localcloud.network.documents import Segment
from calor.localcloud.network.kinds import Attribute, Given, Kind
from calor.localcloud.network.provider import TYPES, settled_place
from calor.localcloud.network.records import Records
from calor.localcloud.network.resources import Resource, admins, found_by, routes_of
from calor.localcloud.network.state import Networking
from calor.localcloud.network.viewer import Viewer
from calor.localcloud.problems import Conflict
from calor.localcloud.reading import nullable, one_of, text
from calor.localcloud.store import Collection

KIND = Kind(
    "segment",
    "segments",
    "Segment",
    (
        Attribute("name", nullable(readers.name)),
        Attribute("description", nullable(readers.description)),
        Attribute("network_id", readers.uuid, fixed=True, required=True),
        Attribute("network_type", one_of(*TYPES), fixed=True, required=True),
        Attribute("physical_network", nullable(text(64)), fixed=True),
        Attribute("segmentation_id", nullable(readers.whole(1, 2**32 - 1)), fixed=True),
    ),
)


def create_segment(networking: Networking, viewer: Viewer, given: Given) -> Segment:
    network = viewer.need_network(given["network_id"])
    place = settled_place(
        networking.records,
        given["network_type"],
        given.get("physical_network"),
        given.get("segmentation_id"),
    )
    given["description"] = given.get("description") or ""
    segment = networking.made(Segment, {**given, **place}, project_id=network.project_id)
    return networking.records.segments.add(segment)


def update_segment(networking: Networking, viewer: Viewer, segment: Segment, given: Given) -> Segment:
    if "description" in given:
        given["description"] = given["description"] or ""
    return networking.keep(networking.records.segments, segment, **given)


def delete_segment(networking: Networking, viewer: Viewer, segment: Segment) -> None:
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
    lookups={"network_id": found_by(_documents, "network_id")},
    rule=admins,
)

ROUTES = routes_of(SEGMENTS)
