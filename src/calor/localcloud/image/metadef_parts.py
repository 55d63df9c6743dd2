"""What is in a namespace of metadata: properties, objects and tags."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from calor.localcloud.image.metadefs import ONE, keep, need_namespace
from calor.localcloud.image.records import Namespace
from calor.localcloud.image.rules import admins, readers
from calor.localcloud.image.state import ImageService
from calor.localcloud.problems import Conflict, NotFound
from calor.localcloud.reading import listing, mapping, shape, text
from calor.localcloud.routes import RouteOf
from calor.localcloud.web import NO_CONTENT, Call, Reply

_NAME = text(80, shortest=1)
_TAGS = shape({"tags": listing(shape({"name": _NAME}))})


class Parts:
    """Properties or objects, which have names and are otherwise as clients write them."""

    def __init__(self, plural: Literal["properties", "objects"], schema: str) -> None:
        self._plural = plural
        self._schema = f"/v2/schemas/metadefs/{schema}"

    def routes(self) -> tuple[RouteOf[ImageService], ...]:
        all_, one = f"{ONE}/{self._plural}", f"{ONE}/{self._plural}/{{name}}"
        return (
            RouteOf("GET", all_, self.list, readers),
            RouteOf("POST", all_, self.add, admins),
            RouteOf("DELETE", all_, self.clear, admins),
            RouteOf("GET", one, self.get, readers),
            RouteOf("PUT", one, self.change, admins),
            RouteOf("DELETE", one, self.remove, admins),
        )

    def list(self, service: ImageService, call: Call) -> Reply:
        found = self._of(need_namespace(service, call))
        if self._plural == "properties":
            return Reply(body={"properties": found})
        shown = [self._shown(one) for one in found.values()]
        return Reply(body={"objects": shown, "schema": f"{self._schema}s"})

    def add(self, service: ImageService, call: Call) -> Reply:
        namespace, given = need_namespace(service, call), self._read(call)
        if given["name"] in self._of(namespace):
            raise Conflict(f"{given['name']} is already in the namespace {namespace.id}.")
        return Reply(201, self._shown(self._put(service, namespace, given)))

    def get(self, service: ImageService, call: Call) -> Reply:
        return Reply(body=self._shown(self._one(need_namespace(service, call), call)))

    def change(self, service: ImageService, call: Call) -> Reply:
        namespace, given = need_namespace(service, call), self._read(call)
        self._one(namespace, call)
        left = {key: one for key, one in self._of(namespace).items() if key != call.path["name"]}
        return Reply(body=self._shown(self._put(service, self._with(namespace, left), given)))

    def remove(self, service: ImageService, call: Call) -> Reply:
        namespace = need_namespace(service, call)
        self._one(namespace, call)
        left = {key: one for key, one in self._of(namespace).items() if key != call.path["name"]}
        keep(service, self._with(namespace, left))
        return NO_CONTENT

    def clear(self, service: ImageService, call: Call) -> Reply:
        keep(service, self._with(need_namespace(service, call), {}))
        return NO_CONTENT

    def _of(self, namespace: Namespace) -> dict[str, Any]:
        return dict(namespace.properties if self._plural == "properties" else namespace.objects)

    def _with(self, namespace: Namespace, parts: dict[str, Any]) -> Namespace:
        if self._plural == "properties":
            return replace(namespace, properties=parts)
        return replace(namespace, objects=parts)

    def _read(self, call: Call) -> dict[str, Any]:
        given = dict(call.read(mapping))
        return {**given, "name": _NAME(given.get("name"), "name")}

    def _put(self, service: ImageService, namespace: Namespace, given: dict[str, Any]) -> dict[str, Any]:
        # A property of a namespace is found by its name, and does not have it.
        kept = {key: value for key, value in given.items() if key not in ("schema", "self")}
        if self._plural == "properties":
            kept = {key: value for key, value in kept.items() if key != "name"}
        keep(service, self._with(namespace, {**self._of(namespace), given["name"]: kept}))
        return {**kept, "name": given["name"]}

    def _one(self, namespace: Namespace, call: Call) -> dict[str, Any]:
        name = call.path["name"]
        found = self._of(namespace).get(name)
        if found is None:
            raise NotFound(f"{name[:255]} is not in the namespace {namespace.id}.")
        return {**found, "name": name}

    def _shown(self, one: dict[str, Any]) -> dict[str, Any]:
        return {**one, "schema": self._schema}


def list_tags(service: ImageService, call: Call) -> Reply:
    return Reply(body={"tags": [{"name": name} for name in need_namespace(service, call).tags]})


def set_tags(service: ImageService, call: Call) -> Reply:
    given = [one["name"] for one in call.read(_TAGS)["tags"]]
    keep(service, replace(need_namespace(service, call), tags=tuple(dict.fromkeys(given))))
    return Reply(201, {"tags": [{"name": name} for name in given]})


def clear_tags(service: ImageService, call: Call) -> Reply:
    keep(service, replace(need_namespace(service, call), tags=()))
    return NO_CONTENT


def add_tag(service: ImageService, call: Call) -> Reply:
    namespace, name = need_namespace(service, call), _NAME(call.path["name"], "name")
    if name in namespace.tags:
        raise Conflict(f"The tag {name} is already in the namespace {namespace.id}.")
    keep(service, replace(namespace, tags=(*namespace.tags, name)))
    return Reply(201, {"name": name})


def get_tag(service: ImageService, call: Call) -> Reply:
    return Reply(body={"name": _tag(need_namespace(service, call), call)})


def remove_tag(service: ImageService, call: Call) -> Reply:
    namespace = need_namespace(service, call)
    gone = _tag(namespace, call)
    keep(service, replace(namespace, tags=tuple(name for name in namespace.tags if name != gone)))
    return NO_CONTENT


def _tag(namespace: Namespace, call: Call) -> str:
    name = call.path["name"]
    if name not in namespace.tags:
        raise NotFound(f"The tag {name[:255]} is not in the namespace {namespace.id}.")
    return name


_TAG = f"{ONE}/tags/{{name}}"

ROUTES = (
    *Parts("properties", "property").routes(),
    *Parts("objects", "object").routes(),
    RouteOf("GET", f"{ONE}/tags", list_tags, readers),
    RouteOf("POST", f"{ONE}/tags", set_tags, admins),
    RouteOf("DELETE", f"{ONE}/tags", clear_tags, admins),
    RouteOf("POST", _TAG, add_tag, admins),
    RouteOf("GET", _TAG, get_tag, readers),
    RouteOf("DELETE", _TAG, remove_tag, admins),
)
