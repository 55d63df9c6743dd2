"""Replaces the names of cloud objects in properties by ids, before a request is sent."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping
from typing import Any

from calor.language.schema import Resolve
from calor.resources.contract import ResourceType
from calor.resources.services import CloudReader
from calor.resources.values import JsonObject, Properties

_UUID = re.compile(r"[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)
_UNRESOLVED = ("octavia.", "magnum.", "ironic.")
"""Kinds of services that take names themselves, or in which nothing is looked up yet."""


async def with_ids(cloud: CloudReader, declared: type[ResourceType], props: Properties) -> JsonObject:
    """The properties with ids in place of names, according to the type's translations. Raises NotFound."""
    rules = [
        (rule.kind, rule.path)
        for rule in declared.translations
        if isinstance(rule, Resolve) and rule.kind and not rule.kind.startswith(_UNRESOLVED)
    ]
    named = dict.fromkeys((kind, name) for kind, path in rules for name in _names(path, props))
    # Looked up at once: each may take several requests.
    ids = dict(zip(named, await asyncio.gather(*(cloud.id_of(*each) for each in named)), strict=True))
    found: JsonObject = dict(props)
    for kind, path in rules if ids else ():
        found = _replaced(ids, kind, path, found)
    return found


async def id_for(cloud: CloudReader, kind: str, name_or_id: str) -> str:
    """The id of an object of a kind. Raises NotFound."""
    # A text that looks like an id is never taken for a name.
    return name_or_id if _UUID.fullmatch(name_or_id) else await cloud.id_of(kind, name_or_id)


def _names(path: tuple[str, ...], value: Any) -> Iterator[str]:
    """The texts at a path that are not ids."""
    if isinstance(value, list):
        for each in value:
            yield from _names(path, each)
    elif path and isinstance(value, Mapping):
        yield from _names(path[1:], value.get(path[0]))
    elif not path and isinstance(value, str) and value and not _UUID.fullmatch(value):
        yield value


def _replaced(ids: Mapping[tuple[str, str], str], kind: str, path: tuple[str, ...], value: Any) -> Any:
    if isinstance(value, list):
        return [_replaced(ids, kind, path, each) for each in value]
    if not path:
        return ids.get((kind, value), value) if isinstance(value, str) else value
    if not isinstance(value, Mapping) or path[0] not in value:
        return value
    return {**value, path[0]: _replaced(ids, kind, path[1:], value[path[0]])}
