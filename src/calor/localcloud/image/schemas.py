"""The JSON schemas of the service."""

from __future__ import annotations

from calor.localcloud.image.requests import CONTAINER_FORMATS, DISK_FORMATS, VISIBILITIES
from calor.localcloud.image.service import ImageService
from calor.localcloud.policy import anyone
from calor.localcloud.problems import NotFound
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.types import Json
from calor.localcloud.web import Call, Reply

Schema = Json

_UUID = "^([0-9a-fA-F]){8}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){12}$"
_STATES = ("queued", "saving", "active", "killed", "deleted", "uploading", "importing", "pending_delete")


def _text(description: str, **more: object) -> Schema:
    return {"type": "string", "description": description, **more}


def _maybe(kind: str, description: str, **more: object) -> Schema:
    return {"type": ["null", kind], "description": description, **more}


def _read_only(schema: Schema) -> Schema:
    return {**schema, "readOnly": True}


_IMAGE_PROPERTIES: Schema = {
    "id": _text("An identifier for the image", pattern=_UUID),
    "name": _maybe("string", "A descriptive name", maxLength=255),
    "status": _read_only(_text("The state of the image", enum=[*_STATES, "deactivated"])),
    "visibility": _text("Who can use the image", enum=list(VISIBILITIES)),
    "protected": {"type": "boolean", "description": "Whether the image is protected from deletion"},
    "os_hidden": {"type": "boolean", "description": "Whether the image is hidden from lists"},
    "owner": _maybe("string", "The project that owns the image", maxLength=255),
    "container_format": _maybe("string", "The format of the container", enum=[None, *CONTAINER_FORMATS]),
    "disk_format": _maybe("string", "The format of the disk", enum=[None, *DISK_FORMATS]),
    "min_disk": {"type": "integer", "description": "Disk in GB that a server needs for the image"},
    "min_ram": {"type": "integer", "description": "Memory in MB that a server needs for the image"},
    "size": _read_only(_maybe("integer", "The size of the data in bytes")),
    "virtual_size": _read_only(_maybe("integer", "The size of the disk in bytes")),
    "checksum": _read_only(_maybe("string", "The MD5 of the data", maxLength=32)),
    "os_hash_algo": _read_only(_maybe("string", "How os_hash_value is computed", maxLength=64)),
    "os_hash_value": _read_only(_maybe("string", "A hash of the data", maxLength=128)),
    "tags": {
        "type": "array",
        "description": "Tags of the image",
        "items": {"type": "string", "maxLength": 255},
    },
    "created_at": _read_only(_text("When the image was created")),
    "updated_at": _read_only(_text("When the image was last updated")),
    "self": _read_only(_text("The path of the image")),
    "file": _read_only(_text("The path of the data")),
    "schema": _read_only(_text("The path of this schema")),
}
_MEMBER_PROPERTIES: Schema = {
    "image_id": _text("The image that is shared", pattern=_UUID),
    "member_id": _text("The project it is shared with"),
    "status": _text("Whether the member has accepted the image", enum=["pending", "accepted", "rejected"]),
    "created_at": _text("When it was shared"),
    "updated_at": _text("When the status was last updated"),
    "schema": _read_only(_text("The path of this schema")),
}
_TASK_PROPERTIES: Schema = {
    "id": _text("An identifier of the task", pattern=_UUID),
    "type": _text("What the task does", enum=["import", "export", "clone"]),
    "status": _text("The status of the task", enum=["pending", "processing", "success", "failure"]),
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

# A property within a namespace or an object is known by its key there, and has no name.
_DEFINED: Schema = {
    "required": ["type", "title"],
    "additionalProperties": True,
    "properties": {
        "name": _text("The name of the property", maxLength=80),
        "title": _text("The display name"),
        "description": _text("A description"),
        "operators": {"type": "array", "items": {"type": "string"}},
        "type": _text(
            "The type of its values", enum=["array", "boolean", "integer", "number", "object", "string"]
        ),
        "enum": {"type": "array"},
        "default": {},
    },
}
_PROPERTY: Schema = {**_DEFINED, "name": "property", "required": ["type", "title", "name"]}
_OBJECT: Schema = {
    "name": "object",
    "required": ["name"],
    "additionalProperties": False,
    "properties": {
        "name": _text("The name of the object", maxLength=80),
        "description": _text("A description"),
        "required": {"type": "array", "items": {"type": "string"}},
        "properties": {"type": "object", "additionalProperties": _DEFINED},
        "created_at": _read_only(_text("When it was created")),
        "updated_at": _read_only(_text("When it was last updated")),
        "schema": _read_only(_text("The path of this schema")),
        "self": _read_only(_text("Its path")),
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
        "prefix": _text("The prefix of property names of these resources", maxLength=80),
        "properties_target": _text("The target of the properties, such as image or volume", maxLength=80),
        "created_at": _read_only(_text("When it was created")),
        "updated_at": _read_only(_text("When it was last updated")),
    },
}
_NAMESPACE: Schema = {
    "name": "namespace",
    "required": ["namespace"],
    "additionalProperties": False,
    "properties": {
        "namespace": _text("The name of the namespace", maxLength=80),
        "display_name": _text("The display name", maxLength=80),
        "description": _text("A description", maxLength=500),
        "visibility": _text("Who may see it", enum=["public", "private"]),
        "protected": {"type": "boolean", "description": "Whether it can be deleted"},
        "owner": _text("The project that owns it", maxLength=255),
        "created_at": _read_only(_text("When it was created")),
        "updated_at": _read_only(_text("When it was last updated")),
        "schema": _read_only(_text("The path of this schema")),
        "self": _read_only(_text("Its path")),
        "properties": {"type": "object", "additionalProperties": _DEFINED},
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
    ServiceRoute("GET", "/v2/schemas/{name}", get_schema, anyone),
    ServiceRoute("GET", "/v2/schemas/metadefs/{name}", get_metadef_schema, anyone),
)
