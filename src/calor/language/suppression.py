"""Suppresses diagnostics by comments and options."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from calor.language.diagnostics import Diagnostic
from calor.language.source import Source

_COMMENT = re.compile(r"#\s*calor:\s*ignore=([A-Z]\d+(?:\s*,\s*[A-Z]\d+)*)")


def select(
    diagnostics: Iterable[Diagnostic],
    sources: Mapping[str, Source],
    *,
    only: Sequence[str] = (),
    without: Sequence[str] = (),
) -> list[Diagnostic]:
    """The diagnostics whose codes start with one of `only` and none of `without`, and that are not suppressed by a
    comment `# calor: ignore=CODE` on their line."""
    by_name = {source.name: source for source in sources.values()}
    return [
        found
        for found in diagnostics
        if (not only or found.code.startswith(tuple(only)))
        and not (without and found.code.startswith(tuple(without)))
        and found.code not in _ignored(found, by_name)
    ]


def _ignored(found: Diagnostic, sources: Mapping[str, Source]) -> list[str]:
    where = found.where
    source = sources.get(where.file) if where else None
    if where is None or source is None or not 0 < where.line <= len(source.lines):
        return []
    comment = _COMMENT.search(source.lines[where.line - 1])
    return [code.strip() for code in comment.group(1).split(",")] if comment else []
