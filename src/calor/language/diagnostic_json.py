"""Diagnostics as JSON, for the API and for the output of commands."""

from __future__ import annotations

from collections.abc import Mapping

from calor.language.diagnostics import Diagnostic, Path, Place, Position, Severity


def diagnostic_to_json(diagnostic: Diagnostic) -> dict[str, object]:
    """`message` includes kind and path, like the API's errors; `text` is the message alone. `file`, `line` and `column`
    are the position in the text that was read; `document` and `at` identify the place without the text."""
    where = diagnostic.where
    return {
        "severity": diagnostic.severity.value,
        "code": diagnostic.code,
        "message": diagnostic.full_message,
        "text": diagnostic.message,
        "kind": diagnostic.kind,
        "path": diagnostic.path,
        "file": where.file if where else None,
        "line": where.line if where else None,
        "column": where.column if where else None,
        **_place(diagnostic.place),
        "declared": _place(diagnostic.declared) if diagnostic.declared is not None else None,
        "hint": diagnostic.advice,
        "deferred": diagnostic.deferred,
    }


def _place(place: Place | None) -> dict[str, object]:
    if place is None:
        return {"document": None, "at": []}
    return {"document": place.document, "at": [step if _is_index(step) else str(step) for step in place.path]}


def _is_index(step: object) -> bool:
    return isinstance(step, int) and not isinstance(step, bool)


def diagnostic_from_json(data: object) -> Diagnostic | None:
    """Reads a diagnostic that another program sent; None if it is malformed."""
    if not isinstance(data, Mapping):
        return None
    severity, code, text = data.get("severity"), data.get("code"), data.get("text")
    if (
        not isinstance(severity, str)
        or severity not in _SEVERITIES
        or not isinstance(code, str)
        or not isinstance(text, str)
    ):
        return None
    return Diagnostic(
        Severity(severity),
        code,
        text,
        _text(data, "kind"),
        _text(data, "path"),
        _read_place(data, _position(data)),
        _text(data, "hint") or None,
        data.get("deferred") is True,
        _read_place(data.get("declared"), None),
    )


_SEVERITIES = frozenset(one.value for one in Severity)


def _text(data: Mapping[str, object], name: str) -> str:
    value = data.get(name)
    return value if isinstance(value, str) else ""


def _position(data: Mapping[str, object]) -> Position | None:
    file, line, column = data.get("file"), data.get("line"), data.get("column")
    if isinstance(file, str) and isinstance(line, int) and isinstance(column, int):
        return Position(file, line, column)
    return None


def _read_place(data: object, position: Position | None) -> Place | None:
    if not isinstance(data, Mapping):
        return None
    document, steps = data.get("document"), data.get("at")
    path: Path = tuple(steps) if isinstance(steps, list) and all(map(_is_step, steps)) else ()
    if not isinstance(document, str):
        return Place(position) if position is not None else None
    return Place(position, document, path)


def _is_step(step: object) -> bool:
    return isinstance(step, str) or _is_index(step)
