"""Removes folders of deleted servers: they are renamed at once, and removed in the background."""

from __future__ import annotations

import os
from pathlib import Path
from uuid import uuid4

from calor.localcloud.linux.safe_paths import remove_tree

_TRASH = "removed"


def remove_later(folder: Path) -> None:
    """Does nothing if the folder does not exist. Only the holder can remove files of mapped ids."""
    trash = folder.parent.parent / _TRASH
    trash.mkdir(exist_ok=True)
    place = trash / uuid4().hex
    try:
        folder.rename(place)
    except FileNotFoundError:
        return
    if os.fork() == 0:
        try:
            os.nice(10)
            remove_tree(place)
        finally:
            os._exit(0)


def remove_leftovers(folder: Path) -> None:
    """Removes what an earlier process has not finished."""
    for left in folder.glob(f"{_TRASH}*"):
        remove_tree(left)
