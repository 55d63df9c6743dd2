"""How many diagnostics there are of each severity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from calor.language.diagnostics import Diagnostic, Severity


def counts(diagnostics: Iterable[Diagnostic]) -> dict[Severity, int]:
    """The worst first, those there are none of included."""
    found = Counter(diagnostic.severity for diagnostic in diagnostics)
    return {severity: found[severity] for severity in Severity}
