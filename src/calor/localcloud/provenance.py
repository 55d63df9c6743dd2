"""Marks the files in which this cloud has created a file system, by an extended attribute.

The kernel trusts file systems that it mounts, and users can put any data into volumes by uploading images. So a file is
marked while it is still blank, and from then on only the kernel writes to it; a copy is marked only if its source is.
The mark is not stored in a record, which could become wrong when data is copied or moved.

Only root can set and read marks, and only root mounts volumes.
"""

from __future__ import annotations

import os
import sys

_MARK = "trusted.calor.made_here"
_PIECE = 1 << 20


def mark_as_made_here(file: int) -> None:
    """Raises OSError if the file system does not support it."""
    if sys.platform == "linux":
        os.setxattr(file, _MARK, b"1")


def is_made_here(file: int) -> bool:
    if sys.platform == "linux":
        try:
            return os.getxattr(file, _MARK) == b"1"
        except OSError:
            return False
    return False


def is_blank(file: int) -> bool:
    """Whether an open file has only zeros; holes are not read."""
    place = 0
    while True:
        try:
            place = os.lseek(file, place, os.SEEK_DATA)
        except OSError:
            # No data follows.
            return True
        piece = os.pread(file, _PIECE, place)
        if any(piece):
            return False
        place += len(piece)
