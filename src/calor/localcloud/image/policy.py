"""Visibility of images, and who can change them."""

from __future__ import annotations

from calor.localcloud.caller import Caller
from calor.localcloud.image.records import Image, Member
from calor.localcloud.problems import Forbidden


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
    """Only admins can create images for other projects, and public ones."""
    if caller.is_admin:
        return
    if for_others:
        raise Forbidden("You are not permitted to create images owned by another project.")
    if to_everyone:
        raise Forbidden("You are not authorized to publicize an image.")
