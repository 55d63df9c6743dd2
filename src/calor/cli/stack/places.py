"""Finds the file and line that define a resource, including resources of nested stacks.

The service stores templates as data, without their text. `remember_places` therefore stores the path or URL of a
stack's template on this machine, for later commands."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from calor.cli.api.client import Heat, StackRef
from calor.cli.errors import CommandError
from calor.cli.json_values import JsonMapping
from calor.cli.stack.request import StackRequest, gather_request

if TYPE_CHECKING:
    from calor.language.source import Source

_MEMBERS = ("resource_def", "resource")
"""The properties in which groups define their members."""


class Places:
    """Finds the position of a resource by its path."""

    def __init__(self, request: StackRequest | None) -> None:
        self._request = request

    def of(self, path: Sequence[str]) -> str:
        """`file:line`, or an empty string if it is unknown. For a member of a group, that of the group."""
        request = self._request
        source = request.sources.get(request.template_url) if request else None
        shown = ""
        below: str | None = None
        for name in path:
            definition, section = _resource(source, name) if source else (None, "")
            if request is None or (definition is None and below is None):
                break
            if source is not None and definition is not None:
                where = source.locate((section, name))
                shown = f"{where.file}:{where.line}"
                kind, below = _types(definition)
            else:
                kind, below = below, None
            source = self._source(kind)
        return shown

    def _source(self, kind: str | None) -> Source | None:
        if self._request is None or kind is None:
            return None
        registry = (self._request.body.get("environment") or {}).get("resource_registry") or {}
        mapped = registry.get(kind, kind)
        return self._request.sources.get(mapped) if isinstance(mapped, str) else None


def _resource(source: Source, name: str) -> tuple[JsonMapping | None, str]:
    data = source.data if isinstance(source.data, dict) else {}
    for section in ("resources", "Resources"):
        found = (data.get(section) or {}).get(name)
        if isinstance(found, dict):
            return found, section
    return None, ""


def _types(definition: JsonMapping) -> tuple[str | None, str | None]:
    """The type of a resource and, for a group, of its members."""
    kind = definition.get("type") or definition.get("Type")
    content = definition.get("properties") or definition.get("Properties") or {}
    for key in _MEMBERS:
        inner = content.get(key) if isinstance(content, dict) else None
        if isinstance(inner, dict) and isinstance(inner.get("type"), str):
            return kind, inner["type"]
    return kind, None


def remember_places(stack: StackRef, request: StackRequest) -> None:
    """Stores where the files of a stack are. Errors are ignored."""
    if not request.template_url:
        return
    with suppress(OSError):
        file = _file(stack)
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        content = {"template": request.template_url, "environments": list(request.environment_urls)}
        file.write_text(json.dumps(content), encoding="utf-8")


def forget_places(stack: StackRef) -> None:
    with suppress(OSError):
        _file(stack).unlink()


def recall_places(heat: Heat, stack: StackRef, template: str | None = None) -> Places:
    """The places in the given or recall_places template, if the stack still has the same one."""
    environments: list[str] = []
    try:
        if template is None:
            content = json.loads(_file(stack).read_text(encoding="utf-8"))
            template, environments = content["template"], content["environments"]
        request = gather_request(heat, template, environments)
        same = request.body["template"] == heat.get(f"{stack.path}/template")
    except (OSError, ValueError, KeyError, CommandError):
        return Places(None)
    return Places(request if same else None)


def _file(stack: StackRef) -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "calor" / "origins" / f"{Path(stack.id).name}.json"
