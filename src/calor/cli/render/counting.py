"""How many of what: the last line of a report."""

from __future__ import annotations

from collections.abc import Sequence

from calor.language.diagnostics import Diagnostic, Severity

WORDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def counts(diagnostics: Sequence[Diagnostic]) -> dict[Severity, int]:
    found = dict.fromkeys(Severity, 0)
    for diagnostic in diagnostics:
        found[diagnostic.severity] += 1
    return found


def summary(diagnostics: Sequence[Diagnostic], files: int) -> str:
    """`3 errors, 2 warnings in 2 files`, where files are those that were looked at."""
    found = [counted(number, WORDS[severity]) for severity, number in counts(diagnostics).items() if number]
    said = ", ".join(found) if found else "no problems found"
    return f"{said} in {counted(files, 'file')}" if files else said


def counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
