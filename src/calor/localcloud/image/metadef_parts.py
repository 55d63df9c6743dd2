"""Properties, objects and tags of metadata namespaces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from calor.localcloud.image.metadefs import ONE, keep, need_namespace
from calor.localcloud.image.records import Namespace
from calor.localcloud.image.service import ImageService
from calor.localcloud.lists import ListStyle
from calor.localcloud.policy import admins, readers
from calor.localcloud.problems import Conflict, NotFound
from calor.localcloud.requests import listing, mapping, shape, text
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.types import Json
from calor.localcloud.web import NO_CONTENT, Call, Reply

_NAME = text(80, shortest=1)
_STYLE = ListStyle(lambda marker: NotFound(f"{marker} is not in the namespace."), largest=1000)
_TAGS = shape({"tags": listing(shape({"name": _NAME}))})


def _name_of(item: Mapping[str, str]) -> str:
    return item["name"]


class Parts:
    """Properties or objects, which have names and are otherwise as clients write them."""

    def __init__(self, plural: Literal["properties", "objects"], schema: str) -> None:
        self._plural = plural
        self._schema = f"/v2/schemas/metadefs/{schema}"

    def routes(self) -> tuple[ServiceRoute[ImageService], ...]:
        all_, one = f"{ONE}/{self._plural}", f"{ONE}/{self._plural}/{{name}}"
        return (
            ServiceRoute("GET", all_, self.list, readers),
            ServiceRoute("POST", all_, self.add, admins),
            ServiceRoute("DELETE", all_, self.clear, admins),
            ServiceRoute("GET", one, self.get, readers),
            ServiceRoute("PUT", one, self.change, admins),
            ServiceRoute("DELETE", one, self.remove, admins),
        )

    def list(self, service: ImageService, call: Call) -> Reply:
        found = self._of(need_namespace(service, call))
        if self._plural == "properties":
            return Reply(body={"properties": found})
        shown = [self._shown({**one, "name": name}) for name, one in found.items()]
        page = _STYLE.page(call, shown, _name_of)
        return Reply(body={"objects": page.items, "schema": f"{self._schema}s"})

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

    def _of(self, namespace: Namespace) -> Json:
        return dict(namespace.properties if self._plural == "properties" else namespace.objects)

    def _with(self, namespace: Namespace, parts: Json) -> Namespace:
        if self._plural == "properties":
            return replace(namespace, properties=parts)
        return replace(namespace, objects=parts)

    def _read(self, call: Call) -> Json:
        given = dict(call.read(mapping))
        return {**given, "name": _NAME(given.get("name"), "name")}

    def _put(self, service: ImageService, namespace: Namespace, given: Json) -> Json:
        # Properties are stored by name, and do not contain it.
        kept = {key: value for key, value in given.items() if key not in ("schema", "self")}
        if self._plural == "properties":
            kept = {key: value for key, value in kept.items() if key != "name"}
        keep(service, self._with(namespace, {**self._of(namespace), given["name"]: kept}))
        return {**kept, "name": given["name"]}

    def _one(self, namespace: Namespace, call: Call) -> Json:
        name = call.path["name"]
        found = self._of(namespace).get(name)
        if found is None:
            raise NotFound(f"{name[:255]} is not in the namespace {namespace.id}.")
        return {**found, "name": name}

    def _shown(self, one: Json) -> Json:
        return {**one, "schema": self._schema}


def list_tags(service: ImageService, call: Call) -> Reply:
    tags = [{"name": name} for name in need_namespace(service, call).tags]
    return Reply(body={"tags": _STYLE.page(call, tags, _name_of).items})


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
    ServiceRoute("GET", f"{ONE}/tags", list_tags, readers),
    ServiceRoute("POST", f"{ONE}/tags", set_tags, admins),
    ServiceRoute("DELETE", f"{ONE}/tags", clear_tags, admins),
    ServiceRoute("POST", _TAG, add_tag, admins),
    ServiceRoute("GET", _TAG, get_tag, readers),
    ServiceRoute("DELETE", _TAG, remove_tag, admins),
)
