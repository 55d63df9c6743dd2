"""Passwords of the embedded cloud's users and the keys of the store, kept where only their owner can read them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from calor.store.cipher import Cipher


@dataclass(frozen=True, slots=True)
class Secrets:
    passwords: Mapping[str, str]
    keys: tuple[bytes, ...]
    """What the store's secrets are encrypted with: the first is used, the others were once."""

    @property
    def cipher(self) -> Cipher:
        return Cipher(*self.keys)


def keep(path: Path, new: Mapping[str, str]) -> Secrets:
    """The passwords known from before together with new ones, written down if there are any."""
    known: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}
    if new:
        known.update(new)
        write_private(path, json.dumps(known))
    key_file = path.with_name("key")
    if not key_file.exists():
        write_private(key_file, Cipher.new_key().decode())
    return Secrets(known, tuple(key_file.read_bytes().split()))


def write_private(path: Path, text: str) -> None:
    """Replaces a file in one go; nobody else can read it."""
    beside = path.with_suffix(".new")
    with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)
    beside.replace(path)
