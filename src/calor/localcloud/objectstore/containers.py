"""Containers."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import unquote

from calor.localcloud.objectstore.headers import (
    container_headers,
    iso_date,
    merge_metadata,
    read_metadata,
    read_settings,
)
from calor.localcloud.objectstore.lists import (
    ListFormat,
    Range,
    Subdirectory,
    list_rows,
    listing_reply,
    read_list_query,
)
from calor.localcloud.objectstore.policy import Access
from calor.localcloud.objectstore.records import Container, StoredObject
from calor.localcloud.objectstore.routes import CONTAINER, StoreCall, StoreRoute, check_container_name
from calor.localcloud.objectstore.service import ObjectStoreService
from calor.localcloud.problems import BadRequest, Conflict
from calor.localcloud.types import Json
from calor.localcloud.web import NO_CONTENT, Reply


def put_container(store: ObjectStoreService, visit: StoreCall) -> Reply:
    """Makes a container, or changes one."""
    before = store.find_container(visit.account_id, visit.container)
    with store.records.store.transaction():
        container = before or store.add_container(visit.account_id, visit.container)
        _change(store, container, visit)
    return Reply(202 if before else 201)


def update_container(store: ObjectStoreService, visit: StoreCall) -> Reply:
    _change(store, store.need_container(visit.account_id, visit.container), visit)
    return NO_CONTENT


def _change(store: ObjectStoreService, container: Container, visit: StoreCall) -> None:
    settings = read_settings(visit.call.headers)
    for name in ("x-versions-location", "x-history-location"):
        if settings.get(name):
            settings[name] = unquote(settings[name]).strip("/")
            check_container_name(settings[name])
    _check_acl(settings)
    metadata = read_metadata(visit.call.headers, "container")
    for name in ("quota-bytes", "quota-count"):
        if metadata.get(name) and not metadata[name].isdecimal():
            raise BadRequest(f"Invalid {name.replace('-', ' ')}.")
    store.records.containers.put(
        replace(
            container,
            settings={name: value for name, value in {**container.settings, **settings}.items() if value},
            metadata=merge_metadata(container.metadata, metadata),
            changed_at=store.now(),
        )
    )


def _check_acl(settings: dict[str, str]) -> None:
    for entry in settings.get("x-container-write", "").split(","):
        if entry.strip().startswith(".r"):
            raise BadRequest("Referrers are not allowed in write ACLs.")
    for entry in settings.get("x-container-read", "").split(","):
        if entry.strip().startswith(".") and not entry.strip().startswith((".r:", ".ref", ".rlistings")):
            raise BadRequest(f"Unknown designator in an ACL: {entry.strip()[:100]}")


def show_container(store: ObjectStoreService, visit: StoreCall) -> Reply:
    container = store.need_container(visit.account_id, visit.container)
    return Reply(204, headers=container_headers(container, visit.is_owner))


def list_objects(store: ObjectStoreService, visit: StoreCall) -> Reply:
    container = store.need_container(visit.account_id, visit.container)

    def fetch(names: Range) -> list[StoredObject]:
        return store.records.things.in_order(
            "name",
            names.limit,
            start=names.start,
            end=names.end,
            descending=names.descending,
            container_id=container.id,
        )

    found = list_rows(fetch, read_list_query(visit.call))
    rows = [_row(each) for each in found if isinstance(each, Subdirectory) or not store.is_expired(each)]
    headers = container_headers(container, visit.is_owner)
    return listing_reply(visit.call, rows, ListFormat("container", container.name, "object"), headers)


def _row(entry: StoredObject | Subdirectory) -> Json:
    if isinstance(entry, Subdirectory):
        return {"subdir": entry.name}
    return {
        "name": entry.name,
        "hash": entry.etag,
        "bytes": entry.size,
        "content_type": entry.content_type,
        "last_modified": iso_date(entry.changed_at),
    }


def delete_container(store: ObjectStoreService, visit: StoreCall) -> Reply:
    container = store.need_container(visit.account_id, visit.container)
    if container.object_count and not _has_only_expired(store, container):
        raise Conflict("There was a conflict when trying to complete your request.")
    store.remove_container(container)
    return NO_CONTENT


def _has_only_expired(store: ObjectStoreService, container: Container) -> bool:
    """Whether there are only expired objects, which are removed."""
    while batch := store.records.things.in_order("name", 100, container_id=container.id):
        for thing in batch:
            if not store.is_expired(thing):
                return False
            store.remove(container, thing)
    return True


def _routes(path: str) -> tuple[StoreRoute, ...]:
    return (
        StoreRoute("PUT", path, put_container, Access.OWN),
        StoreRoute("POST", path, update_container, Access.OWN),
        StoreRoute("HEAD", path, show_container, Access.LIST),
        StoreRoute("GET", path, list_objects, Access.LIST),
        StoreRoute("DELETE", path, delete_container, Access.OWN),
    )


ROUTES = (*_routes(CONTAINER), *_routes(f"{CONTAINER}/"))
