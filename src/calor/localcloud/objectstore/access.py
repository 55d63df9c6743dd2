"""Who may do what in the object store: owners, those a container's lists let in, and those with a signed URL."""

from __future__ import annotations

from collections.abc import Iterable
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


class Need(Enum):
    """What a request needs to be allowed to do."""

    OWN = auto()
    LIST = auto()
    READ = auto()
    WRITE = auto()


def admit(store: ObjectStore, call: Call, need: Need) -> tuple[Caller | None, bool]:
    """Who the request comes from, if that is known, and whether it is a signed URL that lets it in."""
    account_id = account_in(call)
    container = store.find_container(account_id, call.path["container"]) if "container" in call.path else None
    if "thing" in call.path and "temp_url_sig" in call.query:
        _check_signed(store, call, account_id, container)
        return None, True
    caller = store.ground.authenticate(call.headers.get("x-auth-token", ""))
    if caller is not None and _owns(caller, account_id):
        return caller, False
    if container is not None and _let_in(container, need, caller):
        return caller, False
    if caller is None:
        raise Unauthorized("This server could not verify that you are authorized to access this document.")
    raise Forbidden("Access was denied to this resource.")


def account_in(call: Call) -> str:
    """The project whose account the path names."""
    account = call.path["account"]
    if not account.startswith(_PREFIX) or account == _PREFIX:
        raise NotFound("The resource could not be found.")
    return account.removeprefix(_PREFIX)


def is_owner(caller: Caller | None, account_id: str) -> bool:
    return caller is not None and _owns(caller, account_id)


def _owns(caller: Caller, account_id: str) -> bool:
    if _EVERYWHERE in caller.roles:
        return True
    return caller.project_id == account_id and not _OPERATORS.isdisjoint(caller.roles)


def _check_signed(store: ObjectStore, call: Call, account_id: str, container: Container | None) -> None:
    signature = signature_of(call)
    keys = [*keys_in(store.account(account_id).metadata), *keys_in(container.metadata if container else {})]
    if signature is None or not is_valid(signature, call, keys, store.now()):
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
    """Entries are of the form project:user, each by id, by name or as a star."""
    projects = {"*", caller.project_id, caller.project_name}
    users = {"*", caller.user_id, caller.user_name}
    for entry in entries:
        project, colon, user = entry.partition(":")
        if colon and project in projects and user in users:
            return True
    return False
