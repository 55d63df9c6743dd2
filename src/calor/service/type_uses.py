"""Locates the uses of a refused resource type in templates."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from calor.language.definition import Definition
from calor.language.diagnostics import Diagnostic, Report, dotted, unique_by_place
from calor.service.errors import UnusableType

CODE = "E422"


@contextmanager
def located_in(definition: Definition) -> Iterator[None]:
    """Adds a diagnostic for each use of the type to a raised UnusableType."""
    try:
        yield
    except UnusableType as error:
        report = Report()
        report.extend(_uses(definition, error, ""))
        error.diagnostics = tuple(unique_by_place(report))
        raise


def _uses(definition: Definition, error: UnusableType, above: str) -> Iterator[Diagnostic]:
    words = definition.template.version.words
    for resource in definition.resources.values():
        found, at = resource.resource_type, (*resource.text.path, words.type)
        if isinstance(found, type) and found.type_name == error.type_name:
            report = Report(definition.template.locate)
            report.error(CODE, error.message, at, kind=error.kind, path=above + dotted(at))
            yield from report
        if resource.child is not None:
            yield from _uses(resource.child, error, f"{above}{dotted(resource.text.path)}.")
