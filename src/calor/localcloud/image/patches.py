"""JSON patches of images."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import unquote

from calor.localcloud.image.records import Image
from calor.localcloud.image.requests import BASE, check_property_count, read_attribute
from calor.localcloud.problems import BadRequest, Conflict, Forbidden, UnsupportedMedia
from calor.localcloud.requests import anything, listing, mapping

_NEWER = "application/openstack-images-v2.1-json-patch"
_OLDER = "application/openstack-images-v2.0-json-patch"
_OPERATIONS = ("add", "replace", "remove")


def apply_patch(image: Image, media_type: str, body: object) -> Image:
    """The image after all the changes, in their order."""
    read = {_NEWER: _newer, _OLDER: _older}.get(media_type.partition(";")[0].strip())
    if read is None:
        raise UnsupportedMedia(f"The content type must be {_NEWER}.")
    for change in listing(mapping)(body, "The body"):
        operation, path, value = read(change)
        image = _apply_change(image, operation, _name_in(path), value)
    return image


def _newer(change: Mapping[str, object]) -> tuple[str, str, object]:
    operation, path = change.get("op"), change.get("path")
    if operation not in _OPERATIONS or not isinstance(path, str):
        raise BadRequest("A change must have an op (add, replace or remove) and a path.")
    return operation, path, _value(operation, change)


def _older(change: Mapping[str, object]) -> tuple[str, str, object]:
    for operation in _OPERATIONS:
        if isinstance(path := change.get(operation), str):
            return operation, path, _value(operation, change)
    raise BadRequest("A change must have one of the members add, replace and remove, whose value is a path.")


def _value(operation: str, change: Mapping[str, object]) -> object:
    if operation != "remove" and "value" not in change:
        raise BadRequest(f"A change with op {operation} must have a value.")
    return anything(change.get("value"), "value")


def _name_in(path: str) -> str:
    """The path must have one part, since only whole attributes can be changed."""
    name = unquote(path.removeprefix("/")).replace("~1", "/").replace("~0", "~")
    if not path.startswith("/") or not name or path.count("/") > 1:
        raise BadRequest(f"The path {path} is not the path of an attribute.")
    return name


def _apply_change(image: Image, operation: str, name: str, value: object) -> Image:
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
    return replace(image, properties=check_property_count(properties))
