"""Replaces the names of cloud objects in properties by ids, before a request is sent."""

from __future__ import annotations

import re
from collections.abc import Mapping
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
    found: JsonObject = dict(props)
    for rule in declared.translations:
        if isinstance(rule, Resolve) and rule.kind and not rule.kind.startswith(_UNRESOLVED):
            found = await _resolved(cloud, rule.kind, rule.path, found)
    return found


async def id_for(cloud: CloudReader, kind: str, name_or_id: str) -> str:
    """The id of an object of a kind. Raises NotFound."""
    # A text that looks like an id is never taken for a name.
    return name_or_id if _UUID.fullmatch(name_or_id) else await cloud.id_of(kind, name_or_id)


async def _resolved(cloud: CloudReader, kind: str, path: tuple[str, ...], value: Any) -> Any:
    if value is None or value == "":
        return value
    if isinstance(value, list):
        return [await _resolved(cloud, kind, path, each) for each in value]
    if not path:
        return await id_for(cloud, kind, value) if isinstance(value, str) else value
    if not isinstance(value, Mapping) or path[0] not in value:
        return value
    return {**value, path[0]: await _resolved(cloud, kind, path[1:], value[path[0]])}
