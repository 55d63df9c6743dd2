"""What is wrong with a template, said all at once and to the point.

A diagnostic is a value. Code that finds something wrong adds it to a `Report` and goes on; nothing about a
user's template is ever raised past this package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import Enum

Path = tuple[str | int, ...]
"""Where in a document: keys and indices from its top."""


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        return ("error", "warning", "info").index(self.value)


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a file; lines and columns count from 1. `end_column` closes the marked text, if known."""

    file: str
    line: int
    column: int
    end_column: int | None = None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    `kind` is the class of error that Heat's API names for it; `path` the dotted place that API messages
    carry (`resources.server.properties.flavor`). `deferred` marks an error that Heat would meet only later:
    after the stack was made, in an output, or when it comes to a resource.
    """

    severity: Severity
    code: str
    message: str
    kind: str = "StackValidationFailed"
    path: str = ""
    where: Position | None = None
    hint: str | None = None
    deferred: bool = False

    @property
    def prevents(self) -> bool:
        """Whether nothing good can come of a stack that has it, so that a server refuses it at once."""
        return self.severity is Severity.ERROR and (not self.deferred or self.code in _CERTAIN)

    @property
    def full_message(self) -> str:
        """The message with its place, as the API words it: kind, path, text."""
        text = f"{self.path}: {self.message}" if self.path else self.message
        return text if self.kind in _UNNAMED_KINDS else f"{self.kind}: {text}"

    @property
    def sort_key(self) -> tuple[str, int, int, int, str, str]:
        where = self.where or Position("", 0, 0)
        return (where.file, where.line, where.column, self.severity.rank, self.code, self.full_message)


_CERTAIN = frozenset({"E208", "E209", "E210", "E410", "E414", "E415"})
"""Errors that may be met later than others, but are met for sure."""

_UNNAMED_KINDS = frozenset({"StackValidationFailed", ""})

Locator = Callable[[Path, bool], Position | None]
"""Finds the place of a path: of its key, or of its value if that is asked for and is a single one."""


def nowhere(path: Path, value: bool = False) -> Position | None:
    return None


_ABOUT_VALUES = frozenset(
    {
        "E110",
        "E203",
        "E205",
        "E401",
        "E402",
        "E405",
        "E406",
        "E414",
        "E415",
        "E420",
        "W303",
        "W304",
        "W310",
        "W312",
    }
)


class Report:
    """Collects diagnostics. A child report adds a prefix to paths, for nested templates."""

    def __init__(self, locate: Locator = nowhere) -> None:
        self.locate = locate
        self._found: list[Diagnostic] = []

    def add(self, diagnostic: Diagnostic) -> None:
        self._found.append(diagnostic)

    def extend(self, diagnostics: Iterable[Diagnostic]) -> None:
        self._found.extend(diagnostics)

    def error(
        self,
        code: str,
        message: str,
        at: Path = (),
        *,
        kind: str = "StackValidationFailed",
        path: str | None = None,
        hint: str | None = None,
        deferred: bool = False,
    ) -> None:
        """Adds an error at a place of the document; its API path is that place unless another is given."""
        shown = dotted(at) if path is None else path
        where = self.locate(at, code in _ABOUT_VALUES)
        self.add(Diagnostic(Severity.ERROR, code, message, kind, shown, where, hint, deferred))

    def warn(self, code: str, message: str, at: Path = (), *, hint: str | None = None) -> None:
        where = self.locate(at, code in _ABOUT_VALUES)
        self.add(Diagnostic(Severity.WARNING, code, message, "", dotted(at), where, hint))

    @property
    def has_errors(self) -> bool:
        return any(found.severity is Severity.ERROR for found in self._found)

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def sorted(self) -> list[Diagnostic]:
        """Each once, by place."""
        return sorted(dict.fromkeys(self._found), key=lambda found: found.sort_key)


def within(diagnostic: Diagnostic, prefix: str) -> Diagnostic:
    """The diagnostic of a nested template as seen from its parent."""
    path = f"{prefix}.{diagnostic.path}" if diagnostic.path else prefix
    return replace(diagnostic, path=path)


def dotted(path: Path) -> str:
    """`resources.a.properties.list[0].name`; members of groups, named by numbers, look like items."""
    text = ""
    for step in path:
        # Keys of YAML are not always text.
        numeric = str(step).isdigit()
        text += f"[{step}]" if numeric else f".{step}" if text else str(step)
    return text


def did_you_mean(wrong: object, known: Iterable[object], form: str = "{}") -> str | None:
    """A hint naming the closest of the known names, or None."""
    match = closest(wrong, known)
    return f"did you mean `{form.format(match)}`?" if match else None


def closest(wrong: object, known: Iterable[object], likeness: float = 0.6) -> str | None:
    """The known name most like a wrong one. Of very many names only those with the same beginning are compared,
    which would otherwise take long."""
    wrong, names = str(wrong), [str(name) for name in known]
    if len(names) > 2000:
        names = [name for name in names if name[:2].lower() == wrong[:2].lower()][:2000]
    return next(iter(get_close_matches(wrong, names, n=1, cutoff=likeness)), None)
