"""Builds the OpenAPI document from the routes and their descriptions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

from calor import __version__
from calor.api.heat.routes import ROUTES
from calor.api.openapi import actions, common, events, lookup, resources, service, software, stacks, types
from calor.api.openapi.vocabulary import TEXT, Answer, Body, Family, Operation, Parameter
from calor.api.web import Route
from calor.resources.values import JsonObject

FAMILIES: tuple[Family, ...] = (
    stacks.FAMILY,
    lookup.FAMILY,
    actions.FAMILY,
    resources.FAMILY,
    events.FAMILY,
    types.FAMILY,
    software.FAMILY,
    service.FAMILY,
)
_DESCRIBED = {key: (family, one) for family in FAMILIES for key, one in family.operations.items()}
_DOC = """Orchestration of clouds from templates: version 1 of Heat's API, and what Calor adds to it.
Bodies are JSON. Unknown keys in a body are ignored unless noted otherwise."""


def document(base: str) -> JsonObject:
    """The document for clients that use the API at this URL."""
    return {**_parts(), "servers": [{"url": base}]}


def key(route: Route) -> str:
    return f"{route.method} {route.path}"


def described_routes() -> list[Route]:
    """All routes that OpenAPI paths can express. ARNs have slashes, and are described with the names."""
    return [route for route in ROUTES if ":arn}" not in route.path]


@cache
def _parts() -> JsonObject:
    """The parts that do not depend on the URL."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Calor",
            "version": __version__,
            "description": _DOC,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "tags": [{"name": family.tag, "description": family.doc} for family in FAMILIES],
        "security": [{"token": []}],
        "paths": _paths(),
        "components": {
            "securitySchemes": {
                "token": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "X-Auth-Token",
                    "description": "A token of the identity service, for the project in the path.",
                }
            },
            "parameters": {
                name: _parameter(Parameter(name, TEXT, doc, "path")) for name, doc in common.PATH.items()
            },
            "responses": {str(status): _answer(answer) for status, answer in common.REFUSALS.items()},
            "schemas": {
                **common.SCHEMAS,
                **{name: schema for family in FAMILIES for name, schema in family.schemas.items()},
            },
        },
    }


def _paths() -> JsonObject:
    paths: JsonObject = {}
    for outside, operation in service.OUTSIDE.items():
        method, path = outside.split()
        open_to_all = {**_operation(operation, service.FAMILY.tag, ()), "security": []}
        paths[path] = {method.lower(): open_to_all}
    for route in described_routes():
        path = f"/v1/{{project_id}}{route.path}"
        family, operation = _DESCRIBED[key(route)]
        item = paths.setdefault(path, {"parameters": _in_path(path)})
        item[route.method.lower()] = _operation(operation, family.tag, common.EVERYWHERE)
    return paths


def _in_path(path: str) -> list[dict[str, str]]:
    return [{"$ref": f"#/components/parameters/{name}"} for name in re.findall(r"\{(\w+)\}", path)]


def _operation(operation: Operation, tag: str, everywhere: Iterable[int]) -> JsonObject:
    refusals = sorted({*everywhere, *operation.refusals})
    made: JsonObject = {
        "operationId": operation.id,
        "summary": operation.summary,
        "tags": [tag],
        "responses": {
            **{str(status): _answer(answer) for status, answer in operation.answers.items()},
            **{str(status): {"$ref": f"#/components/responses/{status}"} for status in refusals},
        },
    }
    if operation.doc:
        made["description"] = operation.doc
    if operation.parameters:
        made["parameters"] = [_parameter(one) for one in operation.parameters]
    if operation.body is not None:
        made["requestBody"] = _body(operation.body)
    return made


def _parameter(parameter: Parameter) -> JsonObject:
    made = {
        "name": parameter.name,
        "in": parameter.place,
        "description": parameter.doc,
        "schema": parameter.schema,
    }
    return {**made, "required": True} if parameter.place == "path" else made


def _body(body: Body) -> JsonObject:
    content = {"application/json": {"schema": body.schema, "example": body.example}}
    return {"required": body.required, "content": content}


def _answer(answer: Answer) -> JsonObject:
    made: JsonObject = {"description": answer.doc}
    if answer.schema is not None:
        made["content"] = {answer.media_type: {"schema": answer.schema}}
    headers: Mapping[str, str] = {"X-OpenStack-Request-ID": "The id of the request.", **answer.headers}
    made["headers"] = {name: {"description": doc, "schema": TEXT} for name, doc in headers.items()}
    if answer.links:
        made["links"] = {
            name: {
                "operationId": link.operation,
                "parameters": {"project_id": "$request.path.project_id", **link.parameters},
            }
            for name, link in answer.links.items()
        }
    return made
