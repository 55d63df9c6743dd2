"""Diagnostics for pipes: one line each, for grep and cut."""

from __future__ import annotations

from collections.abc import Sequence

from calor.cli.render.ansi import visible
from calor.language.diagnostics import Diagnostic


def render(diagnostics: Sequence[Diagnostic]) -> str:
    """`file:line:column: error E410 message (hint)`; without a position, it starts with the path."""
    return "\n".join(map(_line, diagnostics))


def _line(diagnostic: Diagnostic) -> str:
    place = str(diagnostic.where) if diagnostic.where else diagnostic.path
    start = f"{place}: " if place else ""
    hint = f" ({diagnostic.advice})" if diagnostic.advice else ""
    message = " ".join(diagnostic.message.splitlines())
    return visible(f"{start}{diagnostic.severity.value} {diagnostic.code} {message}{hint}")
