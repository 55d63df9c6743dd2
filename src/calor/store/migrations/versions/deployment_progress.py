"""Stores when agents fetch deployments, and their progress."""

from __future__ import annotations

from alembic import op
from sqlalchemy import JSON, Column, Float, Text
from sqlalchemy.dialects import mysql

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    long_text = Text().with_variant(mysql.LONGTEXT(), "mariadb")
    op.add_column("software_deployment", Column("fetched_at", Float(53)))
    op.add_column("software_deployment", Column("progress", long_text.with_variant(JSON(), "sqlite")))
