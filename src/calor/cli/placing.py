"""Places that only the command line knows: it has read the files that a request is made of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from calor.language.diagnostics import Diagnostic, Path, Position
    from calor.language.source import Source

_UNKNOWN_PARAMETER = "E207"


def in_environment(
    problem: Diagnostic, environments: Sequence[str], sources: Mapping[str, Source]
) -> Diagnostic:
    """A parameter that the template does not have is wrong where it is given, if that is in an environment."""
    if problem.code != _UNKNOWN_PARAMETER:
        return problem
    for url in reversed(environments):
        source = sources.get(url)
        data = source.data if source is not None and isinstance(source.data, dict) else {}
        given = data.get("parameters")
        for name in given if isinstance(given, dict) else ():
            if source is not None and f"`{name}`" in problem.message:
                return replace(problem, where=source.locate(("parameters", name)))
    return problem


def of_type(message: str, sources: Mapping[str, Source]) -> Position | None:
    """Where a resource type that a message is about is used first."""
    for source in sources.values():
        data = source.data if isinstance(source.data, dict) else {}
        for section in ("resources", "Resources"):
            for path, type_name in _types(data.get(section), (section,)):
                if re.search(rf"(?<![\w:]){re.escape(type_name)}(?![\w:])", message):
                    return source.locate(path, True)
    return None


def _types(value: Any, at: Path) -> Iterator[tuple[Path, str]]:
    """Also those of the members of groups."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key in ("type", "Type") and isinstance(item, str) and "::" in item:
                yield (*at, key), item
            else:
                yield from _types(item, (*at, key))
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from _types(item, (*at, place))
