"""Renders diagnostics for a terminal, each with its source line and a marker below the position."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from calor.cli.render.ansi import BLUE, BOLD, CYAN, GREEN, RED, YELLOW, Paint, char_width, painter, visible
from calor.cli.render.counting import counts
from calor.language.diagnostics import Diagnostic, Position, Severity
from calor.language.source import Source

_COLOURS = {Severity.ERROR: RED, Severity.WARNING: YELLOW, Severity.INFO: CYAN}
_WORDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_TAB = 4
_LEAST_ROOM = 20


def render(
    diagnostics: Sequence[Diagnostic], sources: Mapping[str, Source], *, color: bool, width: int = 100
) -> str:
    """Each diagnostic with its source line, an empty line after each."""
    paint = painter(color)
    by_name = {source.name: source for source in sources.values()}
    blocks = (_block(diagnostic, by_name, paint, width) for diagnostic in diagnostics)
    return "\n".join(line for block in blocks for line in (*block, ""))


def summary(diagnostics: Sequence[Diagnostic], files: int, *, color: bool = False) -> str:
    """`3 errors, 2 warnings in 2 files`, where files are those that were checked."""
    found = {severity: number for severity, number in counts(diagnostics).items() if number}
    counted = ", ".join(_counted(number, _WORDS[severity]) for severity, number in found.items())
    colour = _COLOURS[next(iter(found))] if found else GREEN
    return painter(color)(f"{counted or 'no problems found'} in {_counted(files, 'file')}", colour, BOLD)


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _block(diagnostic: Diagnostic, sources: Mapping[str, Source], paint: Paint, width: int) -> Iterator[str]:
    where = diagnostic.where
    line = _line(where, sources)
    gutter = " " * (len(str(where.line)) if where and line is not None else 1)
    bar = paint("|", BLUE)
    colour = _COLOURS[diagnostic.severity]
    title = paint(f"{_WORDS[diagnostic.severity]}[{diagnostic.code}]", colour, BOLD)
    first, *further = diagnostic.message.splitlines() or [""]
    yield f"{title}{paint(f': {visible(first)}', BOLD)}"
    for more in further:
        yield f"  {visible(more)}"
    place = str(where) if where else diagnostic.path
    if place:
        yield f"{gutter}{paint('-->', BLUE)} {visible(place)}"
    if where and line is not None:
        text, mark = _excerpt(line, where, max(_LEAST_ROOM, width - len(gutter) - 3))
        yield f"{gutter} {bar}"
        yield f"{paint(str(where.line), BLUE)} {bar} {text}".rstrip()
        yield f"{gutter} {bar} {mark[0]}{paint(mark[1], colour, BOLD)}"
    notes = list(_notes(diagnostic))
    if notes and where and line is not None:
        yield f"{gutter} {bar}"
    for word, note in notes:
        yield f"{gutter} {paint('=', BLUE)} {paint(word, BOLD)}: {visible(note)}"


def _notes(diagnostic: Diagnostic) -> Iterator[tuple[str, str]]:
    if diagnostic.where and "<" in diagnostic.path:
        # The position is that of the nested template or the group; the path identifies the resource.
        yield "note", f"in {diagnostic.path}"
    if diagnostic.advice:
        yield "help", diagnostic.advice


def _line(where: Position | None, sources: Mapping[str, Source]) -> str | None:
    source = sources.get(where.file) if where else None
    if where is None or source is None or not 0 < where.line <= len(source.lines):
        return None
    return source.lines[where.line - 1]


def _excerpt(line: str, where: Position, room: int) -> tuple[str, tuple[str, str]]:
    """As much of the line as fits, the space before the mark, and the mark."""
    cells, columns = _cells(line)
    start = columns[min(where.column - 1, len(line))]
    end = columns[min(max((where.end_column or 0) - 1, where.column), len(line))]
    left = max(0, min(start - room // 3, len(cells) - room))
    shown = _window(cells, left, room)
    length = min(end, left + len(shown)) - start
    return "".join(shown), (" " * (start - left), "^" * max(length, 1))


def _window(cells: list[str], left: int, room: int) -> list[str]:
    shown = cells[left : left + room]
    if left + room < len(cells):
        shown[-1] = "…"
    if left > 0:
        shown[0] = "…"
        # The second half of a wide character that was cut still takes a cell.
        shown[1] = shown[1] or " "
    return shown


def _cells(line: str) -> tuple[list[str], list[int]]:
    """The content of each terminal cell, and the cell of each character and of the end.

    The second cell of a wide character is empty.
    """
    cells: list[str] = []
    columns: list[int] = []
    for char in line:
        columns.append(len(cells))
        if char == "\t":
            cells.extend(" " * (_TAB - len(cells) % _TAB))
            continue
        width = char_width(char)
        if width == 0 and cells:
            columns[-1] -= 1
            cells[-1] += char
        else:
            cells.append(visible(char))
            cells.extend([""] * (width - 1))
    columns.append(len(cells))
    return cells, columns
