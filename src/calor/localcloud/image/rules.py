"""Who may see an image, and who may change it."""

from __future__ import annotations

from calor.localcloud.caller import Caller
from calor.localcloud.image.records import Image, Member
from calor.localcloud.problems import Forbidden
from calor.localcloud.web import Call

_READING = frozenset({"reader", "member", "admin"})


def anyone(call: Call) -> bool:
    """Whoever has a valid token: for what is the same for all."""
    return True


def readers(call: Call) -> bool:
    """Not those with other roles, such as the users that stacks have for their servers."""
    return bool(call.caller.roles & _READING)


def admins(call: Call) -> bool:
    return call.caller.is_admin


def writers(call: Call) -> bool:
    """Not those who may only read."""
    return call.caller.is_admin or ("member" in call.caller.roles and call.caller.project_id is not None)


def may_see(caller: Caller, image: Image, membership: Member | None) -> bool:
    """`membership` is the caller's own, if there is one. It counts even before it is accepted: only lists leave the
    image out until then."""
    if caller.is_admin or image.visibility in ("public", "community"):
        return True
    if image.owner is not None and image.owner == caller.project_id:
        return True
    return image.visibility == "shared" and membership is not None


def may_change(caller: Caller, image: Image) -> bool:
    return caller.is_admin or (image.owner is not None and image.owner == caller.project_id)


def check_reach(caller: Caller, *, for_others: bool, to_everyone: bool) -> None:
    """Refuses images for other projects to all but admins."""
    if caller.is_admin:
        return
    if for_others:
        raise Forbidden("You are not permitted to create images owned by another project.")
    if to_everyone:
        raise Forbidden("You are not authorized to publicize an image.")
