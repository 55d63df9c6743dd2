"""What an object consists of: the parts of files that are sent one after the other."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from calor.localcloud.files import Span, pieces
from calor.localcloud.objectstore.policy import Access
from calor.localcloud.objectstore.records import Segment, StoredObject
from calor.localcloud.objectstore.routes import StoreCall
from calor.localcloud.objectstore.service import ObjectStoreService
from calor.localcloud.problems import Conflict
from calor.localcloud.types import Json

_LAST = "\U0010ffff"
_MOST_SEGMENTS = 10_000


@dataclass(frozen=True)
class Part:
    """The bytes of a file from `start` up to but without `end`."""

    file: Path
    start: int
    end: int


@dataclass(frozen=True)
class Content:
    parts: tuple[Part, ...]
    size: int
    etag: str


def content_of(store: ObjectStoreService, visit: StoreCall, thing: StoredObject) -> Content:
    """The content of an object, if the requester may read all its segments, which may have other owners."""
    if thing.manifest:
        return _dynamic(store, visit, thing.manifest)
    if thing.is_static_large:
        return _static(store, visit, thing)
    return Content((Part(store.file_of(thing.file), 0, thing.size),), thing.size, thing.etag)


def _dynamic(store: ObjectStoreService, visit: StoreCall, manifest: str) -> Content:
    """All objects whose names begin with the prefix, in order."""
    name, _, prefix = unquote(manifest).partition("/")
    container = store.find_container(visit.account_id, name)
    visit.requester.check(Access.LIST, container)
    segments = (
        store.records.things.in_order(
            "name", _MOST_SEGMENTS, start=prefix, end=prefix + _LAST, container_id=container.id
        )
        if container
        else []
    )
    parts = tuple(Part(store.file_of(each.file), 0, each.size) for each in segments)
    return Content(parts, sum(each.size for each in segments), combined_etag(each.etag for each in segments))


def _static(store: ObjectStoreService, visit: StoreCall, thing: StoredObject) -> Content:
    parts = []
    for segment in segments_in(store, thing):
        container_name, _, name = segment.path.lstrip("/").partition("/")
        container = store.find_container(visit.account_id, container_name)
        visit.requester.check(Access.READ, container)
        found = store.find(container, name) if container else None
        if found is None or found.etag != segment.etag:
            raise Conflict(f"A segment is missing or has changed: {segment.path}")
        parts.append(Part(store.file_of(found.file), segment.start, segment.end or found.size))
    return Content(tuple(parts), thing.size, thing.etag)


def segments_in(store: ObjectStoreService, thing: StoredObject) -> list[Segment]:
    return [Segment(**entry) for entry in json.loads(store.file_of(thing.file).read_bytes())]


def show_segments(store: ObjectStoreService, thing: StoredObject) -> list[Json]:
    """The list of segments as the API shows it."""
    shown = []
    for segment in segments_in(store, thing):
        entry: Json = {"name": segment.path, "hash": segment.etag, "bytes": segment.size}
        if segment.end is not None:
            entry["range"] = f"{segment.start}-{segment.end - 1}"
        shown.append(entry)
    return shown


def combined_etag(etags: Any) -> str:
    return hashlib.md5("".join(etags).encode(), usedforsecurity=False).hexdigest()


def stream_span(content: Content, span: Span) -> AsyncIterator[bytes]:
    """The bytes of a span, wherever they lie. A single file is opened at once, in case it is removed meanwhile."""
    chosen = _within(content.parts, span)
    if len(chosen) == 1:
        return pieces(chosen[0].file, chosen[0].start, chosen[0].end)
    return _one_after_the_other(chosen)


async def _one_after_the_other(parts: Sequence[Part]) -> AsyncIterator[bytes]:
    for part in parts:
        async for piece in pieces(part.file, part.start, part.end):
            yield piece


def _within(parts: Sequence[Part], span: Span) -> list[Part]:
    chosen, passed = [], 0
    for part in parts:
        size = part.end - part.start
        first, last = max(span.start - passed, 0), min(span.end - passed, size)
        if first < last:
            chosen.append(Part(part.file, part.start + first, part.start + last))
        passed += size
    return chosen
