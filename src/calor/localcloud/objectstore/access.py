"""Who may do what in the object store: owners, those a container's lists let in, and those with a signed URL."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto

from calor.localcloud.caller import Caller
from calor.localcloud.objectstore.records import Container
from calor.localcloud.objectstore.state import ObjectStore
from calor.localcloud.objectstore.tempurl import is_valid, keys_in, signature_of
from calor.localcloud.problems import Forbidden, NotFound, Unauthorized
from calor.localcloud.web import Call

_OPERATORS = frozenset({"admin", "member", "swiftoperator"})
_EVERYWHERE = "ResellerAdmin"
_PREFIX = "AUTH_"
_DEFAULT_DOMAIN = "default"


class Need(Enum):
    """What a request needs to be allowed to do."""

    OWN = auto()
    LIST = auto()
    READ = auto()
    WRITE = auto()


@dataclass(frozen=True)
class Visitor:
    """Who makes a request, and what it may do in the account."""

    caller: Caller | None = None
    is_owner: bool = False
    """Whether the caller may do everything in the account."""
    is_signed: bool = False
    """Whether the request comes with a signed URL."""
    signed_for: str | None = None
    """The id of the container whose key signed the URL, unless a key of the account did."""

    def may(self, need: Need, container: Container | None) -> bool:
        """Whether it may read, list or write the objects of a container besides the one that the request names."""
        if self.is_owner:
            return True
        if container is None:
            return False
        if self.is_signed:
            # As in Swift, a large object is read with its segments, as far as the key reaches.
            return need in (Need.READ, Need.LIST) and self.signed_for in (None, container.id)
        return _let_in(container, need, self.caller)

    def check(self, need: Need, container: Container | None) -> None:
        if self.may(need, container):
            return
        if self.caller is None:
            raise Unauthorized(
                "This server could not verify that you are authorized to access this document."
            )
        raise Forbidden("Access was denied to this resource.")


def admit(store: ObjectStore, call: Call, need: Need) -> Visitor:
    """Who the request comes from, if it may do what it asks for."""
    account_id = account_in(call)
    container = store.find_container(account_id, call.path["container"]) if "container" in call.path else None
    if "thing" in call.path and "temp_url_sig" in call.query:
        return _signed(store, call, account_id, container)
    caller = store.ground.authenticate(call.headers.get("x-auth-token", ""))
    visitor = Visitor(caller, is_owner=caller is not None and _owns(caller, account_id))
    visitor.check(need, container)
    return visitor


def account_in(call: Call) -> str:
    """The project whose account the path names."""
    account = call.path["account"]
    if not account.startswith(_PREFIX) or account == _PREFIX:
        raise NotFound("The resource could not be found.")
    return account.removeprefix(_PREFIX)


def _owns(caller: Caller, account_id: str) -> bool:
    if _EVERYWHERE in caller.roles:
        return True
    return caller.project_id == account_id and not _OPERATORS.isdisjoint(caller.roles)


def _signed(store: ObjectStore, call: Call, account_id: str, container: Container | None) -> Visitor:
    signature = signature_of(call)
    if signature is not None:
        if is_valid(signature, call, keys_in(store.account(account_id).metadata), store.now()):
            return Visitor(is_signed=True)
        if container and is_valid(signature, call, keys_in(container.metadata), store.now()):
            return Visitor(is_signed=True, signed_for=container.id)
    raise Unauthorized("Temp URL invalid")


def _let_in(container: Container, need: Need, caller: Caller | None) -> bool:
    """Whether the container's lists name the caller, or anyone."""
    setting = {"WRITE": "x-container-write", "READ": "x-container-read", "LIST": "x-container-read"}.get(
        need.name
    )
    if setting is None:
        return False
    entries = [entry.strip() for entry in container.settings.get(setting, "").split(",")]
    if need is Need.READ and ".r:*" in entries:
        return True
    if need is Need.LIST and ".rlistings" in entries and ".r:*" in entries:
        return True
    return caller is not None and _names(entries, caller)


def _names(entries: Iterable[str], caller: Caller) -> bool:
    """Entries are of the form project:user, each by id, by name or as a star. Names are those of the default domain:
    another domain may have the same ones."""
    projects, users = {"*", caller.project_id}, {"*", caller.user_id}
    if caller.project_domain_id == caller.user_domain_id == _DEFAULT_DOMAIN:
        projects.add(caller.project_name)
        users.add(caller.user_name)
    for entry in entries:
        project, colon, user = entry.partition(":")
        if colon and project in projects and user in users:
            return True
    return False
