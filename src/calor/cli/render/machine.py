"""Diagnostics for other programs: JSON, SARIF, and annotations of GitHub's workflows."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from urllib.parse import quote

from calor import __version__
from calor.cli.json_values import JsonObject
from calor.cli.render.counting import counts
from calor.language.diagnostic_json import diagnostic_to_json
from calor.language.diagnostics import Diagnostic, Severity

Describe = Callable[[str], str | None]
"""The title of a code."""

_SARIF_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_GITHUB_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def to_json(diagnostics: Sequence[Diagnostic]) -> str:
    found = counts(diagnostics)
    document = {
        "diagnostics": [diagnostic_to_json(diagnostic) for diagnostic in diagnostics],
        "summary": {f"{severity.value}s": number for severity, number in found.items()},
    }
    return json.dumps(document, indent=2, ensure_ascii=False)


def undescribed(code: str) -> str | None:
    return None


def to_sarif(diagnostics: Sequence[Diagnostic], describe: Describe = undescribed) -> str:
    """A SARIF 2.1.0 log with one run."""
    codes = {code: index for index, code in enumerate(sorted({found.code for found in diagnostics}))}
    driver = {"name": "Calor", "version": __version__, "rules": [_rule(code, describe) for code in codes]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(diagnostic, codes[diagnostic.code]) for diagnostic in diagnostics],
    }
    log = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=False)


def _rule(code: str, describe: Describe) -> JsonObject:
    title = describe(code)
    return {"id": code, "shortDescription": {"text": title}} if title else {"id": code}


def _result(diagnostic: Diagnostic, rule: int) -> JsonObject:
    result: JsonObject = {
        "ruleId": diagnostic.code,
        "ruleIndex": rule,
        "level": _SARIF_LEVELS[diagnostic.severity],
        "message": {"text": _with_hint(diagnostic)},
    }
    location: JsonObject = {}
    where = diagnostic.where
    if where:
        region = {"startLine": where.line, "startColumn": where.column}
        if where.end_column is not None and where.end_column > where.column:
            region["endColumn"] = where.end_column
        location["physicalLocation"] = {"artifactLocation": {"uri": _uri(where.file)}, "region": region}
    if diagnostic.path:
        location["logicalLocations"] = [{"fullyQualifiedName": diagnostic.path}]
    if location:
        result["locations"] = [location]
    return result


def _uri(file: str) -> str:
    """A reference to the file: URLs and relative paths are kept."""
    if "://" in file:
        return quote(file, safe="%/:?#[]@!$&'()*+,;=~")
    return f"file://{quote(file)}" if file.startswith("/") else quote(file)


def to_github(diagnostics: Sequence[Diagnostic]) -> str:
    """Workflow commands, which GitHub shows as annotations in the changed files."""
    return "\n".join(map(_command, diagnostics))


def _command(diagnostic: Diagnostic) -> str:
    where = diagnostic.where
    message = _with_hint(diagnostic)
    place = ""
    if where:
        place = f"file={_property(where.file)},line={where.line},col={where.column},"
    elif diagnostic.path:
        message = f"{diagnostic.path}: {message}"
    command = _GITHUB_COMMANDS[diagnostic.severity]
    return f"::{command} {place}title={_property(diagnostic.code)}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _with_hint(diagnostic: Diagnostic) -> str:
    return f"{diagnostic.message} ({diagnostic.advice})" if diagnostic.advice else diagnostic.message
