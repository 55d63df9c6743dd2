"""The number of diagnostics of each severity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from calor.language.diagnostics import Diagnostic, Severity


def counts(diagnostics: Iterable[Diagnostic]) -> dict[Severity, int]:
    """The number of diagnostics by severity, the most severe first, including zeros."""
    found = Counter(diagnostic.severity for diagnostic in diagnostics)
    return {severity: found[severity] for severity in Severity}
