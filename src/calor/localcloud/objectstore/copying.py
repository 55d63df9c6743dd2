"""Objects made from others."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import unquote

from calor.localcloud.files import Span, receive
from calor.localcloud.objectstore.contents import content_of, stream_span
from calor.localcloud.objectstore.headers import check_metadata, http_date
from calor.localcloud.objectstore.records import Container, StoredObject
from calor.localcloud.objectstore.routes import StoreCall
from calor.localcloud.objectstore.service import ObjectStoreService
from calor.localcloud.objectstore.writing import created_reply, new_object, room_for, store_object
from calor.localcloud.problems import Forbidden, PreconditionFailed, TooLarge
from calor.localcloud.web import Reply


async def copy_object(store: ObjectStoreService, visit: StoreCall) -> Reply:
    destination = unquote(visit.call.headers.get("destination", ""))
    target, slash, name = destination.lstrip("/").partition("/")
    if not slash or not name:
        raise PreconditionFailed("Destination header must be of the form <container name>/<object name>")
    _check_account(visit, visit.call.headers.get("destination-account"))
    container = store.need_container(visit.account_id, target)
    return await copy_data(store, visit, f"{visit.container}/{visit.thing}", container, name)


async def copy_data(
    store: ObjectStoreService, visit: StoreCall, source_path: str, container: Container, name: str
) -> Reply:
    """An object with the data of another, and with its metadata where no other is given."""
    call = visit.call
    source_container, slash, source_name = source_path.lstrip("/").partition("/")
    if not slash or not source_name:
        raise PreconditionFailed("X-Copy-From header must be of the form <container name>/<object name>")
    _check_account(visit, call.headers.get("x-copy-from-account"))
    if not visit.is_owner:
        raise Forbidden("Only owners of the account can copy objects.")
    origin = store.need_container(visit.account_id, source_container)
    source = store.need(origin, source_name)
    fresh = call.headers.get("x-fresh-metadata", "").lower() in ("true", "1", "yes", "on", "t", "y")
    new = new_object(store, visit, container, name, "")
    as_manifest = call.query.get("multipart-manifest") == "get"
    data = await _data_of(store, visit, source, as_manifest, room_for(store, container, name))
    thing = replace(
        data,
        id=new.id,
        container_id=new.container_id,
        name=new.name,
        changed_at=new.changed_at,
        content_type=call.headers.get("content-type") or source.content_type,
        metadata=check_metadata({**({} if fresh else source.metadata), **new.metadata}),
        headers={**({} if fresh else source.headers), **new.headers},
        delete_at=new.delete_at if new.delete_at is not None or fresh else source.delete_at,
    )
    store_object(store, container, thing)
    more = {
        **{f"X-Object-Meta-{name.title()}": value for name, value in thing.metadata.items()},
        "X-Copied-From": source_path.lstrip("/"),
        "X-Copied-From-Account": call.path["account"],
        "X-Copied-From-Last-Modified": http_date(source.changed_at),
    }
    return created_reply(thing, **more)


async def _data_of(
    store: ObjectStoreService, visit: StoreCall, source: StoredObject, as_manifest: bool, limit: int
) -> StoredObject:
    """A copy of the source, with at most `limit` bytes. A large object becomes a plain one, unless its manifest is
    requested."""
    if as_manifest or not (source.manifest or source.is_static_large):
        if not as_manifest and source.size > limit:
            raise TooLarge("Upload exceeds quota.")
        return replace(source, file=store.linked_file(source.file))
    content = content_of(store, visit, source)
    # A manifest may name the same segments many times.
    if content.size > limit:
        raise TooLarge("Upload exceeds quota.")
    file = store.new_file()
    summary = await receive(stream_span(content, Span(0, content.size)), store.file_of(file))
    return replace(
        source, file=file, size=summary.size, etag=summary.md5, manifest=None, is_static_large=False
    )


def _check_account(visit: StoreCall, other: str | None) -> None:
    if other is not None and other != visit.call.path["account"]:
        raise Forbidden("Objects can be copied within an account only.")
