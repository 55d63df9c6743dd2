"""Objects as they are written, changed and deleted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

from calor.localcloud.files import receive
from calor.localcloud.objectstore.contents import segments_in
from calor.localcloud.objectstore.copying import copy_data, copy_object
from calor.localcloud.objectstore.headers import KEPT_WITH_OBJECTS
from calor.localcloud.objectstore.large import large_etag, manifest_of, read_segments
from calor.localcloud.objectstore.object_versions import remove_keeping_versions
from calor.localcloud.objectstore.policy import Access
from calor.localcloud.objectstore.records import Container, StoredObject
from calor.localcloud.objectstore.routes import OBJECT, StoreCall, StoreRoute
from calor.localcloud.objectstore.service import ObjectStoreService
from calor.localcloud.objectstore.writing import (
    created_reply,
    new_object,
    object_metadata,
    read_delete_at,
    read_manifest_header,
    room_for,
    store_object,
)
from calor.localcloud.problems import BadRequest, LengthRequired, PreconditionFailed, TooLarge, Unprocessable
from calor.localcloud.web import NO_CONTENT, Call, Reply

_LARGEST_MANIFEST = 8 << 20


async def put_object(store: ObjectStoreService, visit: StoreCall) -> Reply:
    call = visit.call
    container = store.need_container(visit.account_id, visit.container)
    if call.headers.get("if-none-match") == "*" and store.find(container, visit.thing):
        raise PreconditionFailed("A precondition for this request was not met.")
    if "x-copy-from" in call.headers:
        source = unquote(call.headers["x-copy-from"])
        return await copy_data(store, visit, source, container, visit.thing)
    if "content-length" not in call.headers and "transfer-encoding" not in call.headers:
        raise LengthRequired("Missing Content-Length header.")
    if call.query.get("multipart-manifest") == "put":
        thing = await _static_large(store, visit, container)
    else:
        thing = await _written(store, visit, container)
    store_object(store, container, thing)
    return created_reply(thing)


async def _written(store: ObjectStoreService, visit: StoreCall, container: Container) -> StoredObject:
    call = visit.call
    file = store.new_file()
    limit = room_for(store, container, visit.thing)

    def check(size: int) -> None:
        if size > limit:
            raise TooLarge("Your request is too large.")

    check(int(call.headers.get("content-length", "0")))
    new = new_object(store, visit, container, visit.thing, file)
    summary = await receive(call.stream, store.file_of(file), check)
    _check_etag(call, summary.md5, store.file_of(file))
    return replace(new, size=summary.size, etag=summary.md5)


async def _static_large(store: ObjectStoreService, visit: StoreCall, container: Container) -> StoredObject:
    if visit.is_signed:
        raise BadRequest("A manifest is not allowed with a signed URL.")
    raw = bytearray()
    async for piece in visit.call.stream:
        raw += piece
        if len(raw) > _LARGEST_MANIFEST:
            raise TooLarge("The manifest is too large.")
    segments = read_segments(store, visit, bytes(raw))
    file = store.new_file()
    new = new_object(store, visit, container, visit.thing, file)
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


def update_object(store: ObjectStoreService, visit: StoreCall) -> Reply:
    """Replaces all metadata."""
    call = visit.call
    container = store.need_container(visit.account_id, visit.container)
    thing = store.need(container, visit.thing)
    changed = replace(
        thing,
        metadata=object_metadata(call),
        headers={header: call.headers[header] for header in KEPT_WITH_OBJECTS if call.headers.get(header)},
        content_type=call.headers.get("content-type") or thing.content_type,
        delete_at=read_delete_at(store, call),
        manifest=read_manifest_header(store, visit),
        changed_at=store.now(),
    )
    store.put(container, changed)
    return Reply(202)


def delete_object(store: ObjectStoreService, visit: StoreCall) -> Reply:
    container = store.need_container(visit.account_id, visit.container)
    thing = store.need(container, visit.thing)
    if thing.is_static_large and visit.call.query.get("multipart-manifest") == "delete":
        _delete_segments(store, visit, thing)
    remove_keeping_versions(store, container, thing)
    return NO_CONTENT


def _delete_segments(store: ObjectStoreService, visit: StoreCall, thing: StoredObject) -> None:
    """All of them, or none if one is in a container that the requester may not write to."""
    places = [segment.path.lstrip("/").partition("/") for segment in segments_in(store, thing)]
    holders = {name: store.find_container(visit.account_id, name) for name, _, _ in places}
    for holder in holders.values():
        visit.requester.check(Access.WRITE, holder)
    for name, _, inner in places:
        holder = holders[name]
        part = store.find(holder, inner) if holder else None
        if holder is not None and part is not None:
            store.remove(holder, part)


ROUTES = (
    StoreRoute("PUT", OBJECT, put_object, Access.WRITE, streams=True),
    StoreRoute("POST", OBJECT, update_object, Access.WRITE),
    StoreRoute("COPY", OBJECT, copy_object, Access.OWN),
    StoreRoute("DELETE", OBJECT, delete_object, Access.WRITE),
)
