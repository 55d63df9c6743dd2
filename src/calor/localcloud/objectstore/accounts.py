"""Accounts, one for each project."""

from __future__ import annotations

import json
from dataclasses import replace
from urllib.parse import unquote

from calor.localcloud.objectstore.headers import account_headers, iso_date, merge_metadata, read_metadata
from calor.localcloud.objectstore.lists import (
    ListFormat,
    Range,
    Subdirectory,
    list_rows,
    listing_reply,
    read_list_query,
)
from calor.localcloud.objectstore.object_versions import remove_keeping_versions
from calor.localcloud.objectstore.policy import Access
from calor.localcloud.objectstore.records import Container
from calor.localcloud.objectstore.routes import ACCOUNT, StoreCall, StoreRoute
from calor.localcloud.objectstore.service import ObjectStoreService
from calor.localcloud.types import Json
from calor.localcloud.web import NO_CONTENT, Reply

_MOST_AT_ONCE = 10_000


def list_containers(store: ObjectStoreService, visit: StoreCall) -> Reply:
    def fetch(names: Range) -> list[Container]:
        return store.records.containers.in_order(
            "name",
            names.limit,
            start=names.start,
            end=names.end,
            descending=names.descending,
            account_id=visit.account_id,
        )

    rows = [_row(each) for each in list_rows(fetch, read_list_query(visit.call))]
    headers = account_headers(store.account(visit.account_id), visit.is_owner)
    return listing_reply(
        visit.call, rows, ListFormat("account", visit.call.path["account"], "container"), headers
    )


def _row(entry: Container | Subdirectory) -> Json:
    if isinstance(entry, Subdirectory):
        return {"subdir": entry.name}
    return {
        "name": entry.name,
        "count": entry.object_count,
        "bytes": entry.bytes_used,
        "last_modified": iso_date(entry.created_at),
    }


def show_account(store: ObjectStoreService, visit: StoreCall) -> Reply:
    return Reply(204, headers=account_headers(store.account(visit.account_id), visit.is_owner))


def update_account(store: ObjectStoreService, visit: StoreCall) -> Reply:
    if "bulk-delete" in visit.call.query:
        return delete_many(store, visit)
    account = store.account(visit.account_id)
    changes = read_metadata(visit.call.headers, "account")
    store.records.accounts.put(replace(account, metadata=merge_metadata(account.metadata, changes)))
    return NO_CONTENT


def delete_many(store: ObjectStoreService, visit: StoreCall) -> Reply:
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
    result = {
        "Number Deleted": deleted,
        "Number Not Found": missing,
        "Errors": errors,
        "Response Status": "400 Bad Request" if errors else "200 OK",
        "Response Body": "",
    }
    return Reply(200, None, {"Content-Type": "application/json"}, json.dumps(result).encode())


def _delete_one(store: ObjectStoreService, account_id: str, path: str) -> str:
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
    StoreRoute("GET", ACCOUNT, list_containers, Access.OWN),
    StoreRoute("HEAD", ACCOUNT, show_account, Access.OWN),
    StoreRoute("POST", ACCOUNT, update_account, Access.OWN),
    StoreRoute("GET", f"{ACCOUNT}/", list_containers, Access.OWN),
    StoreRoute("HEAD", f"{ACCOUNT}/", show_account, Access.OWN),
    StoreRoute("POST", f"{ACCOUNT}/", update_account, Access.OWN),
)
