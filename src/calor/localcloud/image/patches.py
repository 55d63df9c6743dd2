"""Changes of an image, written as JSON patches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from calor.localcloud.image.attributes import BASE, limited, read_attribute
from calor.localcloud.image.records import Image
from calor.localcloud.problems import BadRequest, Conflict, Forbidden, UnsupportedMedia
from calor.localcloud.reading import anything, listing, mapping

_NEWER = "application/openstack-images-v2.1-json-patch"
_OLDER = "application/openstack-images-v2.0-json-patch"
_OPERATIONS = ("add", "replace", "remove")


def patched(image: Image, media_type: str, body: Any) -> Image:
    """The image after all the changes, in their order."""
    read = {_NEWER: _newer, _OLDER: _older}.get(media_type.partition(";")[0].strip())
    if read is None:
        raise UnsupportedMedia(f"Images are changed with {_NEWER}.")
    for change in listing(mapping)(body, "The body"):
        operation, path, value = read(change)
        image = _changed(image, operation, _name_in(path), value)
    return image


def _newer(change: Mapping[str, Any]) -> tuple[str, str, Any]:
    operation, path = change.get("op"), change.get("path")
    if operation not in _OPERATIONS or not isinstance(path, str):
        raise BadRequest("A change must have an op (add, replace or remove) and a path.")
    return operation, path, _value(operation, change)


def _older(change: Mapping[str, Any]) -> tuple[str, str, Any]:
    for operation in _OPERATIONS:
        if isinstance(path := change.get(operation), str):
            return operation, path, _value(operation, change)
    raise BadRequest("A change must have one of the members add, replace and remove, whose value is a path.")


def _value(operation: str, change: Mapping[str, Any]) -> Any:
    if operation != "remove" and "value" not in change:
        raise BadRequest(f"A change of the kind {operation} must have a value.")
    return anything(change.get("value"), "value")


def _name_in(path: str) -> str:
    """Only whole attributes are changed: their paths have one part."""
    name = unquote(path.removeprefix("/")).replace("~1", "/").replace("~0", "~")
    if not path.startswith("/") or not name or path.count("/") > 1:
        raise BadRequest(f"The path {path} does not lead to an attribute of an image.")
    return name


def _changed(image: Image, operation: str, name: str, value: Any) -> Image:
    if name in BASE:
        if name == "id":
            raise Forbidden("Attribute 'id' is read-only.")
        if operation == "remove":
            raise Forbidden(f"Property {name} may not be removed.")
        return replace(image, **{name: read_attribute(name, value)})
    if operation != "add" and name not in image.properties:
        raise Conflict(f"Property {name} does not exist.")
    properties = dict(image.properties)
    if operation == "remove":
        del properties[name]
    else:
        properties[name] = read_attribute(name, value)
    return replace(image, properties=limited(properties))
