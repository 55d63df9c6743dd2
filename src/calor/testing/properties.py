"""The properties of a resource as read from a template."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from calor.language import properties
from calor.language.diagnostics import Diagnostic, Report
from calor.language.values import bare
from calor.resources.contract import ResourceType
from calor.resources.values import JsonObject
from calor.types.world import offline_world


class InvalidProperties(ValueError):
    """The errors for which a template with such properties would be refused."""

    def __init__(self, type_name: str, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__("\n  ".join([f"{type_name} cannot have these properties:", *_lines(diagnostics)]))
        self.diagnostics = diagnostics


def properties_of(kind: type[ResourceType], /, **given: Any) -> JsonObject:
    """The properties as hooks get them: all declared ones, converted, with defaults. None means not given; named
    objects of services are assumed to exist. Raises InvalidProperties."""
    written = {name: value for name, value in given.items() if value is not None}
    reading = properties.read(written, kind.properties, kind.translations, checks=offline_world().checks)
    report = Report()
    for problem in reading.problems:
        report.error(problem.code, problem.message, ("properties", *problem.at), hint=problem.hint)
    if not report.has_errors:
        for rule in kind.rules:
            for broken in rule.problems(reading.values):
                report.error("E416", broken.message, ("properties", *broken.path), kind=broken.kind)
    if report.has_errors:
        raise InvalidProperties(kind.type_name, tuple(report))
    complete: JsonObject = bare(reading.values)
    return complete


def _lines(diagnostics: tuple[Diagnostic, ...]) -> Iterator[str]:
    for found in diagnostics:
        hint = f"; {found.hint}" if found.hint else ""
        yield f"{found.code} {found.path}: {found.message}{hint}"
