"""The tables. Times are seconds since the epoch, in UTC; ids are UUIDs as text; documents are JSON.

A change here needs a revision in `migrations`.
"""

from __future__ import annotations

from sqlalchemy import (
    DDL,
    BigInteger,
    Boolean,
    Column,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    text,
)
from sqlalchemy import event as events
from sqlalchemy.dialects import mysql

from calor.store.sealing import ALWAYS, WITH_STACK, SealableDocument, SealableText

metadata = MetaData()


def _unbounded(length: int) -> String:
    """For names from users, of any length. SQLite does not limit strings."""
    return String(length).with_variant(Text(), "postgresql").with_variant(mysql.LONGTEXT(), "mariadb")


def _not_mariadb(*_: object, dialect: Dialect, **__: object) -> bool:
    return dialect.name != "mariadb"


Document = SealableDocument()
LongText = Text().with_variant(mysql.LONGTEXT(), "mariadb")
Reason = SealableText()
Blob = LargeBinary().with_variant(mysql.LONGBLOB(), "mariadb")
# SQLite only increments columns declared INTEGER.
Sequence = BigInteger().with_variant(Integer(), "sqlite")
# Without a precision, MariaDB stores seven digits.
Time = Float(53)

content = Table(
    "content",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("body", Blob, nullable=False),
    comment="Templates, files and environments, each once, by a digest of what they say.",
)

digest_key = Table(
    "digest_key",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("secret", Blob, nullable=False),
    comment="One row: the key, encrypted, of the digests of encrypted contents.",
)

stack = Table(
    "stack",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("name", String(255), nullable=False),
    Column("project", String(64), nullable=False),
    Column("root", String(36), nullable=False, index=True),
    Column("parent", String(36), index=True),
    Column("parent_resource", _unbounded(255)),
    Column("depth", Integer, nullable=False, default=0),
    Column("action", String(16), nullable=False),
    Column("status", String(16), nullable=False),
    Column("reason", Reason, nullable=False, default="", info=WITH_STACK),
    Column("created_at", Time, nullable=False),
    Column("updated_at", Time),
    Column("deleted_at", Time),
    Column("definition", String(64), nullable=False),
    Column("previous", String(64)),
    Column("description", LongText, nullable=False, default=""),
    Column("disable_rollback", Boolean, nullable=False, default=True),
    Column("timeout_mins", Integer),
    Column("username", String(255)),
    Column("user_project", String(64)),
    Column("credentials", String(36)),
    Column("tags", Document, nullable=False),
    Column("outputs", Document, info=WITH_STACK),
    Column("run_id", String(36), nullable=False),
    Column("run", Document, nullable=False, info=WITH_STACK),
    Index("stack_by_project", "project", "deleted_at", "created_at"),
    Index("stack_by_name", "project", "name"),
    Index(
        "stack_live_name",
        "project",
        "name",
        unique=True,
        sqlite_where=text("parent IS NULL AND deleted_at IS NULL"),
        postgresql_where=text("parent IS NULL AND deleted_at IS NULL"),
    ).ddl_if(callable_=_not_mariadb),
    Index("stack_in_progress", "status", "root"),
)

# Names of live root stacks are unique. MariaDB has no partial indexes, so use a generated column.
events.listen(
    stack,
    "after_create",
    DDL(  # type: ignore[no-untyped-call]
        "ALTER TABLE stack "
        "ADD COLUMN live_name VARCHAR(255) AS (IF(parent IS NULL AND deleted_at IS NULL, name, NULL)) VIRTUAL, "
        "ADD UNIQUE INDEX stack_live_name (project, live_name)"
    ).execute_if(dialect="mariadb"),
)

tag = Table(
    "tag",
    metadata,
    Column("stack", String(36), ForeignKey("stack.id", ondelete="CASCADE"), primary_key=True),
    Column("tag", String(80), primary_key=True, index=True),
)

resource = Table(
    "resource",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("stack", String(36), nullable=False),
    Column("name", String(255), nullable=False),
    Column("type", _unbounded(255), nullable=False),
    Column("physical_id", LongText),
    Column("action", String(16), nullable=False),
    Column("status", String(16), nullable=False),
    Column("reason", Reason, nullable=False, default="", info=WITH_STACK),
    Column("created_at", Time, nullable=False),
    Column("updated_at", Time),
    Column("definition", String(64)),
    Column("properties", Document, info=WITH_STACK),
    Column("metadata", Document, info=WITH_STACK),
    Column("attributes", Document, info=WITH_STACK),
    Column("data", Document, info=WITH_STACK),
    Column("requires", Document, nullable=False),
    Column("replaces", String(36)),
    Column("replaced_by", String(36)),
    Index("resource_by_stack", "stack", "name"),
    Index("resource_by_physical_id", "physical_id", mariadb_length=64, postgresql_using="hash"),
)

event = Table(
    "event",
    metadata,
    Column("seq", Sequence, primary_key=True, autoincrement=True),
    Column("id", String(36), nullable=False, unique=True),
    Column("stack", String(36), nullable=False),
    Column("root", String(36), nullable=False),
    Column("resource", String(255), nullable=False),
    Column("type", _unbounded(255), nullable=False),
    Column("physical_id", LongText),
    Column("action", String(16), nullable=False),
    Column("status", String(16), nullable=False),
    Column("reason", Reason, nullable=False, default="", info=WITH_STACK),
    Column("at", Time, nullable=False),
    Column("properties", Document, info=WITH_STACK),
    Index("event_by_stack", "stack", "seq"),
    Index("event_by_root", "root", "seq"),
)

lease = Table(
    "lease",
    metadata,
    Column("stack", String(36), primary_key=True),
    Column("owner", String(36), nullable=False),
    Column("epoch", Integer, nullable=False),
    Column("renewals", BigInteger, nullable=False, server_default="0"),
    Column("expires_at", Time, nullable=False),
    comment="Who walks a stack. A write by another owner or of another epoch is refused. The time is for people: an "
    "owner is gone when others have seen no renewal for long enough, by their own clocks.",
)

suspicion = Table(
    "suspicion",
    metadata,
    Column("stack", String(36), primary_key=True),
    Column("run_id", String(36), primary_key=True),
    Column("incident", String(64), primary_key=True),
    Column("progress", BigInteger, nullable=False),
    Column("at", Time, nullable=False),
    comment="When an engine died or hung while it computed something for an action of a stack.",
)

inbox = Table(
    "inbox",
    metadata,
    Column("seq", Sequence, primary_key=True, autoincrement=True),
    Column("id", String(36), nullable=False, unique=True),
    Column("root", String(36), nullable=False, index=True),
    Column("stack", String(36), nullable=False),
    Column("resource", String(255), nullable=False),
    Column("details", Document, info=ALWAYS),
    comment="Signals that the engine has not handled yet.",
)

snapshot = Table(
    "snapshot",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("stack", String(36), nullable=False, index=True),
    Column("project", String(64), nullable=False),
    Column("name", _unbounded(255)),
    Column("action", String(16), nullable=False),
    Column("status", String(16), nullable=False),
    Column("reason", Reason, nullable=False, default="", info=WITH_STACK),
    Column("created_at", Time, nullable=False),
    Column("data", Document, info=WITH_STACK),
)

software_config = Table(
    "software_config",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("project", String(64), nullable=False, index=True),
    Column("name", _unbounded(255)),
    Column("group", _unbounded(255)),
    Column("config", Document, nullable=False, info=ALWAYS),
    Column("created_at", Time, nullable=False),
)

software_deployment = Table(
    "software_deployment",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("project", String(64), nullable=False, index=True),
    Column("server", String(64), nullable=False, index=True),
    Column("config", String(36), nullable=False, index=True),
    Column("stack_user_project", String(64), index=True),
    Column("input_values", Document, info=ALWAYS),
    Column("output_values", Document, info=ALWAYS),
    Column("action", _unbounded(64)),
    Column("status", _unbounded(64)),
    Column("reason", Reason, info=ALWAYS),
    Column("created_at", Time, nullable=False),
    Column("updated_at", Time),
    Column("fetched_at", Time),
    Column("progress", Document, info=ALWAYS),
)

credentials = Table(
    "credentials",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("project", String(64), nullable=False),
    Column("secret", Blob, nullable=False),
    comment="What lets the engine act for a stack's owner: a trust or a password, encrypted.",
)

service = Table(
    "service",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("engine", String(36), nullable=False),
    Column("host", String(255), nullable=False),
    Column("hostname", String(255), nullable=False),
    Column("binary", String(255), nullable=False),
    Column("topic", String(255), nullable=False),
    Column("report_interval", Integer, nullable=False),
    Column("created_at", Time, nullable=False),
    Column("updated_at", Time, nullable=False),
)

# Compare texts exactly, as other databases do: with case, accents and trailing spaces.
for _table in metadata.tables.values():
    _table.dialect_options["mariadb"].update(charset="utf8mb4", collate="utf8mb4_nopad_bin", engine="InnoDB")
