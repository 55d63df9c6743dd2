"""Projects that images are shared with."""

from __future__ import annotations

from dataclasses import replace

from calor.localcloud.image.policy import may_change
from calor.localcloud.image.records import Image, Member, member_key
from calor.localcloud.image.service import ImageService
from calor.localcloud.image.views import show_member
from calor.localcloud.policy import readers, writers
from calor.localcloud.problems import Conflict, Forbidden, NotFound
from calor.localcloud.requests import identifier, one_of, shape
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.web import NO_CONTENT, Call, Reply

_NEW = shape({"member": identifier})
_CHANGE = shape({"status": one_of("pending", "accepted", "rejected")})


def list_members(service: ImageService, call: Call) -> Reply:
    """All members for the owner; members see only themselves."""
    image = _shared_image(service, call)
    members = service.records.members.find(image_id=image.id)
    own = may_change(call.caller, image)
    shown = [show_member(each) for each in members if own or each.member_id == call.caller.project_id]
    return Reply(body={"members": shown, "schema": "/v2/schemas/members"})


def add_member(service: ImageService, call: Call) -> Reply:
    member_id = call.read(_NEW)["member"]
    image = _own_image(service, call)
    if service.records.member(image.id, member_id):
        raise Conflict(f"Member {member_id} is duplicated for image {image.id}.")
    now = service.stamp()
    member = Member(member_key(image.id, member_id), image.id, member_id, created_at=now, updated_at=now)
    return Reply(body=show_member(service.records.members.add(member)))


def get_member(service: ImageService, call: Call) -> Reply:
    image = _shared_image(service, call)
    member = _member(service, call, image)
    if not may_change(call.caller, image) and member.member_id != call.caller.project_id:
        raise NotFound.of("member", member.member_id)
    return Reply(body=show_member(member))


def update_member(service: ImageService, call: Call) -> Reply:
    """The status is set by the member, not by the owner."""
    image = _shared_image(service, call)
    status = call.read(_CHANGE)["status"]
    member = _member(service, call, image)
    if not call.caller.is_admin and member.member_id != call.caller.project_id:
        raise Forbidden("Only the member itself can change its status.")
    changed = service.records.members.put(replace(member, status=status, updated_at=service.stamp()))
    return Reply(body=show_member(changed))


def remove_member(service: ImageService, call: Call) -> Reply:
    image = _own_image(service, call)
    service.records.members.remove(_member(service, call, image).id)
    return NO_CONTENT


def _shared_image(service: ImageService, call: Call) -> Image:
    image = service.need(call.caller, call.path["image_id"])
    if image.visibility != "shared":
        raise Forbidden("Only shared images have members.")
    return image


def _own_image(service: ImageService, call: Call) -> Image:
    service.need_own(call.caller, call.path["image_id"])
    return _shared_image(service, call)


def _member(service: ImageService, call: Call, image: Image) -> Member:
    member = service.records.member(image.id, call.path["member_id"])
    if member is None:
        raise NotFound(f"{call.path['member_id']} not found in the member list of the image {image.id}.")
    return member


_ALL = "/v2/images/{image_id}/members"
_ONE = f"{_ALL}/{{member_id}}"

ROUTES = (
    ServiceRoute("GET", _ALL, list_members, readers),
    ServiceRoute("POST", _ALL, add_member, writers),
    ServiceRoute("GET", _ONE, get_member, readers),
    ServiceRoute("PUT", _ONE, update_member, writers),
    ServiceRoute("DELETE", _ONE, remove_member, writers),
)
