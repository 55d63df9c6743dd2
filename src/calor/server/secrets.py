"""Passwords of the embedded cloud's users and the keys of the store, kept where only their owner can read them."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from calor.config.keys import UnusableKey, kept_keys
from calor.store.cipher import Cipher


@dataclass(frozen=True, slots=True)
class Secrets:
    passwords: Mapping[str, str]
    keys: tuple[bytes, ...]
    """What the store's secrets are encrypted with: the first is used, the others were once."""

    @property
    def cipher(self) -> Cipher:
        return Cipher(*self.keys)


def keep_passwords(state_dir: Path, new: Mapping[str, str]) -> Mapping[str, str]:
    """The passwords known from before together with new ones, written down if there are any."""
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
    """What a state directory knows, and keys that were configured. A directory without a key is given one.
    Raises UnusableKey."""
    file = state_dir / "key"
    if not file.exists():
        _write_first(file, Cipher.new_key().decode())
    try:
        keys = kept_keys(file.read_text())
    except UnusableKey as error:
        raise UnusableKey(f"{file}: {error}") from None
    # What was encrypted before a key was configured can still be read.
    return Secrets(passwords(state_dir), (*configured_keys, *keys))


def write_private(path: Path, text: str) -> None:
    """Replaces a file in one go; nobody else can read it."""
    _written_beside(path, text).replace(path)


def _write_first(path: Path, text: str) -> None:
    """Writes a file unless another process has been faster."""
    beside = _written_beside(path, text)
    with contextlib.suppress(FileExistsError):
        path.hardlink_to(beside)
    beside.unlink()


def _written_beside(path: Path, text: str) -> Path:
    beside = path.with_suffix(f".{os.getpid()}.new")
    with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)
    return beside


def _password_file(state_dir: Path) -> Path:
    return state_dir / "passwords.json"
