"""Metadata that administrators of the server put into folders."""

import json
import os
import stat
from typing import Any, List

from calor_guest.collect.deployments import Item
from calor_guest.collect.source import MetadataSource, NotAvailable, log


class Source(MetadataSource):
    name = "local"

    def collect(self) -> List[Item]:
        found: List[Item] = []
        for folder in self.section.many("path"):
            if not os.path.exists(folder):
                log.debug("%s not found. Skipping", folder)
                continue
            _check_folder(folder)
            found += [(name, _read(os.path.join(folder, name))) for name in _names(folder)]
        return sorted(found, key=lambda item: os.fsencode(item[0]))


def _names(folder: str) -> List[str]:
    names = [name for name in os.listdir(folder) if not name.startswith(".")]
    return [name for name in names if not os.path.isdir(os.path.join(folder, name))]


def _check_folder(path: str) -> None:
    """Members of the group may write, so that owners can permit it."""
    status = os.stat(path)
    if status.st_uid != os.getuid():
        raise NotAvailable(f"{path} is owned by another user. This is a security risk.")
    _check_writers(path, status)


def _check_writers(path: str, status: os.stat_result) -> None:
    if status.st_mode & stat.S_IWOTH:
        raise NotAvailable(f"{path} is world writable. This is a security risk.")


def _read(path: str) -> Any:
    try:
        with open(path, encoding="utf-8") as file:
            _check_writers(path, os.fstat(file.fileno()))
            return json.load(file)
    except OSError as error:
        raise NotAvailable(f"{path} cannot be read: {error}") from error
    except ValueError as error:
        raise NotAvailable(f"{path} is not valid JSON ({error})") from error
