"""Tags of all kinds of objects."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from calor.localcloud.network import requests
from calor.localcloud.network.policy import usual_rule
from calor.localcloud.network.problems import missing
from calor.localcloud.network.resources import Resource
from calor.localcloud.network.service import NetworkService
from calor.localcloud.network.viewer import Viewer
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.web import NO_CONTENT, Call, Reply


def list_tags(resource: Resource[Any], networking: NetworkService, call: Call) -> Reply:
    document = resource.need(Viewer(networking.records, call.caller), call.path["id"])
    return Reply(body={"tags": document.tags})


def set_tags(resource: Resource[Any], networking: NetworkService, call: Call) -> Reply:
    wanted = call.read_in("tags", requests.tags)
    return Reply(body={"tags": _save(resource, networking, _own(resource, networking, call), wanted)})


def add_tags(resource: Resource[Any], networking: NetworkService, call: Call) -> Reply:
    document = _own(resource, networking, call)
    more = call.read_in("tags", requests.tags)
    return Reply(201, {"tags": _save(resource, networking, document, (*document.tags, *more))})


def clear_tags(resource: Resource[Any], networking: NetworkService, call: Call) -> Reply:
    _save(resource, networking, _own(resource, networking, call), ())
    return NO_CONTENT


def check_tag(resource: Resource[Any], networking: NetworkService, call: Call) -> Reply:
    document = resource.need(Viewer(networking.records, call.caller), call.path["id"])
    _check_has(document, call.path["tag"])
    return NO_CONTENT


def add_tag(resource: Resource[Any], networking: NetworkService, call: Call) -> Reply:
    document = _own(resource, networking, call)
    tag = requests.tag(call.path["tag"], "The tag")
    if tag not in document.tags:
        _save(resource, networking, document, (*document.tags, tag))
    return Reply(201)


def remove_tag(resource: Resource[Any], networking: NetworkService, call: Call) -> Reply:
    document = _own(resource, networking, call)
    _check_has(document, call.path["tag"])
    _save(resource, networking, document, tuple(tag for tag in document.tags if tag != call.path["tag"]))
    return NO_CONTENT


def _own(resource: Resource[Any], networking: NetworkService, call: Call) -> Any:
    return resource.need_own(Viewer(networking.records, call.caller), call.path["id"], "tag")


def _save(
    resource: Resource[Any], networking: NetworkService, document: Any, tags: tuple[str, ...]
) -> tuple[str, ...]:
    tags = requests.tags(list(tags), "tags")
    with networking.change():
        networking.save(resource.documents(networking.records), document, tags=tags)
    return tags


def _check_has(document: Any, tag: str) -> None:
    if tag not in document.tags:
        raise missing("Tag", tag)


def tag_routes(resources: Iterable[tuple[str, Resource[Any]]]) -> tuple[ServiceRoute[NetworkService], ...]:
    """For each path below which a kind is found."""
    return tuple(
        ServiceRoute(method, f"{path}/{{id}}/tags{rest}", partial(handler, resource), usual_rule(method))
        for path, resource in resources
        for method, rest, handler in (
            ("GET", "", list_tags),
            ("PUT", "", set_tags),
            ("POST", "", add_tags),
            ("DELETE", "", clear_tags),
            ("GET", "/{tag}", check_tag),
            ("PUT", "/{tag}", add_tag),
            ("DELETE", "/{tag}", remove_tag),
        )
    )
