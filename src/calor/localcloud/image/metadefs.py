"""Definitions of metadata: namespaces, and what is in each of them.

A namespace is for its owner unless it is public. What can be in it is kept with it: properties, objects and tags by
their names, and the types of resources that it is for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from calor.localcloud.image.lists import STYLE, list_body
from calor.localcloud.image.records import Namespace
from calor.localcloud.image.service import ImageService
from calor.localcloud.lists import by_id
from calor.localcloud.policy import admins, readers
from calor.localcloud.problems import Conflict, Forbidden, NotFound
from calor.localcloud.requests import Reader, boolean, listing, mapping, nullable, one_of, shape, text
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.types import Json
from calor.localcloud.web import NO_CONTENT, Call, Reply

_NAME = text(80, shortest=1)
_STYLE = replace(
    STYLE,
    unknown_marker=lambda marker: NotFound(f"Metadata definition namespace not found for {marker}."),
)
_DESCRIBED: dict[str, Reader[object]] = {
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
    page = _STYLE.page(call, found, by_id)
    shown = [{**_show(call, each), **_of_types(each)} for each in page.items]
    return Reply(body=list_body(call, "namespaces", shown, page.next_marker, "metadefs/namespaces"))


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
    """With the prefix of property names for a resource type, if one is given."""
    found = _namespace(service, call)
    association = found.resource_types.get(call.query.get("resource_type", ""), {})
    return Reply(body=_whole(call, _with_prefix(found, association.get("prefix") or "")))


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
    """The resource types of all namespaces."""
    seen: dict[str, Json] = {}
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


def _object_name(given: Json) -> str:
    return str(_NAME(given.get("name"), "objects.name"))


def _associations(namespace: Namespace) -> Iterator[Json]:
    for one in namespace.resource_types.values():
        yield {key: value for key, value in one.items() if value is not None}


def _with_prefix(namespace: Namespace, prefix: str) -> Namespace:
    def names(properties: Mapping[str, object]) -> Json:
        return {f"{prefix}{name}": each for name, each in properties.items()}

    def one(given: Mapping[str, Any]) -> Json:
        required = [f"{prefix}{name}" for name in given.get("required") or ()]
        changed = {**given, "properties": names(given.get("properties") or {}), "required": required}
        return {key: changed[key] for key in given}

    objects = {name: one(each) for name, each in namespace.objects.items()}
    return replace(namespace, properties=names(namespace.properties), objects=objects)


def _show(call: Call, namespace: Namespace) -> Json:
    """What is not known is left out: clients hold the answer against the schema."""
    shown = {
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
    return {name: value for name, value in shown.items() if value is not None}


def _whole(call: Call, namespace: Namespace) -> Json:
    """A namespace with its content; empty parts are omitted."""
    parts: Json = {
        "properties": dict(namespace.properties),
        "objects": list(namespace.objects.values()),
        "tags": [{"name": name} for name in namespace.tags],
        **_of_types(namespace),
    }
    return {**_show(call, namespace), **{name: part for name, part in parts.items() if part}}


def _of_types(namespace: Namespace) -> Json:
    found = list(_associations(namespace))
    return {"resource_type_associations": found} if found else {}


_ALL = "/v2/metadefs/namespaces"
ONE = f"{_ALL}/{{namespace}}"

ROUTES = (
    ServiceRoute("GET", _ALL, list_namespaces, readers),
    ServiceRoute("POST", _ALL, create_namespace, admins),
    ServiceRoute("GET", ONE, get_namespace, readers),
    ServiceRoute("PUT", ONE, update_namespace, admins),
    ServiceRoute("DELETE", ONE, delete_namespace, admins),
    ServiceRoute("GET", "/v2/metadefs/resource_types", list_resource_types, readers),
    ServiceRoute("GET", f"{ONE}/resource_types", list_associations, readers),
    ServiceRoute("POST", f"{ONE}/resource_types", associate, admins),
    ServiceRoute("DELETE", f"{ONE}/resource_types/{{name}}", dissociate, admins),
)
