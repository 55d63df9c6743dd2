"""Definitions of metadata: namespaces, and what is in each of them.

A namespace is for its owner unless it is public. What can be in it is kept with it: properties, objects and tags by
their names, and the types of resources that it is for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import quote, urlencode

from calor.localcloud.image.records import Namespace
from calor.localcloud.image.rules import admins, readers
from calor.localcloud.image.state import ImageService
from calor.localcloud.ordering import after_marker
from calor.localcloud.problems import BadRequest, Conflict, Forbidden, NotFound
from calor.localcloud.reading import Reader, boolean, listing, mapping, nullable, one_of, shape, text
from calor.localcloud.routes import RouteOf
from calor.localcloud.web import NO_CONTENT, Call, Reply

_NAME = text(80, shortest=1)
_LARGEST_PAGE = 1000
_DESCRIBED: dict[str, Reader] = {
    "display_name": nullable(text(80)),
    "description": nullable(text(500)),
    "visibility": one_of("public", "private"),
    "protected": boolean,
    "owner": nullable(text(255)),
}
_TAG = shape({"name": _NAME})
_ASSOCIATION = shape({"name": _NAME}, {"prefix": nullable(text(80)), "properties_target": nullable(text(80))})
_NEW = shape(
    {"namespace": _NAME},
    {
        **_DESCRIBED,
        "properties": mapping,
        "objects": listing(mapping),
        "tags": listing(_TAG),
        "resource_type_associations": listing(_ASSOCIATION),
    },
)
_CHANGE = shape({"namespace": _NAME}, _DESCRIBED)


def list_namespaces(service: ImageService, call: Call) -> Reply:
    found = [each for each in service.records.namespaces.find() if _may_see(call, each)]
    if visibility := call.query.get("visibility"):
        found = [each for each in found if each.visibility == visibility]
    if wanted := call.query.get("resource_types"):
        names = set(wanted.split(","))
        found = [each for each in found if names & each.resource_types.keys()]
    found.sort(key=lambda each: each.id, reverse=call.query.get("sort_dir") == "asc")
    found.sort(key=lambda each: each.created_at, reverse=call.query.get("sort_dir", "desc") == "desc")
    items = after_marker(found, call.query.get("marker"), lambda each: each.id)
    if items is None:
        raise NotFound(f"Metadata definition namespace not found for {call.query['marker'][:255]}.")
    page = items[: _limit(call)]
    shown = [_show(call, each) for each in page]
    if wanted:
        for each, one in zip(page, shown, strict=True):
            one["resource_type_associations"] = list(_associations(each))
    body: dict[str, Any] = {
        "namespaces": shown,
        "first": _link(call, None),
        "schema": "/v2/schemas/metadefs/namespaces",
    }
    if len(items) > len(page) > 0:
        body["next"] = _link(call, page[-1].id)
    return Reply(body=body)


def create_namespace(service: ImageService, call: Call) -> Reply:
    given = call.read(_NEW)
    if service.records.namespaces.get(given["namespace"]) is not None:
        raise Conflict(f"Metadata definition namespace {given['namespace']} already exists.")
    now = service.stamp()
    made = Namespace(
        id=given["namespace"],
        owner=given.get("owner") or call.caller.project_id,
        created_at=now,
        updated_at=now,
        **{
            name: given[name]
            for name in ("display_name", "description", "visibility", "protected")
            if given.get(name) is not None
        },
        properties=dict(given.get("properties") or {}),
        objects={_object_name(each): each for each in given.get("objects") or ()},
        tags=tuple(each["name"] for each in given.get("tags") or ()),
        resource_types={
            each["name"]: {**each, "created_at": now, "updated_at": now}
            for each in given.get("resource_type_associations") or ()
        },
    )
    return Reply(201, _whole(call, service.records.namespaces.add(made)))


def get_namespace(service: ImageService, call: Call) -> Reply:
    return Reply(body=_whole(call, _namespace(service, call)))


def update_namespace(service: ImageService, call: Call) -> Reply:
    found, given = _namespace(service, call), call.read(_CHANGE)
    if given["namespace"] != found.id and service.records.namespaces.get(given["namespace"]):
        raise Conflict(f"Metadata definition namespace {given['namespace']} already exists.")
    changes = {name: value for name, value in given.items() if name != "namespace" and value is not None}
    changed = replace(found, id=given["namespace"], updated_at=service.stamp(), **changes)
    with service.records.store.transaction():
        service.records.namespaces.remove(found.id)
        service.records.namespaces.add(changed)
    return Reply(body=_show(call, changed))


def delete_namespace(service: ImageService, call: Call) -> Reply:
    found = _namespace(service, call)
    if found.protected:
        raise Forbidden(f"Metadata definition namespace {found.id} is protected and cannot be deleted.")
    service.records.namespaces.remove(found.id)
    return NO_CONTENT


def list_resource_types(service: ImageService, call: Call) -> Reply:
    """All that namespaces are for."""
    seen: dict[str, dict[str, Any]] = {}
    for namespace in service.records.namespaces.find():
        if _may_see(call, namespace):
            for one in _associations(namespace):
                seen.setdefault(one["name"], {key: one[key] for key in ("name", "created_at", "updated_at")})
    return Reply(body={"resource_types": list(seen.values())})


def list_associations(service: ImageService, call: Call) -> Reply:
    return Reply(body={"resource_type_associations": list(_associations(_namespace(service, call)))})


def associate(service: ImageService, call: Call) -> Reply:
    found, given, now = _namespace(service, call), call.read(_ASSOCIATION), service.stamp()
    if given["name"] in found.resource_types:
        raise Conflict(f"The resource type {given['name']} is already associated with {found.id}.")
    made = {**given, "created_at": now, "updated_at": now}
    keep(service, replace(found, resource_types={**found.resource_types, given["name"]: made}))
    return Reply(201, made)


def dissociate(service: ImageService, call: Call) -> Reply:
    found, name = _namespace(service, call), call.path["name"]
    if name not in found.resource_types:
        raise NotFound(f"The resource type {name[:255]} is not associated with {found.id}.")
    left = {key: value for key, value in found.resource_types.items() if key != name}
    keep(service, replace(found, resource_types=left))
    return NO_CONTENT


def need_namespace(service: ImageService, call: Call) -> Namespace:
    return _namespace(service, call)


def keep(service: ImageService, namespace: Namespace) -> Namespace:
    return service.records.namespaces.put(replace(namespace, updated_at=service.stamp()))


def _namespace(service: ImageService, call: Call) -> Namespace:
    name = call.path["namespace"]
    found = service.records.namespaces.get(name)
    if found is None or not _may_see(call, found):
        raise NotFound(f"Metadata definition namespace not found: {name[:255]}")
    return found


def _may_see(call: Call, namespace: Namespace) -> bool:
    own = namespace.owner is not None and namespace.owner == call.caller.project_id
    return call.caller.is_admin or own or namespace.visibility == "public"


def _limit(call: Call) -> int:
    written = call.query.get("limit", "25")
    if not written.isdecimal() or len(written) > 9:
        raise BadRequest("limit must be a whole number that is not negative.")
    return min(int(written), _LARGEST_PAGE)


def _link(call: Call, marker: str | None) -> str:
    parameters = [(name, value) for name, value in call.parameters if name != "marker"]
    parameters += [("marker", marker)] if marker is not None else []
    return "/v2/metadefs/namespaces" + (f"?{urlencode(parameters)}" if parameters else "")


def _object_name(given: dict[str, Any]) -> str:
    return str(_NAME(given.get("name"), "objects.name"))


def _associations(namespace: Namespace) -> Iterator[dict[str, Any]]:
    for one in namespace.resource_types.values():
        yield dict(one)


def _show(call: Call, namespace: Namespace) -> dict[str, Any]:
    return {
        "namespace": namespace.id,
        "display_name": namespace.display_name,
        "description": namespace.description,
        "visibility": namespace.visibility,
        "protected": namespace.protected,
        "owner": namespace.owner,
        "created_at": namespace.created_at,
        "updated_at": namespace.updated_at,
        "self": f"/v2/metadefs/namespaces/{quote(namespace.id, safe='')}",
        "schema": "/v2/schemas/metadefs/namespace",
    }


def _whole(call: Call, namespace: Namespace) -> dict[str, Any]:
    """A namespace with what is in it; what there is nothing of is left out."""
    parts: dict[str, Any] = {
        "properties": dict(namespace.properties),
        "objects": list(namespace.objects.values()),
        "tags": [{"name": name} for name in namespace.tags],
        "resource_type_associations": list(_associations(namespace)),
    }
    return {**_show(call, namespace), **{name: part for name, part in parts.items() if part}}


_ALL = "/v2/metadefs/namespaces"
ONE = f"{_ALL}/{{namespace}}"

ROUTES = (
    RouteOf("GET", _ALL, list_namespaces, readers),
    RouteOf("POST", _ALL, create_namespace, admins),
    RouteOf("GET", ONE, get_namespace, readers),
    RouteOf("PUT", ONE, update_namespace, admins),
    RouteOf("DELETE", ONE, delete_namespace, admins),
    RouteOf("GET", "/v2/metadefs/resource_types", list_resource_types, readers),
    RouteOf("GET", f"{ONE}/resource_types", list_associations, readers),
    RouteOf("POST", f"{ONE}/resource_types", associate, admins),
    RouteOf("DELETE", f"{ONE}/resource_types/{{name}}", dissociate, admins),
)
