"""A shell script that is being written, with the files that it needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from shlex import quote


@dataclass
class Script:
    folder: str
    """The folder of the files when the script runs."""
    lines: list[str] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)

    def add(self, line: str) -> None:
        self.lines.append(line)

    def note(self, words: str) -> None:
        """Adds a message to the console."""
        self.add(f"note {quote(words)}")

    def file(self, content: bytes) -> str:
        """Adds a file, and returns its path."""
        name = f"file-{len(self.files):03}"
        self.files[name] = content
        return f"{self.folder}/{name}"
