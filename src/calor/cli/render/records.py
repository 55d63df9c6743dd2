"""Prints records: as tables, or in formats for other programs."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from calor.cli.errors import UsageError
from calor.cli.render import ansi
from calor.cli.render.states import painted

Record = Mapping[str, object]
_ID = re.compile(r"\A[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")


@dataclass(frozen=True, slots=True)
class Column:
    key: str
    heading: str

    def answers_to(self, name: str) -> bool:
        return _plain(name) in (_plain(self.key), _plain(self.heading))


def columns(*names: str) -> list[Column]:
    """Columns from names such as `key` or `key:Heading`."""
    made = []
    for name in names:
        key, _, heading = name.partition(":")
        made.append(Column(key, heading or key))
    return made


def on_terminal() -> bool:
    return sys.stdout.isatty()


def colourful() -> bool:
    return on_terminal() and "NO_COLOR" not in os.environ


def print_list(arguments: argparse.Namespace, shown: Sequence[Column], rows: Iterable[Record]) -> None:
    wanted = _chosen(shown, arguments.columns)
    records = [{column.heading: row.get(column.key) for column in wanted} for row in rows]
    form = arguments.format or "table"
    if form == "json":
        ansi.print_text(json.dumps(records, indent=2, ensure_ascii=False))
    elif form == "yaml":
        _print_yaml(records)
    elif form == "value":
        for record in records:
            ansi.print_text(" ".join(_word(value) for value in record.values()))
    elif form == "csv":
        _print_csv([[column.heading for column in wanted], *([*r.values()] for r in records)])
    else:
        _print_table([column.heading for column in wanted], [[*record.values()] for record in records])


def print_record(arguments: argparse.Namespace, record: Record) -> None:
    """One record, with a line for each key."""
    wanted = _chosen([Column(key, key) for key in record], arguments.columns)
    chosen = {column.heading: record[column.key] for column in wanted}
    form = arguments.format or "table"
    if form == "json":
        ansi.print_text(json.dumps(chosen, indent=2, ensure_ascii=False))
    elif form == "yaml":
        _print_yaml(chosen)
    elif form == "value":
        for value in chosen.values():
            ansi.print_text(_word(value))
    elif form == "csv":
        _print_csv([[*chosen], [*chosen.values()]])
    else:
        headings = ["Property", "Value"] if arguments.legacy else ["Field", "Value"]
        _print_table(headings, [[*item] for item in chosen.items()])


def print_document(arguments: argparse.Namespace, document: object) -> None:
    """A document such as a template, an environment or metadata, as YAML unless another format is given."""
    if arguments.format in ("json", "value"):
        ansi.print_text(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        _print_yaml(document)


def _chosen(shown: Sequence[Column], names: Sequence[str]) -> list[Column]:
    if not names:
        return list(shown)
    found = []
    for name in names:
        match = next((column for column in shown if column.answers_to(name)), None)
        if match is None:
            raise UsageError(
                f"there is no column {name}", f"there are {', '.join(one.heading for one in shown)}"
            )
        found.append(match)
    return found


def _plain(name: str) -> str:
    return name.lower().replace("_", " ")


def _word(value: object) -> str:
    if value is None:
        return "None"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _cell(value: object) -> str:
    if value is None:
        return "None"
    if isinstance(value, str):
        return value
    return json.dumps(value, indent=2, ensure_ascii=False)


def _print_yaml(data: object) -> None:
    import yaml

    text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, default_flow_style=False)
    sys.stdout.write(ansi.harmless(text, sys.stdout))


def _print_csv(rows: Iterable[Sequence[object]]) -> None:
    import csv

    writer = csv.writer(sys.stdout, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    for row in rows:
        writer.writerow([ansi.harmless(_word(value), sys.stdout) for value in row])


def _print_table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    cells = [[_lines(value) for value in row] for row in rows]
    if on_terminal():
        print(plain_table(headings, cells, shutil.get_terminal_size().columns, color=colourful()))
    else:
        print(ascii_table(headings, cells))


def _lines(value: object) -> list[str]:
    return [ansi.visible(line) for line in _cell(value).splitlines()] or [""]


Cells = Sequence[Sequence[Sequence[str]]]
"""Rows of cells, each a list of lines."""


def ascii_table(headings: Sequence[str], rows: Cells) -> str:
    """A table with ASCII borders, which existing scripts parse."""
    widths = _widths(headings, rows)
    border = "+" + "+".join("-" * (width + 2) for width in widths) + "+"
    lines = [border, _bordered(headings, widths), border]
    for row in rows:
        lines.extend(_bordered(line, widths) for line in _across(row))
    return "\n".join([*lines, border])


def plain_table(headings: Sequence[str], rows: Cells, room: int, *, color: bool) -> str:
    """A table without borders, with coloured states. Text that does not fit is truncated."""
    paint = ansi.painter(color)
    widths = _fitted(_widths(headings, rows), _least(headings, rows), room)
    lines = [
        paint(
            "  ".join(_padded(one, width) for one, width in zip(headings, widths, strict=True)).rstrip(),
            ansi.BOLD,
        )
    ]
    for row in rows:
        for line in _across(row):
            parts = [
                painted(_padded(_cut(one, width), width), one, paint)
                for one, width in zip(line, widths, strict=True)
            ]
            lines.append("  ".join(parts).rstrip())
    return "\n".join(lines)


def _widths(headings: Sequence[str], rows: Cells) -> list[int]:
    return [
        max([ansi.text_width(heading), *(ansi.text_width(line) for row in rows for line in row[index])])
        for index, heading in enumerate(headings)
    ]


def _least(headings: Sequence[str], rows: Cells) -> list[int]:
    """The minimum widths: ids are not truncated, other columns show at least their heading."""
    return [
        max([ansi.text_width(heading), 8, *(len(row[index][0]) for row in rows if _ID.match(row[index][0]))])
        for index, heading in enumerate(headings)
    ]


def _fitted(widths: list[int], least: list[int], room: int) -> list[int]:
    """Reduces widths until the table fits, the columns with the most spare room first."""
    made = list(widths)
    over = sum(made) + 2 * (len(made) - 1) - room
    while over > 0:
        widest = max(range(len(made)), key=lambda index: made[index] - least[index])
        if made[widest] <= least[widest]:
            break
        made[widest] -= 1
        over -= 1
    return made


def _across(row: Sequence[Sequence[str]]) -> Iterable[list[str]]:
    for index in range(max((len(cell) for cell in row), default=0)):
        yield [cell[index] if index < len(cell) else "" for cell in row]


def _bordered(line: Sequence[str], widths: Sequence[int]) -> str:
    return "| " + " | ".join(_padded(one, width) for one, width in zip(line, widths, strict=True)) + " |"


def _padded(text: str, width: int) -> str:
    return text + " " * (width - ansi.text_width(text))


def _cut(text: str, width: int) -> str:
    if ansi.text_width(text) <= width:
        return text
    made, taken = "", 0
    for char in text:
        taken += ansi.char_width(char)
        if taken > width - 1:
            break
        made += char
    return made + "…"
