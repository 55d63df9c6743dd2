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
    configured_keys: tuple[bytes, ...]
    config_files: tuple[Path, ...]

    def is_dead(self, engine: str) -> bool:
        """Whether an engine that uses this state directory is known to have ended."""
        from calor.engine.presence import ENGINES, is_dead

        return is_dead(self.key_file.parent / ENGINES, engine)

    @property
    def keys(self) -> tuple[bytes, ...]:
        """The first encrypts, all of them decrypt. Raises NotAtHand."""
        from calor.config.keys import UnusableKey, kept_keys

        try:
            kept = kept_keys(self.key_file.read_text()) if self.key_file.exists() else ()
        except UnusableKey as error:
            raise NotAtHand(f"{self.key_file}: {error}") from None
        return (*self.configured_keys, *kept)

    @property
    def keys_changed_at(self) -> float:
        """When the files that have the keys were last written."""
        files = self.config_files if self.configured_keys else (self.key_file,)
        return max((file.stat().st_mtime for file in files if file.exists()), default=0.0)

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
        loaded = load_files(arguments)
        configured = settings_of(loaded)
    except ConfigError as error:
        raise NotAtHand(str(error)) from None
    folder = Path(arguments.state_dir) if arguments.state_dir else default_state_dir()
    url = arguments.database or configured.database_url or f"sqlite:///{folder.absolute() / 'calor.db'}"
    return Stored(url, folder / "key", configured.encryption_keys, tuple(map(Path, loaded.files)))
