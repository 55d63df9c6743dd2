"""Migrations of the tables between versions.

A migration imports nothing from the store, so that it never changes.
"""

from __future__ import annotations

from pathlib import Path

from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection


def script() -> ScriptDirectory:
    return ScriptDirectory(str(Path(__file__).parent))


def run(connection: Connection, target: str) -> None:
    """Upgrades a database to a revision, from its current one or from nothing. The caller commits."""
    revisions = script()
    with EnvironmentContext(Config(), revisions) as environment:
        environment.configure(
            connection=connection, fn=lambda current, _: revisions._upgrade_revs(target, current)
        )
        environment.run_migrations()


def known() -> list[str]:
    """All revisions, the first one first."""
    return [one.revision for one in reversed(list(script().walk_revisions()))]
