"""Makes names of live root stacks unique, and removes an unused column."""

from __future__ import annotations

from alembic import op
from sqlalchemy import text

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.drop_column("stack", "deadline")
    if op.get_context().dialect.name == "mariadb":
        op.execute(
            "ALTER TABLE stack ADD COLUMN live_name VARCHAR(255) "
            "AS (IF(parent IS NULL AND deleted_at IS NULL, name, NULL)) VIRTUAL, "
            "ADD UNIQUE INDEX stack_live_name (project, live_name)"
        )
    else:
        live = text("parent IS NULL AND deleted_at IS NULL")
        op.create_index(
            "stack_live_name",
            "stack",
            ["project", "name"],
            unique=True,
            sqlite_where=live,
            postgresql_where=live,
        )
