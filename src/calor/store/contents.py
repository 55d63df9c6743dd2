"""Documents stored once, by their digest."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, select
from sqlalchemy.dialects import mysql, postgresql, sqlite

from calor.store.tables import content


def encode(document: Any) -> tuple[str, bytes]:
    """The digest of a document and the bytes to store for it."""
    text = document if isinstance(document, str) else json.dumps(document, separators=(",", ":"))
    data = text.encode("utf-8", "surrogatepass")
    marked = (b"t" if isinstance(document, str) else b"j") + data
    return hashlib.sha256(marked).hexdigest(), zlib.compress(marked, 1)


@lru_cache(maxsize=256)
def _decoded(body: bytes) -> Any:
    marked = zlib.decompress(body)
    text = marked[1:].decode("utf-8", "surrogatepass")
    return text if marked[:1] == b"t" else json.loads(text)


def put(connection: Connection, bodies: Mapping[str, bytes]) -> None:
    """Stores documents that are not there yet."""
    if not bodies:
        return
    rows = [{"digest": digest, "body": body} for digest, body in bodies.items()]
    name = connection.dialect.name
    if name == "sqlite":
        connection.execute(sqlite.insert(content).on_conflict_do_nothing(), rows)
    elif name == "postgresql":
        connection.execute(postgresql.insert(content).on_conflict_do_nothing(), rows)
    else:
        connection.execute(mysql.insert(content).prefix_with("IGNORE"), rows)


def get(connection: Connection, digests: Iterable[str]) -> dict[str, Any]:
    """Documents by digest. They are shared: whoever changes one copies it first."""
    wanted = list(digests)
    if not wanted:
        return {}
    query = select(content.c.digest, content.c.body).where(content.c.digest.in_(wanted))
    return {digest: _decoded(bytes(body)) for digest, body in connection.execute(query)}
