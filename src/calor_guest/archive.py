"""Builds the archive of the guest tools: one file that Python runs."""

from __future__ import annotations

import io
import zipfile
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

_MAIN = "import sys\nfrom calor_guest.programs import main\nsys.exit(main(sys.argv))\n"
_NOT_IN_GUESTS = frozenset({"boot", "archive.py", "__pycache__"})
_ALWAYS = (1980, 1, 1, 0, 0, 0)


@cache
def archive() -> bytes:
    """The same bytes for the same source."""
    buffer = io.BytesIO()
    buffer.write(b"#!/usr/bin/env python3\n")
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as packed:
        _add(packed, "__main__.py", _MAIN.encode())
        _add_folder(packed, "calor_guest", resources.files("calor_guest"))
    return buffer.getvalue()


def _add_folder(packed: zipfile.ZipFile, path: str, folder: Traversable) -> None:
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        if entry.name in _NOT_IN_GUESTS:
            continue
        if entry.is_dir():
            _add_folder(packed, f"{path}/{entry.name}", entry)
        elif not entry.name.endswith(".pyc"):
            _add(packed, f"{path}/{entry.name}", entry.read_bytes())


def _add(packed: zipfile.ZipFile, path: str, content: bytes) -> None:
    packed.writestr(zipfile.ZipInfo(path, _ALWAYS), content, zipfile.ZIP_DEFLATED)
