"""Containers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from calor.localcloud.objectstore.access import Need
from calor.localcloud.objectstore.headers import (
    container_headers,
    iso_date,
    merged,
    metadata_in,
    settings_in,
)
from calor.localcloud.objectstore.listings import (
    Range,
    Subdirectory,
    Written,
    listed,
    listing_reply,
    window_of,
)
from calor.localcloud.objectstore.records import Container, Thing
from calor.localcloud.objectstore.routing import CONTAINER, StoreRoute, Visit, check_container_name
from calor.localcloud.objectstore.state import ObjectStore
from calor.localcloud.problems import BadRequest, Conflict
from calor.localcloud.web import NO_CONTENT, Reply


def put_container(store: ObjectStore, visit: Visit) -> Reply:
    """Makes a container, or changes one."""
    before = store.find_container(visit.account_id, visit.container)
    with store.records.store.transaction():
        container = before or store.add_container(visit.account_id, visit.container)
        _change(store, container, visit)
    return Reply(202 if before else 201)


def update_container(store: ObjectStore, visit: Visit) -> Reply:
    _change(store, store.need_container(visit.account_id, visit.container), visit)
    return NO_CONTENT


def _change(store: ObjectStore, container: Container, visit: Visit) -> None:
    settings = settings_in(visit.call.headers)
    for name in ("x-versions-location", "x-history-location"):
        if settings.get(name):
            settings[name] = unquote(settings[name]).strip("/")
            check_container_name(settings[name])
    _check_acl(settings)
    metadata = metadata_in(visit.call.headers, "container")
    for name in ("quota-bytes", "quota-count"):
        if metadata.get(name) and not metadata[name].isdecimal():
            raise BadRequest(f"Invalid {name.replace('-', ' ')}.")
    store.records.containers.put(
        replace(
            container,
            settings={name: value for name, value in {**container.settings, **settings}.items() if value},
            metadata=merged(container.metadata, metadata),
            changed_at=store.now(),
        )
    )


def _check_acl(settings: dict[str, str]) -> None:
    for entry in settings.get("x-container-write", "").split(","):
        if entry.strip().startswith(".r"):
            raise BadRequest("Referrers are not allowed in the list of who may write.")
    for entry in settings.get("x-container-read", "").split(","):
        if entry.strip().startswith(".") and not entry.strip().startswith((".r:", ".ref", ".rlistings")):
            raise BadRequest(f"Unknown designator in an access list: {entry.strip()[:100]}")


def show_container(store: ObjectStore, visit: Visit) -> Reply:
    container = store.need_container(visit.account_id, visit.container)
    return Reply(204, headers=container_headers(container, visit.is_owner))


def list_objects(store: ObjectStore, visit: Visit) -> Reply:
    container = store.need_container(visit.account_id, visit.container)

    def fetch(names: Range) -> list[Thing]:
        return store.records.things.in_order(
            "name",
            names.limit,
            start=names.start,
            end=names.end,
            descending=names.descending,
            container_id=container.id,
        )

    found = listed(fetch, window_of(visit.call))
    rows = [_row(each) for each in found if isinstance(each, Subdirectory) or not store.is_over(each)]
    headers = container_headers(container, visit.is_owner)
    return listing_reply(visit.call, rows, Written("container", container.name, "object"), headers)


def _row(entry: Thing | Subdirectory) -> dict[str, Any]:
    if isinstance(entry, Subdirectory):
        return {"subdir": entry.name}
    return {
        "name": entry.name,
        "hash": entry.etag,
        "bytes": entry.size,
        "content_type": entry.content_type,
        "last_modified": iso_date(entry.changed_at),
    }


def delete_container(store: ObjectStore, visit: Visit) -> Reply:
    container = store.need_container(visit.account_id, visit.container)
    if container.object_count and not _all_over(store, container):
        raise Conflict("There was a conflict when trying to complete your request.")
    store.remove_container(container)
    return NO_CONTENT


def _all_over(store: ObjectStore, container: Container) -> bool:
    """Whether nothing is left but objects past their end, which go now."""
    while batch := store.records.things.in_order("name", 100, container_id=container.id):
        for thing in batch:
            if not store.is_over(thing):
                return False
            store.remove(container, thing)
    return True


def _routes(path: str) -> tuple[StoreRoute, ...]:
    return (
        StoreRoute("PUT", path, put_container, Need.OWN),
        StoreRoute("POST", path, update_container, Need.OWN),
        StoreRoute("HEAD", path, show_container, Need.LIST),
        StoreRoute("GET", path, list_objects, Need.LIST),
        StoreRoute("DELETE", path, delete_container, Need.OWN),
    )


ROUTES = (*_routes(CONTAINER), *_routes(f"{CONTAINER}/"))
