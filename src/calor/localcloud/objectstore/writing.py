"""What all ways to write an object have in common."""

from __future__ import annotations

import mimetypes
from urllib.parse import unquote

from calor.localcloud.files import whole_number
from calor.localcloud.objectstore.access import Need
from calor.localcloud.objectstore.headers import KEPT_WITH_OBJECTS, checked, http_date, metadata_in
from calor.localcloud.objectstore.records import Container, Thing, thing_key
from calor.localcloud.objectstore.routing import Visit
from calor.localcloud.objectstore.state import ObjectStore
from calor.localcloud.objectstore.versions import keep_version
from calor.localcloud.problems import BadRequest
from calor.localcloud.web import Call, Reply


def described(store: ObjectStore, visit: Visit, container: Container, name: str, file: str) -> Thing:
    """The object but for its data."""
    call = visit.call
    return Thing(
        id=thing_key(container, name),
        container_id=container.id,
        name=name,
        file=file,
        size=0,
        etag="",
        content_type=_content_type(call, name),
        changed_at=store.now(),
        metadata=object_metadata(call),
        headers={header: call.headers[header] for header in KEPT_WITH_OBJECTS if call.headers.get(header)},
        delete_at=delete_at_in(store, call),
        manifest=manifest_in(store, visit),
    )


def manifest_in(store: ObjectStore, visit: Visit) -> str | None:
    manifest = visit.call.headers.get("x-object-manifest")
    if manifest is None:
        return None
    if visit.is_signed:
        raise BadRequest("X-Object-Manifest is not allowed with a signed URL.")
    if "/" not in unquote(manifest).strip("/") or "?" in manifest:
        raise BadRequest("X-Object-Manifest must be in the format container/prefix")
    visit.visitor.check(
        Need.LIST, store.find_container(visit.account_id, unquote(manifest).partition("/")[0])
    )
    return manifest


def _content_type(call: Call, name: str) -> str:
    given = call.headers.get("content-type")
    if given and call.headers.get("x-detect-content-type", "").lower() not in ("true", "1", "yes"):
        return given
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


def object_metadata(call: Call) -> dict[str, str]:
    """As it is given, what is empty included: an object's metadata is always replaced as a whole."""
    given = metadata_in(call.headers, "object")
    return checked({name: value for name, value in given.items() if f"x-object-meta-{name}" in call.headers})


def delete_at_in(store: ObjectStore, call: Call) -> int | None:
    if after := call.headers.get("x-delete-after"):
        return int(store.now()) + whole_number(after, "X-Delete-After")
    if at := call.headers.get("x-delete-at"):
        moment = whole_number(at, "X-Delete-At")
        if moment <= store.now():
            raise BadRequest("X-Delete-At in past")
        return moment
    return None


def keep_new(store: ObjectStore, container: Container, thing: Thing) -> None:
    """Puts the object in its place. Where that cannot be, nothing of it is left."""
    try:
        # It may have changed, or gone, while the data arrived.
        current = store.need_container(container.account_id, container.name)
        with store.records.store.transaction():
            keep_version(store, current, thing.name)
            store.put(current, thing)
    except BaseException:
        store.file_of(thing.file).unlink(missing_ok=True)
        raise


def created_reply(thing: Thing, **more: str) -> Reply:
    headers = {
        "ETag": f'"{thing.etag}"' if thing.is_static_large else thing.etag,
        "Last-Modified": http_date(thing.changed_at),
        **more,
    }
    return Reply(201, headers=headers)
