"""Objects as they are written, changed and deleted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

from calor.localcloud.files import receive
from calor.localcloud.objectstore.access import Need
from calor.localcloud.objectstore.contents import segments_in
from calor.localcloud.objectstore.copying import copied, copy_object
from calor.localcloud.objectstore.headers import KEPT_WITH_OBJECTS
from calor.localcloud.objectstore.large import large_etag, manifest_of, read_segments
from calor.localcloud.objectstore.records import Container, Thing
from calor.localcloud.objectstore.routing import OBJECT, StoreRoute, Visit
from calor.localcloud.objectstore.state import ObjectStore
from calor.localcloud.objectstore.versions import remove_keeping_versions
from calor.localcloud.objectstore.writing import (
    created_reply,
    delete_at_in,
    described,
    keep_new,
    manifest_in,
    object_metadata,
)
from calor.localcloud.problems import BadRequest, LengthRequired, PreconditionFailed, TooLarge, Unprocessable
from calor.localcloud.web import NO_CONTENT, Call, Reply

LARGEST = 5 << 30
_LARGEST_MANIFEST = 8 << 20


async def put_object(store: ObjectStore, visit: Visit) -> Reply:
    call = visit.call
    container = store.need_container(visit.account_id, visit.container)
    if call.headers.get("if-none-match") == "*" and store.find(container, visit.thing):
        raise PreconditionFailed("A precondition for this request was not met.")
    if "x-copy-from" in call.headers:
        source = unquote(call.headers["x-copy-from"])
        return await copied(store, visit, source, container, visit.thing)
    if "content-length" not in call.headers and "transfer-encoding" not in call.headers:
        raise LengthRequired("Missing Content-Length header.")
    if call.query.get("multipart-manifest") == "put":
        thing = await _static_large(store, visit, container)
    else:
        thing = await _written(store, visit, container)
    keep_new(store, container, thing)
    return created_reply(thing)


async def _written(store: ObjectStore, visit: Visit, container: Container) -> Thing:
    call = visit.call
    file = store.new_file()
    limit = _room(store, container, visit.thing)

    def check(size: int) -> None:
        if size > limit:
            raise TooLarge("Your request is too large.")

    check(int(call.headers.get("content-length", "0")))
    new = described(store, visit, container, visit.thing, file)
    summary = await receive(call.stream, store.file_of(file), check)
    _check_etag(call, summary.md5, store.file_of(file))
    return replace(new, size=summary.size, etag=summary.md5)


async def _static_large(store: ObjectStore, visit: Visit, container: Container) -> Thing:
    if visit.is_signed:
        raise BadRequest("A manifest is not allowed with a signed URL.")
    raw = bytearray()
    async for piece in visit.call.stream:
        raw += piece
        if len(raw) > _LARGEST_MANIFEST:
            raise TooLarge("The manifest is too large.")
    segments = read_segments(store, visit, bytes(raw))
    file = store.new_file()
    new = described(store, visit, container, visit.thing, file)
    etag = large_etag(segments)
    wanted = visit.call.headers.get("etag", "").strip('"')
    if wanted and wanted != etag:
        raise Unprocessable("Unable to process the contained instructions")
    store.file_of(file).parent.mkdir(parents=True, exist_ok=True)
    store.file_of(file).write_bytes(manifest_of(segments))
    size = sum(segment.size for segment in segments)
    return replace(new, size=size, etag=etag, is_static_large=True)


def _check_etag(call: Call, etag: str, file: Path) -> None:
    wanted = call.headers.get("etag", "").strip('"').lower()
    if wanted and wanted != etag:
        file.unlink(missing_ok=True)
        raise Unprocessable("Unable to process the contained instructions")


def _room(store: ObjectStore, container: Container, name: str) -> int:
    """How large the object may become."""
    before = store.find(container, name)
    quotas = container.metadata
    if quotas.get("quota-count") and not before and container.object_count >= int(quotas["quota-count"]):
        raise TooLarge("Upload exceeds quota.")
    if not quotas.get("quota-bytes"):
        return LARGEST
    free = int(quotas["quota-bytes"]) - container.bytes_used + (before.size if before else 0)
    return min(LARGEST, free)


def update_object(store: ObjectStore, visit: Visit) -> Reply:
    """All metadata is replaced by what is given now."""
    call = visit.call
    container = store.need_container(visit.account_id, visit.container)
    thing = store.need(container, visit.thing)
    changed = replace(
        thing,
        metadata=object_metadata(call),
        headers={header: call.headers[header] for header in KEPT_WITH_OBJECTS if call.headers.get(header)},
        content_type=call.headers.get("content-type") or thing.content_type,
        delete_at=delete_at_in(store, call),
        manifest=manifest_in(store, visit),
        changed_at=store.now(),
    )
    store.put(container, changed)
    return Reply(202)


def delete_object(store: ObjectStore, visit: Visit) -> Reply:
    container = store.need_container(visit.account_id, visit.container)
    thing = store.need(container, visit.thing)
    if thing.is_static_large and visit.call.query.get("multipart-manifest") == "delete":
        _delete_segments(store, visit, thing)
    remove_keeping_versions(store, container, thing)
    return NO_CONTENT


def _delete_segments(store: ObjectStore, visit: Visit, thing: Thing) -> None:
    """All of them, or none if one is in a container that the visitor may not write to."""
    places = [segment.path.lstrip("/").partition("/") for segment in segments_in(store, thing)]
    holders = {name: store.find_container(visit.account_id, name) for name, _, _ in places}
    for holder in holders.values():
        visit.visitor.check(Need.WRITE, holder)
    for name, _, inner in places:
        holder = holders[name]
        part = store.find(holder, inner) if holder else None
        if holder is not None and part is not None:
            store.remove(holder, part)


ROUTES = (
    StoreRoute("PUT", OBJECT, put_object, Need.WRITE, streams=True),
    StoreRoute("POST", OBJECT, update_object, Need.WRITE),
    StoreRoute("COPY", OBJECT, copy_object, Need.OWN),
    StoreRoute("DELETE", OBJECT, delete_object, Need.WRITE),
)
