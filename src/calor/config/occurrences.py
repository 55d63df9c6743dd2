"""Finds the file and line of each assignment; oslo.config knows only the file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from oslo_config import iniparser


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An assignment in a file."""

    file: str
    line: int
    section: str
    name: str
    value: str

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"


class _Scanner(iniparser.BaseParser):
    def __init__(self, file: str) -> None:
        self._file = file
        self._section = "DEFAULT"
        self._line = 0
        self.found: list[Occurrence] = []

    def _split_key_value(self, line: str) -> tuple[str, list[str]]:
        # `assignment` is called at the end of a value, which may be some lines later.
        self._line = self.lineno
        return super()._split_key_value(line)

    def new_section(self, section: str) -> None:
        self._section = section

    def assignment(self, key: str, value: list[str]) -> None:
        self.found.append(Occurrence(self._file, self._line, self._section, key, "\n".join(value)))


def occurrences(files: Iterable[str]) -> list[Occurrence]:
    """All assignments in files that oslo.config can parse, in order."""
    found: list[Occurrence] = []
    for file in files:
        scanner = _Scanner(file)
        scanner.parse(Path(file).read_text().splitlines())
        found.extend(scanner.found)
    return found
