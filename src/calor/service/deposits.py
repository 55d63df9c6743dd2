"""What lets the engine act for a user who has gone away again: a trust, deposited with the stack."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from sqlalchemy import Engine, select

from calor.clouds.errors import CloudError, Transient
from calor.clouds.services import Services
from calor.engine.vault import Vault
from calor.service.caller import Caller
from calor.service.errors import ServiceError
from calor.store import records, tables
from calor.store.database import reading

log = logging.getLogger(__name__)


def deposit(vault: Vault | None, caller: Caller) -> bytes | None:
    """None where there is no cloud to act in. Raises ServiceError."""
    if vault is None or not caller.token:
        return None
    try:
        return vault.deposit(caller.token, caller.user_id, caller.roles, caller.trust_id)
    except Transient as error:
        raise ServiceError("HTTPServiceUnavailable", f"No trust can be made at present: {error}") from None
    except CloudError as error:
        raise ServiceError("Forbidden", f"No trust could be made for the stack: {error}") from None


def take_back(vault: Vault | None, secret: bytes | None) -> None:
    """A cloud that refuses is no reason to refuse what the user wants."""
    if vault is None or secret is None:
        return
    try:
        vault.destroy(secret)
    except CloudError as error:
        log.warning("a trust stayed: %s", error)


def owner_services(vault: Vault | None, database: Engine, credentials: str | None) -> Services | None:
    """The services of the cloud for the owner of a stack, whoever asks: what a stack's author has named is used with
    the author's rights. None where there is nobody to ask."""
    if vault is None or credentials is None:
        return None
    table = tables.credentials
    with reading(database).connect() as connection:
        secret = connection.execute(select(table.c.secret).where(table.c.id == credentials)).scalar()
    return vault.services(bytes(secret)) if secret is not None else None


@dataclass(frozen=True, slots=True)
class Renewal:
    """A deposit in the place of another's, in the row of `id`, which a whole tree of stacks shares."""

    id: str
    secret: bytes
    before: bytes


CHANGES_NOTHING = frozenset({"CHECK"})
"""Actions that leave everything as it is, and so also in whose name the stack acts."""
ADMIN = "admin"


def renewal(
    vault: Vault | None, database: Engine, caller: Caller, stack: records.Stack, action: str
) -> Renewal | None:
    """What a stack needs when somebody else acts on it than whoever did so last: the cloud is to see the one who wants
    it, with the roles that one has, and the other may have left. None if nothing changes. An admin acts for the owner,
    unless that is an admin, too: the members of the project choose what the stack does, and must not choose it with an
    admin's rights. Raises ServiceError; but nothing keeps a stack from being deleted."""
    if vault is None or not caller.token or caller.home != stack.project or stack.credentials is None:
        return None
    if action in CHANGES_NOTHING:
        return None
    table = tables.credentials
    with reading(database).connect() as connection:
        query = select(table.c.secret).where(table.c.id == stack.credentials)
        found = connection.execute(query).scalar_one_or_none()
    if found is None or vault.is_from(bytes(found), caller.user_id, caller.roles, caller.trust_id):
        return None
    if (caller.is_admin or ADMIN in caller.roles) and not vault.has_role(bytes(found), ADMIN):
        return None
    try:
        secret = deposit(vault, caller)
    except ServiceError:
        if action == "DELETE":
            return None
        raise
    return None if secret is None else Renewal(stack.credentials, secret, bytes(found))
