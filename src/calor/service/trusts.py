"""Trusts, with which the engine acts for the owner of a stack after the request. They are stored with the stack."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from calor.clouds.errors import CloudError, Transient
from calor.clouds.services import Services
from calor.lifecycle import Action
from calor.service.caller import Caller
from calor.service.errors import ServiceError
from calor.stacks.vault import Vault
from calor.store import credentials, records
from calor.store.database import Database, reading

log = logging.getLogger(__name__)

ADMIN = "admin"
_READ_ONLY = frozenset({Action.CHECK})
"""Actions that change nothing, and therefore keep the stack's trust."""


def create_trust(vault: Vault | None, caller: Caller) -> bytes | None:
    """Creates a trust from the caller, and returns it encrypted; None if there is no cloud. Raises ServiceError."""
    if vault is None or not caller.token:
        return None
    try:
        return vault.create_credentials(caller.token, caller.user_id, caller.roles, caller.trust_id)
    except Transient as error:
        raise ServiceError("HTTPServiceUnavailable", f"No trust can be created at present: {error}") from None
    except CloudError as error:
        raise ServiceError("Forbidden", f"No trust could be created for the stack: {error}") from None


def delete_trust(vault: Vault | None, secret: bytes | None) -> None:
    """Deletes a trust that is no longer needed. Errors are only logged: the user's request does not depend on it."""
    if vault is None or secret is None:
        return
    try:
        vault.delete_credentials(secret)
    except CloudError as error:
        log.warning("a trust could not be deleted: %s", error)


def owner_services(vault: Vault | None, database: Database, credentials_id: str | None) -> Services | None:
    """The services of the cloud with the rights of a stack's owner, whoever the caller is; None without a cloud or a
    trust."""
    if vault is None or credentials_id is None:
        return None
    with reading(database).connect() as connection:
        secret = credentials.get(connection, credentials_id)
    return vault.services(secret) if secret is not None else None


@dataclass(frozen=True, slots=True)
class TrustChange:
    """A trust that replaces another. All stacks of a tree share the row `credentials`."""

    credentials: str
    secret: bytes
    before: bytes


def trust_change(
    vault: Vault | None, database: Database, caller: Caller, stack: records.Stack, action: Action
) -> TrustChange | None:
    """The new trust if the caller did not start the stack's last action: the cloud should see who requests this one,
    with their roles, and the other user may have left. None if the trust is kept.

    An admin acts for the owner, unless the owner is also an admin: the members of the project control what the stack
    does, and must not do so with an admin's rights. Raises ServiceError if the caller's rights cannot be delegated,
    except for a deletion, which is always possible."""
    if vault is None or not caller.token or caller.home != stack.project or stack.credentials is None:
        return None
    if action in _READ_ONLY:
        return None
    with reading(database).connect() as connection:
        before = credentials.get(connection, stack.credentials)
    if before is None or vault.is_from(before, caller.user_id, caller.roles, caller.trust_id):
        return None
    if (caller.is_admin or ADMIN in caller.roles) and not vault.has_role(before, ADMIN):
        return None
    try:
        secret = create_trust(vault, caller)
    except ServiceError:
        if action == Action.DELETE:
            return None
        raise
    return None if secret is None else TrustChange(stack.credentials, secret, before)
