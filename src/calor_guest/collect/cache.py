"""Collected metadata in files.

`NAME.json` is as collected, `.orig` as first seen, and `.last` as the command last accepted it."""

import hashlib
import json
import os
import shutil
import tempfile
from typing import Any, Iterable, List, NamedTuple

from calor_guest.common import files

LIST = "os_config_files"
_LONGEST_NAME = 150


class Stored(NamedTuple):
    path: str
    changed: bool
    """Whether it differs from what the command last accepted."""


class Cache:
    def __init__(self, folder: str) -> None:
        self._folder = folder

    def path(self, name: str) -> str:
        return os.path.join(self._folder, file_name(name) + ".json")

    def read(self, name: str) -> Any:
        """None if nothing of that name is kept, or if it cannot be read."""
        return _read(self.path(name))

    def store(self, name: str, value: Any) -> Stored:
        path = self.path(name)
        text = json.dumps(value, indent=1)
        first = not os.path.exists(path + ".orig")
        if first:
            files.write(path + ".orig", text)
        if first or files.read_text(path) != text:
            files.write(path, text)
        # Compared as JSON, in which 1 and true differ, but the order of members does not count.
        last = _read(path + ".last")
        return Stored(path, first or _canonical(last) != _canonical(value))

    def commit(self, name: str) -> None:
        """Takes what is stored as accepted."""
        path = self.path(name)
        text = files.read_text(path)
        if text is not None:
            files.write(path + ".last", text)

    def store_list(self, names: Iterable[str]) -> str:
        """Notes which files are current, in order."""
        path = os.path.join(self._folder, LIST + ".json")
        files.write(path, json.dumps([self.path(name) for name in names]))
        return path

    def copy_to(self, folder: str) -> None:
        """Replaces that folder. Other programs find the old or the new one, or, for a moment, none."""
        folder = os.path.abspath(folder)
        if os.path.realpath(folder) == os.path.realpath(self._folder):
            return
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        with tempfile.TemporaryDirectory(
            prefix=".os-collect-config-", dir=os.path.dirname(folder)
        ) as scratch:
            fresh = os.path.join(scratch, "new")
            shutil.copytree(self._folder, fresh, symlinks=True)
            if os.path.lexists(folder):
                os.rename(folder, os.path.join(scratch, "old"))
            os.rename(fresh, folder)


def file_name(name: str) -> str:
    """What names a file in the cache: no path, and nothing that separates the paths of a list."""
    plain = name.replace("/", "%2F").replace(":", "%3A").replace("\0", "%00")
    if len(plain.encode("utf-8", "replace")) <= _LONGEST_NAME:
        return plain
    digest = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()
    return f"{plain[:20]}-{digest[:32]}"


def unique(names: Iterable[str], taken: Iterable[str]) -> List[str]:
    """Names of which each is another one, and none is taken."""
    used = set(taken)
    found = []
    for name in names:
        fresh, number = name, 1
        while fresh in used:
            number += 1
            fresh = f"{name}-{number}"
        used.add(fresh)
        found.append(fresh)
    return found


def _read(path: str) -> Any:
    try:
        return files.read_json(path)
    except ValueError:
        return None


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
