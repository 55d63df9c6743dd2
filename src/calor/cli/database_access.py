"""Selects the database of a command: by options, the configuration, or the state directory."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from calor.cli.config import add_files_to

if TYPE_CHECKING:
    from calor.store.cipher import Cipher
    from calor.store.database import Database


class NotAvailable(Exception):
    """The database, its keys or the configuration is not available."""


@dataclass(frozen=True, slots=True)
class DatabaseAccess:
    """The database with its keys, for commands that use it without a server."""

    url: str
    key_file: Path
    configured_keys: tuple[bytes, ...]
    config_files: tuple[Path, ...]

    def is_dead(self, engine: str) -> bool:
        """Whether an engine that uses this state directory is known to have ended."""
        from calor.engine.run.presence import ENGINES, is_dead

        return is_dead(self.key_file.parent / ENGINES, engine)

    @property
    def keys(self) -> tuple[bytes, ...]:
        """The first key encrypts, all of them decrypt. Raises NotAvailable."""
        from calor.config.keys import UnusableKey, parse_key_file

        try:
            kept = parse_key_file(self.key_file.read_text(errors="replace")) if self.key_file.exists() else ()
        except UnusableKey as error:
            raise NotAvailable(f"{self.key_file}: {error}") from None
        return (*self.configured_keys, *kept)

    @property
    def keys_changed_at(self) -> float:
        """When the files with the keys were last written."""
        files = self.config_files if self.configured_keys else (self.key_file,)
        return max((file.stat().st_mtime for file in files if file.exists()), default=0.0)

    @property
    def cipher(self) -> Cipher | None:
        from calor.store.cipher import Cipher

        return Cipher(*self.keys) if self.keys else None

    def connect(self, cipher: Cipher | None = None) -> Database:
        """Raises NotAvailable."""
        from calor.store import database

        try:
            return database.connect(self.url, cipher)
        except database.NotConnected as error:
            raise NotAvailable(str(error)) from None


def add_database_options_to(command: argparse.ArgumentParser, default: object = None) -> None:
    place = "the state directory of the server (CALOR_STATE_DIR)"
    command.add_argument("--state-dir", metavar="DIR", default=default, help=place)
    url = "the database, if it is not the configured one"
    command.add_argument("--database", metavar="URL", default=default, help=url)
    add_files_to(command, default)


def select_database(arguments: argparse.Namespace) -> DatabaseAccess:
    """The database that the options or the configuration select. Raises NotAvailable."""
    from calor.cli.config import load_files
    from calor.config.loading import ConfigError
    from calor.config.translating import settings_of
    from calor.server.settings import default_state_dir

    try:
        loaded = load_files(arguments)
        configured = settings_of(loaded)
    except ConfigError as error:
        raise NotAvailable(str(error)) from None
    folder = Path(arguments.state_dir) if arguments.state_dir else default_state_dir()
    url = arguments.database or configured.database_url or f"sqlite:///{folder.absolute() / 'calor.db'}"
    return DatabaseAccess(url, folder / "key", configured.encryption_keys, tuple(map(Path, loaded.files)))
