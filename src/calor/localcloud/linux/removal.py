"""Folders of servers that are gone: out of the way at once, and removed when there is time."""

from __future__ import annotations

import os
from pathlib import Path
from uuid import uuid4

from calor.localcloud.linux.beneath import remove

_TRASH = "removed"


def remove_later(folder: Path) -> None:
    """A folder that is not there is fine. Some of it may belong to ids that only the holder can remove."""
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
            remove(place)
        finally:
            os._exit(0)


def remove_left(folder: Path) -> None:
    """What an earlier process had no time for."""
    for left in folder.glob(f"{_TRASH}*"):
        remove(left)
