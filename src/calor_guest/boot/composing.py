"""A shell script in the making, with the files that it needs beside it."""

from __future__ import annotations

from dataclasses import dataclass, field
from shlex import quote


@dataclass
class Script:
    folder: str
    """Where the script will find its files."""
    lines: list[str] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)

    def say(self, line: str) -> None:
        self.lines.append(line)

    def note(self, words: str) -> None:
        """A word for the console."""
        self.say(f"note {quote(words)}")

    def file(self, content: bytes) -> str:
        """Where a file with that content will be."""
        name = f"file-{len(self.files):03}"
        self.files[name] = content
        return f"{self.folder}/{name}"
