"""Shared by all requests that create objects."""

from __future__ import annotations

import mimetypes
from urllib.parse import unquote

from calor.localcloud.files import whole_number
from calor.localcloud.objectstore.headers import KEPT_WITH_OBJECTS, check_metadata, http_date, read_metadata
from calor.localcloud.objectstore.object_versions import keep_version
from calor.localcloud.objectstore.policy import Access
from calor.localcloud.objectstore.records import Container, StoredObject, object_key
from calor.localcloud.objectstore.routes import StoreCall
from calor.localcloud.objectstore.service import ObjectStoreService
from calor.localcloud.problems import BadRequest, TooLarge
from calor.localcloud.web import Call, Reply

LARGEST = 5 << 30
"""Bytes of an object, unless it is a large one made of segments."""


def new_object(
    store: ObjectStoreService, visit: StoreCall, container: Container, name: str, file: str
) -> StoredObject:
    """The object but for its data."""
    call = visit.call
    return StoredObject(
        id=object_key(container, name),
        container_id=container.id,
        name=name,
        file=file,
        size=0,
        etag="",
        content_type=_content_type(call, name),
        changed_at=store.now(),
        metadata=object_metadata(call),
        headers={header: call.headers[header] for header in KEPT_WITH_OBJECTS if call.headers.get(header)},
        delete_at=read_delete_at(store, call),
        manifest=read_manifest_header(store, visit),
    )


def read_manifest_header(store: ObjectStoreService, visit: StoreCall) -> str | None:
    manifest = visit.call.headers.get("x-object-manifest")
    if manifest is None:
        return None
    if visit.is_signed:
        raise BadRequest("X-Object-Manifest is not allowed with a signed URL.")
    if "/" not in unquote(manifest).strip("/") or "?" in manifest:
        raise BadRequest("X-Object-Manifest must be in the format container/prefix")
    visit.requester.check(
        Access.LIST, store.find_container(visit.account_id, unquote(manifest).partition("/")[0])
    )
    return manifest


def _content_type(call: Call, name: str) -> str:
    given = call.headers.get("content-type")
    if given and call.headers.get("x-detect-content-type", "").lower() not in ("true", "1", "yes"):
        return given
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


def object_metadata(call: Call) -> dict[str, str]:
    """The metadata in a request, including empty values: it replaces all metadata of the object."""
    given = read_metadata(call.headers, "object")
    return check_metadata(
        {name: value for name, value in given.items() if f"x-object-meta-{name}" in call.headers}
    )


def read_delete_at(store: ObjectStoreService, call: Call) -> int | None:
    if after := call.headers.get("x-delete-after"):
        return int(store.now()) + whole_number(after, "X-Delete-After")
    if at := call.headers.get("x-delete-at"):
        moment = whole_number(at, "X-Delete-At")
        if moment <= store.now():
            raise BadRequest("X-Delete-At in past")
        return moment
    return None


def store_object(store: ObjectStoreService, container: Container, thing: StoredObject) -> None:
    """Stores the object. If that fails, its data is removed."""
    try:
        # It may have changed, or gone, while the data arrived.
        current = store.need_container(container.account_id, container.name)
        with store.records.store.transaction():
            keep_version(store, current, thing.name)
            store.put(current, thing)
    except BaseException:
        store.file_of(thing.file).unlink(missing_ok=True)
        raise


def created_reply(thing: StoredObject, **more: str) -> Reply:
    headers = {
        "ETag": f'"{thing.etag}"' if thing.is_static_large else thing.etag,
        "Last-Modified": http_date(thing.changed_at),
        **more,
    }
    return Reply(201, headers=headers)


def room_for(store: ObjectStoreService, container: Container, name: str) -> int:
    """How large an object may become. Raises TooLarge if there may be no further one."""
    before = store.find(container, name)
    quotas = container.metadata
    if quotas.get("quota-count") and not before and container.object_count >= int(quotas["quota-count"]):
        raise TooLarge("Upload exceeds quota.")
    if not quotas.get("quota-bytes"):
        return LARGEST
    free = int(quotas["quota-bytes"]) - container.bytes_used + (before.size if before else 0)
    return min(LARGEST, free)
