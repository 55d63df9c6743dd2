"""Earlier versions of objects, archived in another container.

With X-Versions-Location, deleting an object restores the previous version. With X-History-Location, the object is
archived too, with a delete marker.
"""

from __future__ import annotations

import hashlib

from calor.localcloud.objectstore.headers import stamp
from calor.localcloud.objectstore.records import Container, StoredObject, object_key
from calor.localcloud.objectstore.service import ObjectStoreService
from calor.localcloud.problems import PreconditionFailed

_DELETED = "application/x-deleted;swift_versions_deleted=1"
_NOTHING = hashlib.md5(b"", usedforsecurity=False).hexdigest()


def keep_version(store: ObjectStoreService, container: Container, name: str) -> None:
    """Archives the object that is about to be replaced, if the container keeps versions."""
    archive = _archive(store, container)
    thing = store.find(container, name) if archive else None
    # A manifest is only a note where the data is.
    if archive is not None and thing is not None and not thing.manifest:
        store.move(container, thing, archive, _version_name(name, thing.changed_at))


def remove_keeping_versions(store: ObjectStoreService, container: Container, thing: StoredObject) -> None:
    """Deletes an object, with what the container wants to become of its versions."""
    archive = _archive(store, container)
    if archive is None:
        store.remove(container, thing)
    elif container.settings.get("x-history-location"):
        store.move(container, thing, archive, _version_name(thing.name, thing.changed_at))
        _mark_deleted(store, archive, thing.name)
    else:
        store.remove(container, thing)
        last = store.records.things.in_order(
            "name",
            1,
            start=_version_prefix(thing.name),
            end=_version_prefix(thing.name) + "\U0010ffff",
            descending=True,
            container_id=archive.id,
        )
        for version in last:
            store.move(archive, version, container, thing.name)


def _archive(store: ObjectStoreService, container: Container) -> Container | None:
    location = container.settings.get("x-versions-location") or container.settings.get("x-history-location")
    if not location:
        return None
    archive = store.find_container(container.account_id, location)
    if archive is None:
        raise PreconditionFailed("The versions container does not exist")
    return archive


def _mark_deleted(store: ObjectStoreService, archive: Container, name: str) -> None:
    now = store.now()
    marker = _version_name(name, now)
    file = store.new_file()
    store.file_of(file).parent.mkdir(parents=True, exist_ok=True)
    store.file_of(file).touch()
    store.put(
        archive,
        StoredObject(
            id=object_key(archive, marker),
            container_id=archive.id,
            name=marker,
            file=file,
            size=0,
            etag=_NOTHING,
            content_type=_DELETED,
            changed_at=now,
        ),
    )


def _version_prefix(name: str) -> str:
    return f"{len(name.encode()):03x}{name}/"


def _version_name(name: str, moment: float) -> str:
    return _version_prefix(name) + stamp(moment)
