"""How a database of an older version becomes one of this version: a revision for each change of the tables.

A revision says what it does by itself and imports nothing of the store, so that it means the same for ever.
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
    """Takes a database to a revision, from the one that is noted in it, or from nothing. The caller commits."""
    revisions = script()
    with EnvironmentContext(Config(), revisions) as environment:
        environment.configure(
            connection=connection, fn=lambda current, _: revisions._upgrade_revs(target, current)
        )
        environment.run_migrations()


def known() -> list[str]:
    """All revisions, the first one first."""
    return [one.revision for one in reversed(list(script().walk_revisions()))]
