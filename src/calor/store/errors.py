"""Aliases of the database's errors for code outside of the store."""

from __future__ import annotations

import sqlalchemy.exc

DatabaseError = sqlalchemy.exc.SQLAlchemyError
"""Any database error."""
Unreachable = sqlalchemy.exc.OperationalError
"""The database does not respond, or not properly."""
DuplicateRow = sqlalchemy.exc.IntegrityError
"""A row exists already, or a foreign key is invalid."""
InvalidValue = sqlalchemy.exc.DataError
"""A value that the database cannot store."""
