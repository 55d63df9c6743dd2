"""Determines which definitions must be stored encrypted."""

from __future__ import annotations

from calor.language.definition import Definition
from calor.service.requests import Request
from calor.stacks import definitions
from calor.store import contents, records
from calor.store.database import Database, reading, seal_of
from calor.store.sealing import Seal


def seal_for(
    database: Database, request: Request, definition: Definition, stack: records.Stack | None = None
) -> Seal | None:
    """The seal for the definition of a stack; None if it has no secrets and the stack is not sealed already."""
    seal = seal_of(database)
    if seal is None or seal.everything or (stack is not None and stack.sealed):
        return seal
    return seal if definitions.has_secrets(request, definition) else None


def seal_definitions(database: Database, stack: records.Stack) -> tuple[records.Stack, dict[str, bytes]]:
    """The stack with sealed definitions only, and the documents to store for them. A sealed stack remains sealed: it
    may return to an earlier definition while its resources still have secrets."""
    bodies: dict[str, bytes] = {}
    plain = {
        name: digest
        for name in ("definition", "previous")
        if (digest := getattr(stack, name)) is not None and not contents.is_sealed(digest)
    }
    with reading(database).connect() as connection:
        for name, digest in plain.items():
            request = definitions.load(connection, digest)
            sealed, documents = definitions.encode(request, seal_of(database))
            bodies.update(documents)
            stack = records.changed(stack, **{name: sealed})
    return stack, bodies
