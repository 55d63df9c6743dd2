"""Diagnostics: the errors and warnings about a template, as data.

A diagnostic is a value. Code that finds an error adds it to a `Report` and continues; errors in a user's template are
never raised outside this package. `diagnostic_json` is the form in which the API sends them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import Enum

Path = tuple[str | int, ...]
"""A place in a document: keys and indices from the top level."""


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        return ("error", "warning", "info").index(self.value)


@dataclass(frozen=True, slots=True)
class Position:
    """A position in a file; lines and columns count from 1. `end_column` is the end of the marked text, if known."""

    file: str
    line: int
    column: int
    end_column: int | None = None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the documents of a request: `document` is the template, an environment or the name of a file, and
    `path` an entry in it. The position is set if the text of the document is available; others who have the text can
    find it by the path."""

    position: Position | None = None
    document: str = ""
    path: Path = ()


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """An error, a warning or a remark.

    `kind` is the class of the error in Heat's API, and `path` the dotted path in the API's messages
    (`resources.server.properties.flavor`). `deferred` marks an error that Heat would report only later: after the stack
    was created, in an output, or when it creates a resource. `declared` is the declaration of the parameter, if the
    error is in a value that was given for it elsewhere.
    """

    severity: Severity
    code: str
    message: str
    kind: str = "StackValidationFailed"
    path: str = ""
    place: Place | None = None
    hint: str | None = None
    deferred: bool = False
    declared: Place | None = None

    @property
    def where(self) -> Position | None:
        return self.place.position if self.place is not None else None

    @property
    def advice(self) -> str | None:
        """The hint, or else the place of the declaration."""
        if self.hint is None and self.declared is not None and self.declared.position is not None:
            return f"it is declared at {self.declared.position}"
        return self.hint

    @property
    def is_fatal(self) -> bool:
        """Whether a stack with this error is certain to fail, so that a server refuses it."""
        return self.severity is Severity.ERROR and (not self.deferred or self.code in _CERTAIN)

    @property
    def full_message(self) -> str:
        """The message as in the API: kind, path, text."""
        text = f"{self.path}: {self.message}" if self.path else self.message
        return text if self.kind in _UNNAMED_KINDS else f"{self.kind}: {text}"

    @property
    def sort_key(self) -> tuple[str, int, int, int, str, str]:
        where = self.where or Position("", 0, 0)
        return (where.file, where.line, where.column, self.severity.rank, self.code, self.full_message)


_CERTAIN = frozenset({"E208", "E209", "E210", "E410", "E414", "E415"})
"""Errors that Heat may report later, but always reports."""

_UNNAMED_KINDS = frozenset({"StackValidationFailed", ""})

Locator = Callable[[Path, bool], Place | None]
"""Finds the place of a path: of the key, or with True of the value if that is a scalar."""


def nowhere(path: Path, value: bool = False) -> Place | None:
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
        "E422",
        "W303",
        "W304",
        "W310",
        "W312",
    }
)


def is_about_value(code: str) -> bool:
    """Whether a diagnostic points at a value rather than at its key."""
    return code in _ABOUT_VALUES


class Report:
    """Collects diagnostics."""

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
        given_at: Place | None = None,
    ) -> None:
        """Adds an error at a path of the document, which is also its API path unless another is given. `given_at` is
        the place of a value that was given elsewhere."""
        shown = dotted(at) if path is None else path
        place, declared = self.locate(at, is_about_value(code)), None
        if given_at is not None:
            # An unknown parameter is declared nowhere.
            place, declared = given_at, place if code != "E207" else None
        self.add(Diagnostic(Severity.ERROR, code, message, kind, shown, place, hint, deferred, declared))

    def warn(self, code: str, message: str, at: Path = (), *, hint: str | None = None) -> None:
        place = self.locate(at, is_about_value(code))
        self.add(Diagnostic(Severity.WARNING, code, message, "", dotted(at), place, hint))

    @property
    def has_errors(self) -> bool:
        return any(found.severity is Severity.ERROR for found in self._found)

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def sorted(self) -> list[Diagnostic]:
        """The diagnostics without duplicates, ordered by position."""
        return sorted(dict.fromkeys(self._found), key=lambda found: found.sort_key)


def unique_by_place(report: Report) -> Report:
    """The diagnostics without duplicates about the same place."""
    first: dict[Diagnostic, Diagnostic] = {}
    for found in report:
        first.setdefault(replace(found, path="") if found.place is not None else found, found)
    made = Report(report.locate)
    made.extend(first.values())
    return made


def within(diagnostic: Diagnostic, prefix: str) -> Diagnostic:
    """The diagnostic of a nested template as seen from its parent."""
    path = f"{prefix}.{diagnostic.path}" if diagnostic.path else prefix
    return replace(diagnostic, path=path)


def dotted(path: Path) -> str:
    """`resources.a.properties.list[0].name`; members of groups, named by numbers, look like items."""
    text = ""
    for step in path:
        # YAML keys are not always text.
        numeric = str(step).isdigit()
        text += f"[{step}]" if numeric else f".{step}" if text else str(step)
    return text


LONGEST_NAME = 255
MOST_COMPARISONS = 20_000
_comparisons: ContextVar[list[int] | None] = ContextVar("comparisons", default=None)


@contextmanager
def limit_comparisons() -> Iterator[None]:
    """Limits the number of names that are compared for hints, so that of very many errors only the first have hints."""
    token = _comparisons.set([MOST_COMPARISONS])
    try:
        yield
    finally:
        _comparisons.reset(token)


def did_you_mean(wrong: object, known: Iterable[object], form: str = "{}") -> str | None:
    """A hint naming the closest of the known names, or None."""
    match = closest(wrong, known)
    return f"did you mean `{form.format(match)}`?" if match else None


def closest(wrong: object, known: Iterable[object], cutoff: float = 0.6) -> str | None:
    """The known name closest to a wrong one. Of very many names, only those with the same first letters are compared,
    to save time."""
    wrong = str(wrong)
    left = _comparisons.get()
    if len(wrong) > LONGEST_NAME or (left is not None and left[0] <= 0):
        return None
    names = [text for name in known if len(text := str(name)) <= LONGEST_NAME]
    if len(names) > 2000:
        names = [name for name in names if name[:2].lower() == wrong[:2].lower()][:2000]
    if left is not None:
        left[0] -= len(names)
    return next(iter(get_close_matches(wrong, names, n=1, cutoff=cutoff)), None)
