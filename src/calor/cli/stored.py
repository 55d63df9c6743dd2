"""The database that a command works on: named on the command line, configured, or that of the state directory."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calor.cli.config import add_files_to

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from calor.store.cipher import Cipher


class NotAtHand(Exception):
    """Something that a command needs cannot be used; the message says what."""


@dataclass(frozen=True, slots=True)
class Stored:
    url: str
    key_file: Path
    configured_key: bytes | None

    @property
    def keys(self) -> tuple[bytes, ...]:
        """The first encrypts, all of them read."""
        configured = (self.configured_key,) if self.configured_key is not None else ()
        kept = tuple(self.key_file.read_bytes().split()) if self.key_file.exists() else ()
        return (*configured, *kept)

    @property
    def cipher(self) -> Cipher | None:
        from calor.store.cipher import Cipher

        return Cipher(*self.keys) if self.keys else None

    def connect(self, cipher: Cipher | None = None) -> Engine:
        """Raises NotAtHand."""
        from calor.store import database

        try:
            return database.connect(self.url, cipher)
        except database.NotConnected as error:
            raise NotAtHand(str(error)) from None


def add_place_to(command: argparse.ArgumentParser, default: Any = None) -> None:
    place = "where the server keeps everything (CALOR_STATE_DIR)"
    command.add_argument("--state-dir", metavar="DIR", default=default, help=place)
    url = "the database, if it is not the configured one"
    command.add_argument("--database", metavar="URL", default=default, help=url)
    add_files_to(command, default)


def stored(arguments: argparse.Namespace) -> Stored:
    """Raises NotAtHand."""
    from calor.cli.config import load_files
    from calor.config.loading import ConfigError
    from calor.config.translating import settings_of
    from calor.server.settings import default_state_dir

    try:
        configured = settings_of(load_files(arguments))
    except ConfigError as error:
        raise NotAtHand(str(error)) from None
    folder = Path(arguments.state_dir) if arguments.state_dir else default_state_dir()
    url = arguments.database or configured.database_url or f"sqlite:///{folder.absolute() / 'calor.db'}"
    return Stored(url, folder / "key", configured.encryption_key)
