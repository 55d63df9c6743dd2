"""Accounts: what a project has in the store."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from calor.localcloud.objectstore.access import Need
from calor.localcloud.objectstore.headers import account_headers, iso_date, merged, metadata_in
from calor.localcloud.objectstore.listings import (
    Range,
    Subdirectory,
    Written,
    listed,
    listing_reply,
    window_of,
)
from calor.localcloud.objectstore.records import Container
from calor.localcloud.objectstore.routing import ACCOUNT, StoreRoute, Visit
from calor.localcloud.objectstore.state import ObjectStore
from calor.localcloud.objectstore.versions import remove_keeping_versions
from calor.localcloud.web import NO_CONTENT, Reply

_MOST_AT_ONCE = 10_000


def list_containers(store: ObjectStore, visit: Visit) -> Reply:
    def fetch(names: Range) -> list[Container]:
        return store.records.containers.in_order(
            "name",
            names.limit,
            start=names.start,
            end=names.end,
            descending=names.descending,
            account_id=visit.account_id,
        )

    rows = [_row(each) for each in listed(fetch, window_of(visit.call))]
    headers = account_headers(store.account(visit.account_id), visit.is_owner)
    return listing_reply(
        visit.call, rows, Written("account", visit.call.path["account"], "container"), headers
    )


def _row(entry: Container | Subdirectory) -> dict[str, Any]:
    if isinstance(entry, Subdirectory):
        return {"subdir": entry.name}
    return {
        "name": entry.name,
        "count": entry.object_count,
        "bytes": entry.bytes_used,
        "last_modified": iso_date(entry.created_at),
    }


def show_account(store: ObjectStore, visit: Visit) -> Reply:
    return Reply(204, headers=account_headers(store.account(visit.account_id), visit.is_owner))


def update_account(store: ObjectStore, visit: Visit) -> Reply:
    if "bulk-delete" in visit.call.query:
        return delete_many(store, visit)
    account = store.account(visit.account_id)
    changes = metadata_in(visit.call.headers, "account")
    store.records.accounts.put(replace(account, metadata=merged(account.metadata, changes)))
    return NO_CONTENT


def delete_many(store: ObjectStore, visit: Visit) -> Reply:
    """Objects and empty containers, each on a line of the body."""
    lines = [unquote(line.strip()) for line in visit.call.raw.decode("utf-8", "replace").splitlines()]
    paths = [line.lstrip("/") for line in lines if line]
    deleted = missing = 0
    errors: list[list[str]] = []
    if len(paths) > _MOST_AT_ONCE:
        errors.append(["", f"413 Request Entity Too Large: at most {_MOST_AT_ONCE}"])
        paths = []
    for path in paths:
        outcome = _delete_one(store, visit.account_id, path)
        deleted += outcome == "deleted"
        missing += outcome == "missing"
        if outcome == "conflict":
            errors.append([path, "409 Conflict"])
    told = {
        "Number Deleted": deleted,
        "Number Not Found": missing,
        "Errors": errors,
        "Response Status": "400 Bad Request" if errors else "200 OK",
        "Response Body": "",
    }
    return Reply(200, None, {"Content-Type": "application/json"}, json.dumps(told).encode())


def _delete_one(store: ObjectStore, account_id: str, path: str) -> str:
    name, slash, inner = path.partition("/")
    container = store.find_container(account_id, name)
    if container is None:
        return "missing"
    if slash and inner:
        thing = store.find(container, inner)
        if thing is None:
            return "missing"
        remove_keeping_versions(store, container, thing)
        return "deleted"
    if container.object_count:
        return "conflict"
    store.remove_container(container)
    return "deleted"


ROUTES = (
    StoreRoute("GET", ACCOUNT, list_containers, Need.OWN),
    StoreRoute("HEAD", ACCOUNT, show_account, Need.OWN),
    StoreRoute("POST", ACCOUNT, update_account, Need.OWN),
    StoreRoute("GET", f"{ACCOUNT}/", list_containers, Need.OWN),
    StoreRoute("HEAD", f"{ACCOUNT}/", show_account, Need.OWN),
    StoreRoute("POST", f"{ACCOUNT}/", update_account, Need.OWN),
)
