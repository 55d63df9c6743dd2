"""Numbers signals in the database, counts renewals of leases, and adds incidents of crashed engines."""

from __future__ import annotations

from typing import Any

from alembic import op
from sqlalchemy import JSON, BigInteger, Column, Float, Integer, String, Text, text
from sqlalchemy.dialects import mysql

revision = "0003"
down_revision = "0002"

MARIADB: dict[str, Any] = {
    "mariadb_charset": "utf8mb4",
    "mariadb_collate": "utf8mb4_nopad_bin",
    "mariadb_engine": "InnoDB",
}


def upgrade() -> None:
    op.add_column("lease", Column("renewals", BigInteger, nullable=False, server_default="0"))
    op.create_table(
        "suspicion",
        Column("stack", String(36), primary_key=True),
        Column("run_id", String(36), primary_key=True),
        Column("incident", String(64), primary_key=True),
        Column("progress", BigInteger, nullable=False),
        Column("at", Float(53), nullable=False),
        comment="When an engine died or hung while it computed something for an action of a stack.",
        **MARIADB,
    )
    _number_signals()


def _number_signals() -> None:
    """Recreates the table with its pending signals, as not every database can change a primary key."""
    connection = op.get_bind()
    columns = "id, root, stack, resource, details"
    waiting = connection.execute(text(f"SELECT {columns} FROM inbox ORDER BY seq, id")).mappings().all()
    op.drop_table("inbox")
    long_text = Text().with_variant(mysql.LONGTEXT(), "mariadb")
    op.create_table(
        "inbox",
        Column("seq", BigInteger().with_variant(Integer(), "sqlite"), primary_key=True, autoincrement=True),
        Column("id", String(36), nullable=False, unique=True),
        Column("root", String(36), nullable=False),
        Column("stack", String(36), nullable=False),
        Column("resource", String(255), nullable=False),
        Column("details", long_text.with_variant(JSON(), "sqlite")),
        comment="Signals that the engine has not handled yet.",
        **MARIADB,
    )
    op.create_index("ix_inbox_root", "inbox", ["root"])
    for row in waiting:
        insert = f"INSERT INTO inbox ({columns}) VALUES (:id, :root, :stack, :resource, :details)"
        connection.execute(text(insert), dict(row))
