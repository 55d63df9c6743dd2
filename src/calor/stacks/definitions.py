"""Stored definitions: a document that refers to template and files by digest."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from calor.language.definition import Definition
from calor.language.diagnostics import Report
from calor.language.library import World
from calor.language.parameters import StackIdentity
from calor.language.request import resolve_request
from calor.language.values import bare
from calor.resources.values import JsonMapping, JsonObject
from calor.store import contents
from calor.store.database import Connection
from calor.store.sealing import Seal

DENIED = "denied_types"
"""The key of a request for the types that its sender may not use."""


def encode(request: JsonMapping, seal: Seal | None = None) -> tuple[str, dict[str, bytes]]:
    """The digest of a request's definition, and the documents to store for it by digest, encrypted if there is a
    seal."""
    bodies: dict[str, bytes] = {}

    def stored(document: Any) -> str:
        digest, body = contents.encode(document, seal)
        bodies[digest] = body
        return digest

    document = {
        "template": stored(request["template"]),
        "files": {name: stored(text) for name, text in (request.get("files") or {}).items()},
        "environment": request.get("environment") or {},
        "environment_files": request.get("environment_files") or [],
        "parameters": request.get("parameters") or {},
    }
    if request.get(DENIED):
        document[DENIED] = request[DENIED]
    return stored(document), bodies


def encode_nested(
    template: JsonObject,
    parameters: JsonMapping,
    environment: JsonMapping,
    files: Mapping[str, str],
    seal: Seal | None = None,
) -> tuple[str, dict[str, bytes]]:
    """Like `encode`, for a nested stack whose files are already stored."""
    bodies: dict[str, bytes] = {}
    template_digest, bodies_of_template = contents.encode(bare(template), seal)
    bodies[template_digest] = bodies_of_template
    document = {
        "template": template_digest,
        "files": dict(files),
        "environment": bare(dict(environment)),
        "environment_files": [],
        "parameters": bare(dict(parameters)),
    }
    digest, body = contents.encode(document, seal)
    bodies[digest] = body
    return digest, bodies


def has_secrets(request: JsonMapping, definition: Definition) -> bool:
    """Whether a parameter of the stack or of a nested stack is hidden. In files that are not used (yet), any mention
    counts."""
    return _hides(definition) or any(map(_names_hidden, (request.get("files") or {}).values()))


def may_hide(request: JsonMapping) -> bool:
    """Whether a template of a request may have a hidden parameter: a fast check that may return false positives."""
    return any(map(_names_hidden, (request["template"], *(request.get("files") or {}).values())))


def _names_hidden(document: Any) -> bool:
    text = str(document)
    return "hidden" in text or "NoEcho" in text


def _hides(definition: Definition) -> bool:
    if any(parameter.hidden for parameter in definition.template.parameters.values()):
        return True
    return any(_hides(one.child) for one in definition.resources.values() if one.child is not None)


def encrypted_names(definition: Definition) -> list[str]:
    """The given hidden parameters, and those that the environment lists as encrypted."""
    environment = definition.environment
    hidden = {name for name, parameter in definition.template.parameters.items() if parameter.hidden}
    given = [name for name in environment.parameters if name in hidden]
    return list(dict.fromkeys([*environment.encrypted_param_names, *given]))


def load(connection: Connection, digest: str) -> JsonObject:
    """The request of a stored definition."""
    return load_with_digests(connection, digest)[0]


def load_with_digests(connection: Connection, digest: str) -> tuple[JsonObject, dict[str, str]]:
    """The request, and the digests of its files by name."""
    document = contents.get(connection, [digest])[digest]
    files: dict[str, str] = document["files"]
    parts = contents.get(connection, {document["template"], *files.values()})
    request = {
        **document,
        "template": parts[document["template"]],
        "files": {name: parts[part] for name, part in files.items()},
    }
    return request, files


def denied(names: Collection[str], definition: Definition) -> str | None:
    """A type of the stack's own resources that is denied, if there is one. Denied names may end with `::*`."""
    for resource in definition.resources.values() if names else ():
        if isinstance(resource.resource_type, type):
            name = resource.resource_type.type_name
            if name in names or f"{name.rpartition('::')[0]}::*" in names:
                return name
    return None


def has_hooks(request: JsonMapping) -> bool:
    """Whether the environment may contain hooks, which also stop deletions."""
    return any("hooks" in text for text in _environments(request))


def has_sinks(request: JsonMapping) -> bool:
    """Whether the environment may name queues to which events are posted."""
    return any("zaqar-queue" in text for text in _environments(request))


def has_stored_sinks(connection: Connection, digest: str) -> bool:
    """The same for a stored definition. Reads only the environment."""
    document = contents.get(connection, [digest])[digest]
    named = [document["files"][name] for name in document["environment_files"] if name in document["files"]]
    texts = [json.dumps(document["environment"]), *contents.get(connection, named).values()]
    return any("zaqar-queue" in text for text in texts)


def _environments(request: JsonMapping) -> Iterator[str]:
    yield json.dumps(request["environment"])
    for name in request["environment_files"]:
        yield request["files"].get(name, "")


def define(request: JsonMapping, world: World, identity: StackIdentity) -> tuple[Definition | None, Report]:
    """The definition of a request for a stack, with a report of its problems."""
    report = Report()
    return resolve_request(request, world, report, identity=identity), report
