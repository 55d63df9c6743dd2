"""Metadata and tags of servers, one by one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from calor.localcloud.compute.policy import members
from calor.localcloud.compute.preconditions import need_server, require_no_task, require_unlocked
from calor.localcloud.compute.quotas import check_limit
from calor.localcloud.compute.records import Server
from calor.localcloud.compute.requests import items, strict, tag
from calor.localcloud.compute.routes import ComputeRoute
from calor.localcloud.compute.service import ComputeService
from calor.localcloud.policy import readers
from calor.localcloud.problems import BadRequest, NotFound
from calor.localcloud.requests import listing
from calor.localcloud.web import NO_CONTENT, Call, Reply

_MOST_TAGS = 50


def list_items(compute: ComputeService, call: Call) -> Reply:
    return Reply(body={"metadata": need_server(compute, call).metadata})


def add_items(compute: ComputeService, call: Call) -> Reply:
    server, given = _changeable(compute, call), call.read_in("metadata", items)
    return Reply(body={"metadata": _keep_items(compute, server, {**server.metadata, **given})})


def replace_items(compute: ComputeService, call: Call) -> Reply:
    server, given = _changeable(compute, call), call.read_in("metadata", items)
    return Reply(body={"metadata": _keep_items(compute, server, given)})


def get_item(compute: ComputeService, call: Call) -> Reply:
    server = need_server(compute, call)
    return Reply(body={"meta": {call.path["key"]: _need_item(server, call.path["key"])}})


def set_item(compute: ComputeService, call: Call) -> Reply:
    server = _changeable(compute, call)
    given = call.read(strict({"meta": items}))["meta"]
    if list(given) != [call.path["key"]]:
        raise BadRequest("meta must have exactly one member, the key in the path.")
    _keep_items(compute, server, {**server.metadata, **given})
    return Reply(body={"meta": given})


def remove_item(compute: ComputeService, call: Call) -> Reply:
    server, key = _changeable(compute, call), call.path["key"]
    _need_item(server, key)
    _keep_items(compute, server, {name: value for name, value in server.metadata.items() if name != key})
    return NO_CONTENT


def list_tags(compute: ComputeService, call: Call) -> Reply:
    return Reply(body={"tags": need_server(compute, call).tags})


def replace_tags(compute: ComputeService, call: Call) -> Reply:
    server = need_server(compute, call)
    given = call.read(strict({"tags": listing(tag, longest=_MOST_TAGS)}))["tags"]
    return Reply(body={"tags": _keep_tags(compute, server, given)})


def clear_tags(compute: ComputeService, call: Call) -> Reply:
    _keep_tags(compute, need_server(compute, call), ())
    return NO_CONTENT


def check_tag(compute: ComputeService, call: Call) -> Reply:
    _need_tag(need_server(compute, call), call.path["tag"])
    return NO_CONTENT


def add_tag(compute: ComputeService, call: Call) -> Reply:
    server, new = need_server(compute, call), tag(call.path["tag"], "The tag")
    if new in server.tags:
        return NO_CONTENT
    if len(server.tags) >= _MOST_TAGS:
        raise BadRequest(f"A server can have at most {_MOST_TAGS} tags.")
    _keep_tags(compute, server, (*server.tags, new))
    return Reply(201, headers={"Location": call.url})


def remove_tag(compute: ComputeService, call: Call) -> Reply:
    server, old = need_server(compute, call), call.path["tag"]
    _need_tag(server, old)
    _keep_tags(compute, server, (each for each in server.tags if each != old))
    return NO_CONTENT


def _changeable(compute: ComputeService, call: Call) -> Server:
    server = need_server(compute, call)
    require_unlocked(call, server)
    if server.vm_state not in ("active", "paused", "suspended", "stopped"):
        require_no_task(server, "change the metadata of")
    return server


def _need_item(server: Server, key: str) -> str:
    if key not in server.metadata:
        raise NotFound(f"Server {server.id} has no metadata item {key[:255]}.")
    return server.metadata[key]


def _need_tag(server: Server, wanted: str) -> None:
    if wanted not in server.tags:
        raise NotFound(f"Server {server.id} has no tag {wanted[:255]}.")


def _keep_items(compute: ComputeService, server: Server, metadata: Mapping[str, str]) -> Mapping[str, str]:
    check_limit(compute, server.project_id, "metadata_items", len(metadata))
    compute.records.servers.put(replace(server, metadata=metadata, updated=compute.stamp()))
    return metadata


def _keep_tags(compute: ComputeService, server: Server, tags: Iterable[str]) -> tuple[str, ...]:
    kept = tuple(dict.fromkeys(tags))
    compute.records.servers.put(replace(server, tags=kept, updated=compute.stamp()))
    return kept


_METADATA = "/servers/{server_id}/metadata"
_TAGS = "/servers/{server_id}/tags"

ROUTES = (
    ComputeRoute("GET", _METADATA, list_items, readers),
    ComputeRoute("POST", _METADATA, add_items, members),
    ComputeRoute("PUT", _METADATA, replace_items, members),
    ComputeRoute("GET", f"{_METADATA}/{{key}}", get_item, readers),
    ComputeRoute("PUT", f"{_METADATA}/{{key}}", set_item, members),
    ComputeRoute("DELETE", f"{_METADATA}/{{key}}", remove_item, members),
    ComputeRoute("GET", _TAGS, list_tags, readers, since=(2, 26)),
    ComputeRoute("PUT", _TAGS, replace_tags, members, since=(2, 26)),
    ComputeRoute("DELETE", _TAGS, clear_tags, members, since=(2, 26)),
    ComputeRoute("GET", f"{_TAGS}/{{tag}}", check_tag, readers, since=(2, 26)),
    ComputeRoute("PUT", f"{_TAGS}/{{tag}}", add_tag, members, since=(2, 26)),
    ComputeRoute("DELETE", f"{_TAGS}/{{tag}}", remove_tag, members, since=(2, 26)),
)
