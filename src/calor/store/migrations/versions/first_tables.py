"""The tables from before revisions."""

from __future__ import annotations

from typing import Any

from alembic import op
from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Integer,
    LargeBinary,
    String,
    Text,
)
from sqlalchemy.dialects import mysql

revision = "0001"
down_revision = None

LONG_TEXT = Text().with_variant(mysql.LONGTEXT(), "mariadb")
DOCUMENT = LONG_TEXT.with_variant(JSON(), "sqlite")
BLOB = LargeBinary().with_variant(mysql.LONGBLOB(), "mariadb")
SEQUENCE = BigInteger().with_variant(Integer(), "sqlite")
TIME = Float(53)


def _unbounded(length: int) -> String:
    return String(length).with_variant(Text(), "postgresql").with_variant(mysql.LONGTEXT(), "mariadb")


def _create(name: str, *columns: Column[Any], comment: str | None = None) -> None:
    op.create_table(
        name,
        *columns,
        comment=comment,
        mariadb_charset="utf8mb4",
        mariadb_collate="utf8mb4_nopad_bin",
        mariadb_engine="InnoDB",
    )


def upgrade() -> None:
    _create(
        "content",
        Column("digest", String(64), primary_key=True),
        Column("body", BLOB, nullable=False),
        comment="Templates, files and environments, each once, by a digest of what they say.",
    )

    _create(
        "digest_key",
        Column("id", Integer, primary_key=True),
        Column("secret", BLOB, nullable=False),
        comment="One row: the key, encrypted, of the digests of encrypted contents.",
    )

    _create(
        "stack",
        Column("id", String(36), primary_key=True),
        Column("name", String(255), nullable=False),
        Column("project", String(64), nullable=False),
        Column("root", String(36), nullable=False),
        Column("parent", String(36)),
        Column("parent_resource", _unbounded(255)),
        Column("depth", Integer, nullable=False),
        Column("action", String(16), nullable=False),
        Column("status", String(16), nullable=False),
        Column("reason", LONG_TEXT, nullable=False),
        Column("created_at", TIME, nullable=False),
        Column("updated_at", TIME),
        Column("deleted_at", TIME),
        Column("definition", String(64), nullable=False),
        Column("previous", String(64)),
        Column("description", LONG_TEXT, nullable=False),
        Column("disable_rollback", Boolean, nullable=False),
        Column("timeout_mins", Integer),
        Column("deadline", TIME),
        Column("username", String(255)),
        Column("user_project", String(64)),
        Column("credentials", String(36)),
        Column("tags", DOCUMENT, nullable=False),
        Column("outputs", DOCUMENT),
        Column("run_id", String(36), nullable=False),
        Column("run", DOCUMENT, nullable=False),
    )
    op.create_index("ix_stack_root", "stack", ["root"])
    op.create_index("ix_stack_parent", "stack", ["parent"])
    op.create_index("stack_by_project", "stack", ["project", "deleted_at", "created_at"])
    op.create_index("stack_by_name", "stack", ["project", "name"])
    op.create_index("stack_in_progress", "stack", ["status", "root"])

    _create(
        "tag",
        Column("stack", String(36), ForeignKey("stack.id", ondelete="CASCADE"), primary_key=True),
        Column("tag", String(80), primary_key=True),
    )
    op.create_index("ix_tag_tag", "tag", ["tag"])

    _create(
        "resource",
        Column("id", String(36), primary_key=True),
        Column("stack", String(36), nullable=False),
        Column("name", String(255), nullable=False),
        Column("type", _unbounded(255), nullable=False),
        Column("physical_id", LONG_TEXT),
        Column("action", String(16), nullable=False),
        Column("status", String(16), nullable=False),
        Column("reason", LONG_TEXT, nullable=False),
        Column("created_at", TIME, nullable=False),
        Column("updated_at", TIME),
        Column("definition", String(64)),
        Column("properties", DOCUMENT),
        Column("metadata", DOCUMENT),
        Column("attributes", DOCUMENT),
        Column("data", DOCUMENT),
        Column("requires", DOCUMENT, nullable=False),
        Column("replaces", String(36)),
        Column("replaced_by", String(36)),
    )
    op.create_index("resource_by_stack", "resource", ["stack", "name"])
    op.create_index(
        "resource_by_physical_id", "resource", ["physical_id"], mariadb_length=64, postgresql_using="hash"
    )

    _create(
        "event",
        Column("seq", SEQUENCE, primary_key=True, autoincrement=True),
        Column("id", String(36), nullable=False, unique=True),
        Column("stack", String(36), nullable=False),
        Column("root", String(36), nullable=False),
        Column("resource", String(255), nullable=False),
        Column("type", _unbounded(255), nullable=False),
        Column("physical_id", LONG_TEXT),
        Column("action", String(16), nullable=False),
        Column("status", String(16), nullable=False),
        Column("reason", LONG_TEXT, nullable=False),
        Column("at", TIME, nullable=False),
        Column("properties", DOCUMENT),
    )
    op.create_index("event_by_stack", "event", ["stack", "seq"])
    op.create_index("event_by_root", "event", ["root", "seq"])

    _create(
        "lease",
        Column("stack", String(36), primary_key=True),
        Column("owner", String(36), nullable=False),
        Column("epoch", Integer, nullable=False),
        Column("expires_at", TIME, nullable=False),
        comment="Who walks a stack. A write by another owner or of another epoch is refused.",
    )

    _create(
        "inbox",
        Column("id", String(36), primary_key=True),
        Column("seq", TIME, nullable=False),
        Column("root", String(36), nullable=False),
        Column("stack", String(36), nullable=False),
        Column("resource", String(255), nullable=False),
        Column("details", DOCUMENT),
        comment="Signals that the engine has not handled yet.",
    )
    op.create_index("ix_inbox_root", "inbox", ["root"])

    _create(
        "snapshot",
        Column("id", String(36), primary_key=True),
        Column("stack", String(36), nullable=False),
        Column("project", String(64), nullable=False),
        Column("name", _unbounded(255)),
        Column("action", String(16), nullable=False),
        Column("status", String(16), nullable=False),
        Column("reason", LONG_TEXT, nullable=False),
        Column("created_at", TIME, nullable=False),
        Column("data", DOCUMENT),
    )
    op.create_index("ix_snapshot_stack", "snapshot", ["stack"])

    _create(
        "software_config",
        Column("id", String(36), primary_key=True),
        Column("project", String(64), nullable=False),
        Column("name", _unbounded(255)),
        Column("group", _unbounded(255)),
        Column("config", DOCUMENT, nullable=False),
        Column("created_at", TIME, nullable=False),
    )
    op.create_index("ix_software_config_project", "software_config", ["project"])

    _create(
        "software_deployment",
        Column("id", String(36), primary_key=True),
        Column("project", String(64), nullable=False),
        Column("server", String(64), nullable=False),
        Column("config", String(36), nullable=False),
        Column("stack_user_project", String(64)),
        Column("input_values", DOCUMENT),
        Column("output_values", DOCUMENT),
        Column("action", _unbounded(64)),
        Column("status", _unbounded(64)),
        Column("reason", LONG_TEXT),
        Column("created_at", TIME, nullable=False),
        Column("updated_at", TIME),
    )
    op.create_index("ix_software_deployment_project", "software_deployment", ["project"])
    op.create_index("ix_software_deployment_server", "software_deployment", ["server"])
    op.create_index("ix_software_deployment_config", "software_deployment", ["config"])
    op.create_index(
        "ix_software_deployment_stack_user_project", "software_deployment", ["stack_user_project"]
    )

    _create(
        "credentials",
        Column("id", String(36), primary_key=True),
        Column("project", String(64), nullable=False),
        Column("secret", BLOB, nullable=False),
        comment="What lets the engine act for a stack's owner: a trust or a password, encrypted.",
    )

    _create(
        "service",
        Column("id", String(36), primary_key=True),
        Column("engine", String(36), nullable=False),
        Column("host", String(255), nullable=False),
        Column("hostname", String(255), nullable=False),
        Column("binary", String(255), nullable=False),
        Column("topic", String(255), nullable=False),
        Column("report_interval", Integer, nullable=False),
        Column("created_at", TIME, nullable=False),
        Column("updated_at", TIME, nullable=False),
    )
