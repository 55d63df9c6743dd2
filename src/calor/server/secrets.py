"""The passwords of the embedded cloud's users and the encryption keys, in files that only their owner can read."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from calor.config.keys import UnusableKey, format_key_file, parse_key_file
from calor.store.cipher import Cipher


@dataclass(frozen=True, slots=True)
class Secrets:
    passwords: Mapping[str, str]
    keys: tuple[bytes, ...]
    """The first encrypts; all of them decrypt."""

    @property
    def cipher(self) -> Cipher:
        return Cipher(*self.keys)


def keep_passwords(state_dir: Path, new: Mapping[str, str]) -> Mapping[str, str]:
    """Saves new passwords; returns all."""
    known = passwords(state_dir)
    if new:
        known.update(new)
        write_private(_password_file(state_dir), json.dumps(known))
    return known


def passwords(state_dir: Path) -> dict[str, str]:
    file = _password_file(state_dir)
    known: dict[str, str] = json.loads(file.read_text()) if file.exists() else {}
    return known


def load(state_dir: Path, configured_keys: tuple[bytes, ...]) -> Secrets:
    """The secrets of a state directory, and configured keys. Creates a key if the directory has none. Raises
    UnusableKey."""
    file = state_dir / "key"
    if not file.exists():
        _write_first(file, format_key_file(Cipher.new_key()))
    try:
        keys = parse_key_file(file.read_text(errors="replace"))
    except UnusableKey as error:
        raise UnusableKey(f"{file}: {error}") from None
    if not keys and not configured_keys:
        raise UnusableKey(f"{file} is empty; it must contain the key that encrypts the database")
    # The keys of the file still decrypt what was encrypted before a key was configured.
    return Secrets(passwords(state_dir), (*configured_keys, *keys))


def write_private(path: Path, text: str) -> None:
    """Replaces a file atomically; only its owner can read it."""
    _write_temporary(path, text).replace(path)


def _write_first(path: Path, text: str) -> None:
    """Writes a file unless another process has done so."""
    temporary = _write_temporary(path, text)
    with contextlib.suppress(FileExistsError):
        path.hardlink_to(temporary)
    temporary.unlink()


def _write_temporary(path: Path, text: str) -> Path:
    temporary = path.with_suffix(f".{os.getpid()}.new")
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)
    return temporary


def _password_file(state_dir: Path) -> Path:
    return state_dir / "passwords.json"
