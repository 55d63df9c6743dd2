"""Authorization in the object store: owners, ACLs of containers, and signed URLs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto

from calor.localcloud.caller import Caller
from calor.localcloud.objectstore.records import Container
from calor.localcloud.objectstore.service import ObjectStoreService
from calor.localcloud.objectstore.tempurl import is_valid, signature_of, signing_keys
from calor.localcloud.problems import Forbidden, NotFound, Unauthorized
from calor.localcloud.roles import RESELLER_ADMIN, STORING
from calor.localcloud.web import Call

_PREFIX = "AUTH_"
_DEFAULT_DOMAIN = "default"
_ID = re.compile(r"[0-9a-f]{32}")


class Access(Enum):
    """The access that a request needs."""

    OWN = auto()
    LIST = auto()
    READ = auto()
    WRITE = auto()


@dataclass(frozen=True)
class Requester:
    """Who makes a request, and the access granted in the account."""

    caller: Caller | None = None
    is_owner: bool = False
    """Whether the caller may do everything in the account."""
    is_signed: bool = False
    """Whether the request comes with a signed URL."""
    signed_for: str | None = None
    """The id of the container whose key signed the URL, unless a key of the account did."""

    def may(self, need: Access, container: Container | None) -> bool:
        """Whether it may read, list or write the objects of a container besides the one that the request names."""
        if self.is_owner:
            return True
        if container is None:
            return False
        if self.is_signed:
            # As in Swift, a large object is read with its segments, as far as the key reaches.
            return need in (Access.READ, Access.LIST) and self.signed_for in (None, container.id)
        return _has_acl(container, need, self.caller)

    def check(self, need: Access, container: Container | None) -> None:
        if self.may(need, container):
            return
        if self.caller is None:
            raise Unauthorized(
                "This server could not verify that you are authorized to access this document."
            )
        raise Forbidden("Access was denied to this resource.")


def authorize(store: ObjectStoreService, call: Call, need: Access) -> Requester:
    """Authorizes a request. Raises Unauthorized, Forbidden or NotFound."""
    account_id = account_of_path(call)
    container = store.find_container(account_id, call.path["container"]) if "container" in call.path else None
    if "thing" in call.path and "temp_url_sig" in call.query:
        return _check_signature(store, call, account_id, container)
    caller = store.context.authenticate(call.headers.get("x-auth-token", ""))
    requester = Requester(caller, is_owner=caller is not None and _owns(caller, account_id))
    requester.check(need, container)
    return requester


def account_of_path(call: Call) -> str:
    """The project whose account the path names."""
    account = call.path["account"]
    if not account.startswith(_PREFIX) or account == _PREFIX:
        raise NotFound("The resource could not be found.")
    return account.removeprefix(_PREFIX)


def _owns(caller: Caller, account_id: str) -> bool:
    if caller.has_everywhere(RESELLER_ADMIN):
        return True
    return caller.project_id == account_id and bool(caller.roles & STORING)


def _check_signature(
    store: ObjectStoreService, call: Call, account_id: str, container: Container | None
) -> Requester:
    signature = signature_of(call)
    if signature is not None:
        if is_valid(signature, call, signing_keys(store.account(account_id).metadata), store.now()):
            return Requester(is_signed=True)
        if container and is_valid(signature, call, signing_keys(container.metadata), store.now()):
            return Requester(is_signed=True, signed_for=container.id)
    raise Unauthorized("Temp URL invalid")


def _has_acl(container: Container, need: Access, caller: Caller | None) -> bool:
    """Whether the container's ACLs grant access."""
    setting = {"WRITE": "x-container-write", "READ": "x-container-read", "LIST": "x-container-read"}.get(
        need.name
    )
    if setting is None:
        return False
    entries = [entry.strip() for entry in container.settings.get(setting, "").split(",")]
    if need is Access.READ and ".r:*" in entries:
        return True
    if need is Access.LIST and ".rlistings" in entries and ".r:*" in entries:
        return True
    return caller is not None and _names(entries, caller)


def _names(entries: Iterable[str], caller: Caller) -> bool:
    """Entries are of the form project:user, each by id, by name or as a star; those that begin with a dot are about
    something else. Names are those of the default domain: another domain may have the same ones."""
    projects, users = {"*", caller.project_id or "*"}, {"*", caller.user_id}
    if caller.project_domain_id == caller.user_domain_id == _DEFAULT_DOMAIN:
        projects |= _usable(caller.project_name)
        users |= _usable(caller.user_name)
    for entry in entries:
        project, colon, user = entry.partition(":")
        if colon and not entry.startswith(".") and project in projects and user in users:
            return True
    return False


def _usable(name: str | None) -> set[str]:
    """The name, unless it looks like an id: an ACL entry may be the id of a deleted project or user."""
    return set() if name is None or _ID.fullmatch(name) else {name}
