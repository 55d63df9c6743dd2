"""Downloads of objects: whole or in part, and under conditions."""

from __future__ import annotations

import json
from dataclasses import replace
from urllib.parse import quote

from calor.localcloud.files import Span, requested_span
from calor.localcloud.objectstore.contents import Content, content_of, show_segments, stream_span
from calor.localcloud.objectstore.headers import Headers, object_headers, read_date
from calor.localcloud.objectstore.policy import Access
from calor.localcloud.objectstore.records import StoredObject
from calor.localcloud.objectstore.routes import OBJECT, StoreCall, StoreRoute
from calor.localcloud.objectstore.service import ObjectStoreService
from calor.localcloud.problems import PreconditionFailed
from calor.localcloud.web import Reply


def read_object(store: ObjectStoreService, visit: StoreCall) -> Reply:
    container = store.need_container(visit.account_id, visit.container)
    thing = store.need(container, visit.thing)
    if thing.is_static_large and visit.call.query.get("multipart-manifest") == "get":
        return _manifest(store, visit, thing)
    content = content_of(store, visit, thing)
    headers = {**object_headers(replace(thing, etag=content.etag)), **_disposition(visit, thing)}
    if _is_unchanged(visit, content, thing):
        return Reply(304, headers=headers)
    span = requested_span(visit.call.headers.get("range"), content.size)
    part = span or Span(0, content.size)
    headers["Content-Length"] = str(part.end - part.start)
    if span:
        headers["Content-Range"] = span.content_range(content.size)
    if visit.call.method == "HEAD":
        return Reply(206 if span else 200, headers=headers)
    return Reply(206 if span else 200, None, headers, stream_span(content, part))


def _manifest(store: ObjectStoreService, visit: StoreCall, thing: StoredObject) -> Reply:
    body = json.dumps(show_segments(store, thing)).encode()
    headers = {**object_headers(thing), "Content-Type": "application/json; charset=utf-8"}
    if visit.call.method == "HEAD":
        return Reply(200, headers={**headers, "Content-Length": str(len(body))})
    return Reply(200, None, headers, body)


def _is_unchanged(visit: StoreCall, content: Content, thing: StoredObject) -> bool:
    """Whether the client has it already; refused where it wants another than this."""
    given = visit.call.headers
    wanted, known = given.get("if-match"), given.get("if-none-match")
    if wanted is not None and not _matches(wanted, content.etag):
        raise PreconditionFailed("A precondition for this request was not met.")
    before = read_date(given.get("if-unmodified-since"))
    if before is not None and int(thing.changed_at) > before:
        raise PreconditionFailed("A precondition for this request was not met.")
    if known is not None:
        return _matches(known, content.etag)
    since = read_date(given.get("if-modified-since"))
    return since is not None and thing.changed_at <= since


def _matches(written: str, etag: str) -> bool:
    tags = {tag.strip().strip('"') for tag in written.split(",")}
    return "*" in tags or etag in tags


def _disposition(visit: StoreCall, thing: StoredObject) -> Headers:
    """The Content-Disposition: objects at signed URLs are attachments, unless the URL has another parameter."""
    if not visit.is_signed:
        return {}
    query = visit.call.query
    kind = "inline" if "inline" in query else "attachment"
    if kind == "inline" and "filename" not in query:
        return {"Content-Disposition": kind}
    name = query.get("filename") or thing.name.rstrip("/").rpartition("/")[2]
    plain = name.encode("ascii", "replace").decode().replace('"', "%22")
    return {"Content-Disposition": f"{kind}; filename=\"{plain}\"; filename*=UTF-8''{quote(name)}"}


ROUTES = (
    StoreRoute("GET", OBJECT, read_object, Access.READ),
    StoreRoute("HEAD", OBJECT, read_object, Access.READ),
)
