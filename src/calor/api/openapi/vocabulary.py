"""The vocabulary for describing routes: operations, parameters, responses, and shorthands for JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from calor.resources.values import JsonObject

Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    schema: Schema
    doc: str
    place: str = "query"


@dataclass(frozen=True, slots=True)
class Link:
    """A link from a response: the parameters of another operation, taken from the request or the response."""

    operation: str
    parameters: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Answer:
    """A response. `schema` is None if there is no body."""

    doc: str
    schema: Schema | None = None
    example: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    """The descriptions of headers."""
    links: Mapping[str, Link] = field(default_factory=dict)
    media_type: str = "application/json"


@dataclass(frozen=True, slots=True)
class Body:
    schema: Schema
    example: Any
    required: bool = True


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation. Statuses that any operation may return are not repeated here."""

    id: str
    summary: str
    answers: Mapping[int, Answer]
    parameters: Sequence[Parameter] = ()
    body: Body | None = None
    refusals: Sequence[int] = ()
    """The statuses of errors specific to the operation."""
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Family:
    """A group of operations, by method and path below the project: `GET /stacks`."""

    tag: str
    doc: str
    operations: Mapping[str, Operation]
    schemas: Mapping[str, Schema] = field(default_factory=dict)


ANY: Schema = {}
TEXT: Schema = {"type": "string"}
TEXT_OR_NULL: Schema = {"type": ["string", "null"]}
FLAG: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer", "minimum": 0}
MAP: Schema = {"type": "object"}
MAP_OR_NULL: Schema = {"type": ["object", "null"]}
NULL: Schema = {"type": "null"}
TIME: Schema = {"type": "string", "format": "date-time", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"}
TIME_OR_NULL: Schema = {**TIME, "type": ["string", "null"]}
TEXTS: Schema = {"type": "array", "items": TEXT}


def ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def described(schema: Schema, doc: str) -> Schema:
    return {**schema, "description": doc}


def one_of(*values: str) -> Schema:
    return {"type": "string", "enum": list(values)}


def either(*schemas: Schema) -> Schema:
    return {"anyOf": list(schemas)}


def items(schema: Schema) -> Schema:
    return {"type": "array", "items": schema}


def values(schema: Schema) -> Schema:
    """A map with any keys."""
    return {"type": "object", "additionalProperties": schema}


def record(always: Mapping[str, Schema], sometimes: Mapping[str, Schema] | None = None) -> Schema:
    """An object with these properties. Clients must accept others, which later versions may add."""
    made: JsonObject = {"type": "object", "properties": {**always, **(sometimes or {})}}
    return {**made, "required": list(always)} if always else made


def wrapped(name: str, schema: Schema) -> Schema:
    return record({name: schema})
