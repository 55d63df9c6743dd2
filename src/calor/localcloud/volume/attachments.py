"""Volume attachments: reserved, connected, completed."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

from calor.localcloud.lists import by_id, list_body
from calor.localcloud.policy import readers, writers
from calor.localcloud.problems import BadRequest, NotFound
from calor.localcloud.requests import identifier, mapping, nullable, one_of, truth
from calor.localcloud.volume import attaching
from calor.localcloud.volume.lists import STYLE
from calor.localcloud.volume.records import Attachment
from calor.localcloud.volume.requests import strict
from calor.localcloud.volume.routes import VolumeRoute
from calor.localcloud.volume.service import VolumeService
from calor.localcloud.volume.views import show_attachment
from calor.localcloud.web import Call, Reply

_NEW = strict(
    {"volume_uuid": identifier},
    {
        "instance_uuid": nullable(identifier),
        "connector": nullable(mapping),
        "mode": one_of("rw", "ro"),
    },
)
_CHANGE = strict({"connector": mapping})
_SINCE = 27


def list_attachments(service: VolumeService, call: Call) -> Reply:
    return _list(service, call, brief=True)


def list_details(service: VolumeService, call: Call) -> Reply:
    return _list(service, call, brief=False)


def _list(service: VolumeService, call: Call, brief: bool) -> Reply:
    everyone = call.caller.is_admin and truth(call.query.get("all_tenants", "false"))
    wanted = {} if everyone else {"project_id": call.caller.project_id}
    filters = {
        "volume_id": call.query.get("volume_id"),
        "server_id": call.query.get("instance_id"),
        "status": call.query.get("status"),
    }
    found = [
        each
        for each in service.records.attachments.find(**wanted)
        if all(value in (None, getattr(each, name)) for name, value in filters.items())
    ]
    page = STYLE.page(call, found, by_id)
    shown = [show_attachment(each) for each in page.items]
    if brief:
        shown = [{name: each[name] for name in ("id", "volume_id", "instance", "status")} for each in shown]
    return Reply(body=list_body("attachments", shown, page.links(call)))


def create_attachment(service: VolumeService, call: Call) -> Reply:
    given = call.read_in("attachment", _NEW)
    volume = service.volume(call.caller, given["volume_uuid"])
    attaching.check_attachable(volume)
    connector = given.get("connector")
    attachment = Attachment(
        id=str(uuid4()),
        volume_id=volume.id,
        project_id=volume.project_id,
        status="attaching" if connector else "reserved",
        server_id=given.get("instance_uuid"),
        mode=given.get("mode", "rw"),
        connector=connector,
        host_name=(connector or {}).get("host"),
        device=(connector or {}).get("mountpoint"),
    )
    with service.records.store.transaction():
        service.records.attachments.add(attachment)
        if volume.status == "available":
            service.save(replace(volume, status=attachment.status))
    return _shown(attachment)


def get_attachment(service: VolumeService, call: Call) -> Reply:
    return _shown(_attachment(service, call))


def update_attachment(service: VolumeService, call: Call) -> Reply:
    connector = call.read_in("attachment", _CHANGE)["connector"]
    found = _attachment(service, call)
    attaching.check_detachable(found)
    attachment = replace(
        found,
        connector=connector,
        status="attaching",
        host_name=connector.get("host"),
        device=connector.get("mountpoint"),
    )
    volume = service.volume(call.caller, attachment.volume_id)
    with service.records.store.transaction():
        service.records.attachments.put(attachment)
        if volume.status == "reserved":
            service.save(replace(volume, status="attaching"))
    return _shown(attachment)


def complete_attachment(service: VolumeService, call: Call) -> Reply:
    attachment = _attachment(service, call)
    attaching.check_detachable(attachment)
    if attachment.status not in ("attaching", "reserved"):
        raise BadRequest(f"Invalid attachment: it is {attachment.status}.")
    volume = service.volume(call.caller, attachment.volume_id)
    if volume.status not in ("reserved", "attaching", "in-use"):
        raise BadRequest(f"Invalid volume: a volume that is {volume.status} cannot be attached.")
    attaching.complete(service, volume, attachment)
    return Reply(204)


def delete_attachment(service: VolumeService, call: Call) -> Reply:
    attachment = _attachment(service, call)
    attaching.check_detachable(attachment)
    with service.records.store.transaction():
        service.records.attachments.remove(attachment.id)
        attaching.settle(service, service.volume(call.caller, attachment.volume_id))
    left = service.records.attachments.find(volume_id=attachment.volume_id)
    return Reply(body={"attachments": [{"id": each.id, "volume_id": each.volume_id} for each in left]})


def _attachment(service: VolumeService, call: Call) -> Attachment:
    found = service.records.attachments.get(call.path["attachment_id"])
    if found is None or not (call.caller.is_admin or found.project_id == call.caller.project_id):
        raise NotFound(f"Volume attachment {call.path['attachment_id'][:255]} could not be found.")
    return found


def _shown(attachment: Attachment) -> Reply:
    return Reply(body={"attachment": show_attachment(attachment)})


_ONE = "/attachments/{attachment_id}"

ROUTES = (
    VolumeRoute("GET", "/attachments", list_attachments, readers, _SINCE),
    VolumeRoute("POST", "/attachments", create_attachment, writers, _SINCE),
    VolumeRoute("GET", "/attachments/detail", list_details, readers, _SINCE),
    VolumeRoute("GET", _ONE, get_attachment, readers, _SINCE),
    VolumeRoute("PUT", _ONE, update_attachment, writers, _SINCE),
    VolumeRoute("DELETE", _ONE, delete_attachment, writers, _SINCE),
    VolumeRoute("POST", f"{_ONE}/action", complete_attachment, writers, 44),
)
