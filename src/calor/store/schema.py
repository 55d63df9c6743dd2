"""Creates, checks and upgrades the tables.

An up-to-date database takes one query. A new one is created directly, without migrations, and Alembic is imported only
for upgrades.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    MetaData,
    String,
    Table,
    create_engine,
    inspect,
    select,
    text,
)
from sqlalchemy.pool import StaticPool

from calor.store.database import reading
from calor.store.tables import metadata

HEAD = "0004"
"""The revision that `tables` describes."""
FIRST = "0001"
LOCK_SECONDS = 50

version = Table(
    "alembic_version", MetaData(), Column("version_num", String(32), primary_key=True, nullable=False)
)

HEATS = frozenset({"raw_template", "resource_properties_data", "stack_lock", "sync_point", "user_creds"})
"""Tables of Heat that Calor does not have."""


class Unusable(Exception):
    """The database cannot be used; the message has the reason, and what to do."""


def upgrade(engine: Engine) -> str | None:
    """Creates or upgrades the tables; returns the previous revision, None if the database was empty. Safe to call in
    several processes at once. Raises Unusable."""
    found = revision(engine)
    if found == HEAD:
        return found
    with _alone(engine) as connection:
        return _upgrade(connection)


def check(engine: Engine) -> None:
    """Raises Unusable unless the database is up to date."""
    with reading(engine).connect() as connection:
        present = set(inspect(connection).get_table_names())
        _refuse_heats(present)
        found = _revision(connection)
    if found is None:
        raise Unusable("the database does not have Calor's tables; run `calor db upgrade`")
    if found != HEAD:
        raise Unusable(f"the database has the revision {found}, but needs {HEAD}; run `calor db upgrade`")
    missing = sorted(metadata.tables.keys() - present)
    if missing:
        raise Unusable(f"tables are missing in the database: {', '.join(missing)}")


def revision(engine: Engine) -> str | None:
    """The revision of a database; None if it has none."""
    with reading(engine).connect() as connection:
        return _revision(connection)


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table(version.name):
        return None
    return connection.execute(select(version.c.version_num)).scalars().first()


def _upgrade(connection: Connection) -> str | None:
    present = set(inspect(connection).get_table_names())
    _refuse_heats(present)
    found = _revision(connection)
    if found is None:
        if version.name in present:
            # Creating them was interrupted, so they were never used.
            metadata.drop_all(connection)
        elif present & metadata.tables.keys():
            _adopt(connection)
            found = FIRST
        if found is None:
            _create(connection)
            return None
    if found != HEAD:
        _migrate(connection, found)
    return found


def _create(connection: Connection) -> None:
    # MariaDB commits each table separately: without a revision, some may be missing.
    version.create(connection, checkfirst=True)
    metadata.create_all(connection)
    connection.execute(version.insert().values(version_num=HEAD))


def _migrate(connection: Connection, found: str) -> None:
    from calor.store import migrations

    if found not in migrations.known():
        raise Unusable(f"the database has the revision {found}, which is newer than this version of Calor")
    migrations.run(connection, HEAD)


def _adopt(connection: Connection) -> None:
    """Sets the revision of a database from before revisions. Raises Unusable if its tables are not Calor's."""
    from calor.store import migrations

    if connection.dialect.name == "sqlite":
        first = create_engine("sqlite://", poolclass=StaticPool)
        with first.begin() as beside:
            migrations.run(beside, FIRST)
            expected = described(beside)
        first.dispose()
        if described(connection) == expected:
            version.create(connection)
            connection.execute(version.insert().values(version_num=FIRST))
            return
    raise Unusable(
        "the database contains other tables with the same names as Calor's: configure an empty one with [database] "
        "connection or --database"
    )


def _refuse_heats(present: set[str]) -> None:
    if not present & HEATS:
        return
    raise Unusable(
        "the database contains Heat's tables, which Calor neither reads nor changes. Create another one, such as "
        "with CREATE DATABASE calor, and configure it with [database] connection or --database"
    )


@contextmanager
def _alone(engine: Engine) -> Iterator[Connection]:
    """A transaction that excludes other upgrades, as SQLite's do anyway."""
    with _lock(engine), engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(hashtext('calor.schema'))"))
        yield connection


@contextmanager
def _lock(engine: Engine) -> Iterator[None]:
    """A named lock of MariaDB, which belongs to a connection."""
    if engine.dialect.name != "mariadb":
        yield
        return
    name = "CONCAT('calor.', DATABASE())"
    with engine.connect() as connection:
        if not connection.execute(text(f"SELECT GET_LOCK({name}, {LOCK_SECONDS})")).scalar():
            raise Unusable("timed out waiting for another process that is upgrading the tables")
        try:
            yield
        finally:
            connection.execute(text(f"SELECT RELEASE_LOCK({name})"))


def described(connection: Connection) -> dict[str, Any]:
    """The structure of a database's tables with Calor's names, for comparison."""
    inspector = inspect(connection)
    return {
        name: {
            "columns": {
                column["name"]: (str(column["type"]), column["nullable"])
                for column in inspector.get_columns(name)
            },
            "key": inspector.get_pk_constraint(name)["constrained_columns"],
            "indexes": {
                index["name"]: (index["column_names"], bool(index["unique"]))
                for index in inspector.get_indexes(name)
            },
            "unique": [one["column_names"] for one in inspector.get_unique_constraints(name)],
            "foreign": [
                (one["constrained_columns"], one["referred_table"], one["options"])
                for one in inspector.get_foreign_keys(name)
            ],
        }
        for name in inspector.get_table_names()
        if name in metadata.tables
    }
