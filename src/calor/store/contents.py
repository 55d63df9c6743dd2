"""Documents stored once by their digest. The digest of an encrypted document reveals nothing about its content."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Insert, bindparam, insert, select

from calor.store import sealing
from calor.store.cipher import WrongKey
from calor.store.sealing import Seal
from calor.store.tables import content

_SEALED_DIGEST = "s"
"""The prefix of encrypted documents' digests; those of others are hexadecimal."""
_SEALED_BODY = b"g"
"""The prefix of encrypted bodies, which are Fernet tokens; others are zlib streams."""


# Built once, because requests and engines run them often.
_BY_DIGEST = select(content.c.digest, content.c.body).where(
    content.c.digest.in_(bindparam("digests", expanding=True))
)


def is_sealed(digest: str) -> bool:
    return digest.startswith(_SEALED_DIGEST)


def encode(document: object, seal: Seal | None = None) -> tuple[str, bytes]:
    """The digest of a document and the bytes to store, encrypted if there is a seal."""
    text = document if isinstance(document, str) else json.dumps(document, separators=(",", ":"))
    data = text.encode("utf-8", "surrogatepass")
    marked = (b"t" if isinstance(document, str) else b"j") + data
    body = zlib.compress(marked, 1)
    if seal is None:
        return hashlib.sha256(marked).hexdigest(), body
    return _SEALED_DIGEST + seal.digest(marked)[1:], seal.cipher.seal(body)


@lru_cache(maxsize=256)
def _decoded(body: bytes, seal: Seal | None) -> Any:
    if body.startswith(_SEALED_BODY):
        if seal is None:
            raise WrongKey
        body = seal.cipher.open(body)
    marked = zlib.decompress(body)
    text = marked[1:].decode("utf-8", "surrogatepass")
    return text if marked[:1] == b"t" else json.loads(text)


def put(connection: Connection, bodies: Mapping[str, bytes]) -> None:
    """Stores documents that do not exist yet."""
    if not bodies:
        return
    # Sorted, so that concurrent writers do not deadlock.
    rows = [{"digest": digest, "body": bodies[digest]} for digest in sorted(bodies)]
    connection.execute(_insert_new(connection.dialect.name), rows)


@lru_cache
def _insert_new(dialect: str) -> Insert:
    # Importing the dialects of databases that are not used would take a sixth of the start of a server.
    if dialect == "sqlite":
        from sqlalchemy.dialects import sqlite

        return sqlite.insert(content).on_conflict_do_nothing()
    if dialect == "postgresql":
        from sqlalchemy.dialects import postgresql

        return postgresql.insert(content).on_conflict_do_nothing()
    return insert(content).prefix_with("IGNORE")


def get(connection: Connection, digests: Iterable[str]) -> dict[str, Any]:
    """Documents by digest. They are cached and shared: copy them before changing them. Raises WrongKey."""
    wanted = list(digests)
    if not wanted:
        return {}
    seal = sealing.attached(connection.dialect)
    rows = connection.execute(_BY_DIGEST, {"digests": wanted})
    return {digest: _decoded(bytes(body), seal) for digest, body in rows}
