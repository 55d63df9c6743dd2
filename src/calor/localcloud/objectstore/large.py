"""Static large objects: manifests that list segments."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict

from calor.localcloud.files import requested_span
from calor.localcloud.objectstore.contents import combined_etag
from calor.localcloud.objectstore.policy import Access
from calor.localcloud.objectstore.records import Segment
from calor.localcloud.objectstore.routes import StoreCall
from calor.localcloud.objectstore.service import ObjectStoreService
from calor.localcloud.problems import BadRequest, RangeNotSatisfiable
from calor.localcloud.requests import mapping, parse_json

_MOST_SEGMENTS = 1000


def read_segments(store: ObjectStoreService, visit: StoreCall, raw: bytes) -> list[Segment]:
    """The segments in a manifest, if they match it and the requester may read them."""
    body = parse_json(raw)
    if not isinstance(body, list) or not 1 <= len(body) <= _MOST_SEGMENTS:
        raise BadRequest(f"Manifest must be a list of 1 to {_MOST_SEGMENTS} segments.")
    return [_segment(store, visit, mapping(entry, "A segment")) for entry in body]


def _segment(store: ObjectStoreService, visit: StoreCall, entry: Mapping[str, object]) -> Segment:
    path = entry.get("path")
    if not isinstance(path, str) or path.strip("/").count("/") < 1:
        raise BadRequest("Each segment must have a path of the form /container/object.")
    container_name, _, name = path.lstrip("/").partition("/")
    container = store.find_container(visit.account_id, container_name)
    if not visit.requester.may(Access.READ, container):
        raise BadRequest(f"{path}, 403 Forbidden")
    found = store.find(container, name) if container else None
    if found is None:
        raise BadRequest(f"{path}, 404 Not Found")
    if entry.get("etag") not in (None, found.etag):
        raise BadRequest(f"{path}, Etag Mismatch")
    if entry.get("size_bytes") not in (None, found.size):
        raise BadRequest(f"{path}, Size Mismatch")
    if not entry.get("range"):
        return Segment(path, found.etag, found.size)
    try:
        span = requested_span(f"bytes={entry['range']}", found.size)
    except RangeNotSatisfiable:
        span = None
    if span is None:
        raise BadRequest(f"{path}, Invalid Range")
    return Segment(path, found.etag, span.end - span.start, span.start, span.end)


def manifest_of(segments: list[Segment]) -> bytes:
    return json.dumps([asdict(segment) for segment in segments]).encode()


def large_etag(segments: list[Segment]) -> str:
    return combined_etag(
        segment.etag if segment.end is None else f"{segment.etag}:{segment.start}-{segment.end - 1};"
        for segment in segments
    )
