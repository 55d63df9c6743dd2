"""JSON schemas of what the service shows."""

from __future__ import annotations

from typing import Any

from calor.localcloud.image.attributes import CONTAINER_FORMATS, DISK_FORMATS, VISIBILITIES
from calor.localcloud.image.rules import anyone
from calor.localcloud.image.state import ImageService
from calor.localcloud.problems import NotFound
from calor.localcloud.routes import RouteOf
from calor.localcloud.web import Call, Reply

Schema = dict[str, Any]

_UUID = "^([0-9a-fA-F]){8}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){12}$"
_STATES = ("queued", "saving", "active", "killed", "deleted", "uploading", "importing", "pending_delete")


def _text(description: str, **more: Any) -> Schema:
    return {"type": "string", "description": description, **more}


def _maybe(kind: str, description: str, **more: Any) -> Schema:
    return {"type": ["null", kind], "description": description, **more}


def _fixed(schema: Schema) -> Schema:
    return {**schema, "readOnly": True}


_IMAGE_PROPERTIES: Schema = {
    "id": _text("An identifier for the image", pattern=_UUID),
    "name": _maybe("string", "A descriptive name", maxLength=255),
    "status": _fixed(_text("The state of the image", enum=[*_STATES, "deactivated"])),
    "visibility": _text("Who can use the image", enum=list(VISIBILITIES)),
    "protected": {"type": "boolean", "description": "Whether the image is kept from being deleted"},
    "os_hidden": {"type": "boolean", "description": "Whether lists leave the image out"},
    "owner": _maybe("string", "The project that owns the image", maxLength=255),
    "container_format": _maybe("string", "What the data is wrapped in", enum=[None, *CONTAINER_FORMATS]),
    "disk_format": _maybe("string", "What the data is", enum=[None, *DISK_FORMATS]),
    "min_disk": {"type": "integer", "description": "Disk in GB that a server needs for the image"},
    "min_ram": {"type": "integer", "description": "Memory in MB that a server needs for the image"},
    "size": _fixed(_maybe("integer", "The size of the data in bytes")),
    "virtual_size": _fixed(_maybe("integer", "The size of the disk in bytes")),
    "checksum": _fixed(_maybe("string", "The MD5 of the data", maxLength=32)),
    "os_hash_algo": _fixed(_maybe("string", "How os_hash_value is computed", maxLength=64)),
    "os_hash_value": _fixed(_maybe("string", "A hash of the data", maxLength=128)),
    "tags": {
        "type": "array",
        "description": "Words by which the image can be found",
        "items": {"type": "string", "maxLength": 255},
    },
    "created_at": _fixed(_text("When the image was made")),
    "updated_at": _fixed(_text("When the image was changed last")),
    "self": _fixed(_text("Where the image is")),
    "file": _fixed(_text("Where the data is")),
    "schema": _fixed(_text("Where this schema is")),
}
_MEMBER_PROPERTIES: Schema = {
    "image_id": _text("The image that is shared", pattern=_UUID),
    "member_id": _text("The project it is shared with"),
    "status": _text("What the project thinks of it", enum=["pending", "accepted", "rejected"]),
    "created_at": _text("When it was shared"),
    "updated_at": _text("When that changed last"),
    "schema": _fixed(_text("Where this schema is")),
}
_TASK_PROPERTIES: Schema = {
    "id": _text("An identifier of the task", pattern=_UUID),
    "type": _text("What the task does", enum=["import", "export", "clone"]),
    "status": _text("How far it is", enum=["pending", "processing", "success", "failure"]),
}


def _plural(name: str, item: Schema) -> Schema:
    links = [{"rel": rel, "href": f"{{{rel}}}"} for rel in ("first", "next")]
    properties = {
        name: {"type": "array", "items": item},
        "first": {"type": "string"},
        "next": {"type": "string"},
        "schema": {"type": "string"},
    }
    return {
        "name": name,
        "properties": properties,
        "links": [*links, {"rel": "describedby", "href": "{schema}"}],
    }


_IMAGE: Schema = {
    "name": "image",
    "properties": _IMAGE_PROPERTIES,
    "additionalProperties": {"type": "string"},
    "links": [
        {"rel": "self", "href": "{self}"},
        {"rel": "enclosure", "href": "{file}"},
        {"rel": "describedby", "href": "{schema}"},
    ],
}
_MEMBER: Schema = {"name": "member", "properties": _MEMBER_PROPERTIES}
_TASK: Schema = {"name": "task", "properties": _TASK_PROPERTIES}

_PROPERTY: Schema = {
    "name": "property",
    "required": ["type", "title", "name"],
    "additionalProperties": True,
    "properties": {
        "name": _text("The name of the property", maxLength=80),
        "title": _text("What people read"),
        "description": _text("What it is about"),
        "operators": {"type": "array", "items": {"type": "string"}},
        "type": _text(
            "The kind of its values", enum=["array", "boolean", "integer", "number", "object", "string"]
        ),
        "enum": {"type": "array"},
        "default": {},
    },
}
_OBJECT: Schema = {
    "name": "object",
    "required": ["name"],
    "additionalProperties": False,
    "properties": {
        "name": _text("The name of the object", maxLength=80),
        "description": _text("What it is about"),
        "required": {"type": "array", "items": {"type": "string"}},
        "properties": {"type": "object", "additionalProperties": _PROPERTY},
        "schema": _fixed(_text("Where this schema is")),
    },
}
_TAG: Schema = {
    "name": "tag",
    "required": ["name"],
    "additionalProperties": False,
    "properties": {"name": _text("The name of the tag", maxLength=80)},
}
_RESOURCE_TYPE: Schema = {
    "name": "resource_type_association",
    "required": ["name"],
    "additionalProperties": False,
    "properties": {
        "name": _text("The type, as in OS::Nova::Flavor", maxLength=80),
        "prefix": _text("What stands before the names of properties of such resources", maxLength=80),
        "properties_target": _text("Which properties of such resources are meant", maxLength=80),
        "created_at": _fixed(_text("When it was made")),
        "updated_at": _fixed(_text("When it was changed last")),
    },
}
_NAMESPACE: Schema = {
    "name": "namespace",
    "required": ["namespace"],
    "additionalProperties": False,
    "properties": {
        "namespace": _text("The name of the namespace", maxLength=80),
        "display_name": _text("What people read", maxLength=80),
        "description": _text("What it is about", maxLength=500),
        "visibility": _text("Who may see it", enum=["public", "private"]),
        "protected": {"type": "boolean", "description": "Whether it can be deleted"},
        "owner": _text("The project whose it is", maxLength=255),
        "created_at": _fixed(_text("When it was made")),
        "updated_at": _fixed(_text("When it was changed last")),
        "schema": _fixed(_text("Where this schema is")),
        "self": _fixed(_text("Where it is")),
        "properties": {"type": "object", "additionalProperties": _PROPERTY},
        "objects": {"type": "array", "items": _OBJECT},
        "tags": {"type": "array", "items": _TAG},
        "resource_type_associations": {"type": "array", "items": _RESOURCE_TYPE},
    },
}
_METADEFS: dict[str, Schema] = {
    "namespace": _NAMESPACE,
    "namespaces": _plural("namespaces", _NAMESPACE),
    "object": _OBJECT,
    "objects": _plural("objects", _OBJECT),
    "property": _PROPERTY,
    "properties": _plural("properties", _PROPERTY),
    "tag": _TAG,
    "tags": _plural("tags", _TAG),
    "resource_type": _RESOURCE_TYPE,
    "resource_types": _plural("resource_type_associations", _RESOURCE_TYPE),
}

_SCHEMAS: dict[str, Schema] = {
    "image": _IMAGE,
    "images": _plural("images", _IMAGE),
    "member": _MEMBER,
    "members": _plural("members", _MEMBER),
    "task": _TASK,
    "tasks": _plural("tasks", _TASK),
}


def get_schema(service: ImageService, call: Call) -> Reply:
    schema = _SCHEMAS.get(call.path["name"])
    if schema is None:
        raise NotFound.of("schema", call.path["name"])
    return Reply(body=schema)


def get_metadef_schema(service: ImageService, call: Call) -> Reply:
    schema = _METADEFS.get(call.path["name"])
    if schema is None:
        raise NotFound.of("schema", call.path["name"])
    return Reply(body=schema)


ROUTES = (
    RouteOf("GET", "/v2/schemas/{name}", get_schema, anyone),
    RouteOf("GET", "/v2/schemas/metadefs/{name}", get_metadef_schema, anyone),
)
