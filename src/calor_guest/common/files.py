"""Files that other programs read, too: replaced as a whole, and not readable by others before they should be."""

import json
import os
from typing import Any, NamedTuple, Optional

PRIVATE = 0o600


class Owner(NamedTuple):
    uid: int = -1
    gid: int = -1
    """-1 is for those of a new file."""


def write(
    path: str, content: str, mode: int = PRIVATE, durable: bool = False, owner: Optional[Owner] = None
) -> None:
    """Replaces a file; readers see the old or the new one. Creates missing folders. A `durable` one outlasts a loss of
    power that follows."""
    folder = os.path.dirname(os.path.abspath(path))
    os.makedirs(folder, exist_ok=True)
    # The module tempfile takes a good part of the time in which a hook starts.
    partial = os.path.join(folder, f".{os.path.basename(path)}.{os.urandom(8).hex()}")
    handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(content)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        if owner is not None:
            os.chown(partial, owner.uid, owner.gid)
        os.chmod(partial, mode)
        os.rename(partial, path)
    except BaseException:
        os.unlink(partial)
        raise
    if durable:
        _sync_folder(folder)


def write_json(path: str, value: Any, mode: int = PRIVATE, durable: bool = False) -> None:
    write(path, json.dumps(value, indent=1, sort_keys=True), mode, durable)


def read_text(path: str) -> Optional[str]:
    """None if there is no such file."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except FileNotFoundError:
        return None


def read_json(path: str) -> Any:
    """None if there is no such file. Raises ValueError if it is not JSON."""
    text = read_text(path)
    return None if text is None else json.loads(text)


def make_private_folder(path: str) -> None:
    os.makedirs(path, mode=0o700, exist_ok=True)
    os.chmod(path, 0o700)


def _sync_folder(path: str) -> None:
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
