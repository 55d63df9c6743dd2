"""OS::Cinder::* at work."""

from __future__ import annotations

from typing import Any

import pytest

from calor.clouds.errors import Conflict, NotFound, Permanent
from calor.language.values import Unknown
from calor.resources.outcomes import ResourceFailed
from calor.testing import FakeCloud, FakeContext, Request, properties_of, run
from calor.types.cinder.encrypted_volume_type import EncryptedVolumeType
from calor.types.cinder.qos_association import QoSAssociation
from calor.types.cinder.qos_specs import QoSSpecs
from calor.types.cinder.quota import Quota
from calor.types.cinder.volume.volume import Volume
from calor.types.cinder.volume.volume_attachment import VolumeAttachment
from calor.types.cinder.volume_type import VolumeType

LIFE = {
    "creating": "available",
    "restoring-backup": "available",
    "extending": "available",
    "retyping": "available",
    "deleting": "gone",
    "detaching": "available",
    "attaching": "in-use",
}
IDS = {
    ("glance.image", "cirros"): "i-cirros",
    ("cinder.vtype", "fast"): "t-fast",
    ("cinder.vtype", "slow"): "t-slow",
    ("cinder.vtype", "t-fast"): "t-fast",
    ("cinder.backup", "b1"): "b1",
    ("cinder.backup", "b2"): "b2",
    ("cinder.qos_specs", "gold"): "q-gold",
    ("keystone.project", "demo"): "p-demo",
    ("keystone.project", "other"): "p-other",
}
SERVER = "0c5f7b6e-0000-4000-8000-000000000001"
AT_SERVER = f"/servers/{SERVER}/os-volume_attachments"


class VolumeCloud(FakeCloud):
    """Volumes that take their time, and a server that they can be attached to."""

    def __init__(self) -> None:
        super().__init__(
            ids=dict(IDS),
            next_status=dict(LIFE),
            statuses={"volumes": "creating", "backups": "available"},
            deleting_status={"volumes": "deleting"},
        )
        self.responses[f"POST {AT_SERVER}"] = self._attach

    def act(self, volume: str) -> None:
        """Lets the actions on a volume have an effect."""
        self.responses[f"POST /volumes/{volume}/action"] = self._act
        self.responses[f"DELETE {AT_SERVER}/{volume}"] = self._detach

    def _act(self, request: Request) -> dict[str, Any]:
        shown = self.objects[request.path.removesuffix("/action")]
        [(action, given)] = request.body.items()
        if shown["status"] != "available" and action != "os-retype":
            raise Permanent("Invalid volume", status=400)
        match action:
            case "os-extend":
                shown |= {"size": given["new_size"], "status": "extending"}
            case "os-retype":
                shown |= {"volume_type": given["new_type"], "status": "retyping"}
        return {}

    def _attach(self, request: Request) -> dict[str, Any]:
        id = request.body["volumeAttachment"]["volumeId"]
        shown = self.objects[f"/volumes/{id}"]
        shown |= {"status": "attaching", "attachments": [{"server_id": SERVER, "device": "/dev/vdb"}]}
        self.place(f"{AT_SERVER}/{id}", serverId=SERVER, volumeId=id)
        return {"volumeAttachment": {"id": id, "volumeId": id, "serverId": SERVER}}

    def _detach(self, request: Request) -> dict[str, Any]:
        id = request.path.rpartition("/")[2]
        self.objects.pop(f"{AT_SERVER}/{id}")
        self.objects[f"/volumes/{id}"] |= {"status": "detaching", "attachments": []}
        return {}


def made(**given: Any) -> FakeContext:
    """A volume that has been created."""
    properties = properties_of(Volume, **given)
    context = FakeContext(Volume, properties, services=VolumeCloud())
    run(Volume.create(context, properties))
    assert context.physical_id is not None
    context.services.act(context.physical_id)
    return context


def attach(context: FakeContext) -> None:
    """Gives the volume to the server."""
    context.services._attach(Request("compute", "POST", "", {"volumeAttachment": {"volumeId": "volumes-1"}}))
    context.services.objects["/volumes/volumes-1"]["status"] = "in-use"


def updated(context: FakeContext, **given: Any) -> list[str]:
    """What an update asks for, besides looking."""
    after = {**context.properties, **given}
    changed = frozenset(name for name in given if given[name] != context.properties[name])
    context.services.requests.clear()
    run(context.type.update(context, after, changed))
    return context.services.lines(without="GET")


def test_a_volume_is_made_and_waited_for() -> None:
    context = made(
        size=2,
        image="cirros",
        description="d",
        availability_zone="nova",
        volume_type="fast",
        metadata={"a": 1, "b": "x"},
        scheduler_hints={"same_host": ["v"]},
    )

    assert context.services.body("POST /volumes") == {
        "volume": {
            "name": context.physical_name(),
            "size": 2,
            "description": "d",
            "availability_zone": "nova",
            "volume_type": "fast",
            "imageRef": "i-cirros",
            "metadata": {"a": "1", "b": "x"},
        },
        "OS-SCH-HNT:scheduler_hints": {"same_host": ["v"]},
    }
    assert Volume.attribute(context, "status") == "available"
    assert Volume.attribute(context, "size") == "2"
    assert Volume.attribute(context, "display_description") == "d"
    assert Volume.attribute(context, "metadata") == '{"a": "1", "b": "x"}'
    assert Volume.attribute(context, "metadata_values") == {"a": "1", "b": "x"}
    assert Volume.attribute(context, "snapshot_id") is None


def test_whether_several_servers_may_have_a_volume_is_left_to_its_type() -> None:
    """Cinder refuses requests that say so."""
    context = made(size=1, multiattach=True, volume_type="shared")

    asked = context.services.body("POST /volumes")["volume"]
    assert "multiattach" not in asked
    assert asked["volume_type"] == "shared"


def test_a_volume_that_gets_an_error_fails() -> None:
    cloud = VolumeCloud()
    cloud.next_status["creating"] = "error"
    context = FakeContext(Volume, services=cloud)

    with pytest.raises(ResourceFailed, match="error"):
        run(Volume.create(context, properties_of(Volume, size=1)))
    assert context.physical_id is not None


def test_a_volume_is_restored_from_a_backup() -> None:
    cloud = VolumeCloud()

    def restore(request: Request) -> dict[str, Any]:
        cloud.place("/volumes/v9", name="other", status="restoring-backup", size=3)
        return {"restore": {"backup_id": "b1", "volume_id": "v9", "volume_name": "other"}}

    cloud.responses["POST /backups/b1/restore"] = restore
    context = FakeContext(Volume, services=cloud)

    run(Volume.create(context, properties_of(Volume, backup_id="b1", name="mine", metadata={"a": "b"})))

    assert context.physical_id == "v9"
    assert cloud.body("POST /backups/b1/restore") == {"restore": {"name": "mine"}}
    assert cloud.body("PUT /volumes/v9") == {"volume": {"name": "mine", "description": None}}
    assert cloud.body("PUT /volumes/v9/metadata") == {"metadata": {"a": "b"}}
    assert Volume.attribute(context, "display_name") == "mine"


def test_a_volume_can_be_kept_from_being_written_to() -> None:
    cloud = VolumeCloud()
    context = FakeContext(Volume, services=cloud)

    run(Volume.create(context, properties_of(Volume, size=1, read_only=True)))

    assert cloud.body("POST /volumes/volumes-1/action") == {"os-update_readonly_flag": {"readonly": True}}


def test_names_and_metadata_change_in_place() -> None:
    context = made(size=1, metadata={"a": "1"})

    lines = updated(context, name="n", description="d", metadata={"b": "2"})

    assert lines == ["PUT /volumes/volumes-1", "PUT /volumes/volumes-1/metadata"]
    assert context.services.body("PUT /volumes/volumes-1/metadata") == {"metadata": {"b": "2"}}
    assert Volume.attribute(context, "display_name") == "n"


def test_a_volume_grows_in_place() -> None:
    context = made(size=1)

    assert updated(context, size=5) == ["POST /volumes/volumes-1/action"]
    assert Volume.attribute(context, "size") == "5"


def test_a_volume_that_grows_is_taken_from_its_server_and_given_back() -> None:
    context = made(size=1)
    attach(context)

    lines = updated(context, size=5)

    assert lines == [
        f"DELETE {AT_SERVER}/volumes-1",
        "POST /volumes/volumes-1/action",
        f"POST {AT_SERVER}",
    ]
    assert context.services.body(f"POST {AT_SERVER}") == {
        "volumeAttachment": {"volumeId": "volumes-1", "device": "/dev/vdb"}
    }
    assert context.services.objects["/volumes/volumes-1"]["status"] == "in-use"
    # Nova knows only then volumes that several servers share, and such servers as are shelved.
    asked = [one for one in context.services.requests if one.line in (lines[0], lines[2])]
    assert [one.version for one in asked] == ["2.60", "2.60"]


def test_a_change_that_is_under_way_already_is_not_asked_for_again() -> None:
    context = made(size=1, volume_type="slow")
    shown = context.services.objects["/volumes/volumes-1"]
    shown |= {"status": "retyping", "volume_type": "slow"}

    def retyped(request: Request) -> dict[str, Any]:
        if shown["status"] == "available":
            shown["volume_type"] = "t-fast"
        return {"volume": dict(shown)}

    context.services.responses["GET /volumes/volumes-1"] = retyped
    assert updated(context, volume_type="fast") == []

    shown["status"] = "restoring-backup"
    assert updated(context, backup_id="b1") == []


def test_a_volume_on_its_way_to_a_server_when_an_update_ended_is_detached_from_that_server() -> None:
    volume = made(size=1)
    volume.services.ids["cinder.volume", "volumes-1"] = "volumes-1"
    properties = properties_of(VolumeAttachment, instance_uuid="before", volume_id="volumes-1")
    context = FakeContext(VolumeAttachment, properties, services=volume.services, physical_id="volumes-1")
    volume.services.responses[f"GET {AT_SERVER}/volumes-1"] = Permanent("It broke.", status=400)
    with pytest.raises(Permanent):
        run(
            VolumeAttachment.update(
                context, {**properties, "instance_uuid": SERVER}, frozenset({"instance_uuid"})
            )
        )
    del volume.services.responses[f"GET {AT_SERVER}/volumes-1"]
    attach(volume)

    run(VolumeAttachment.delete(context))

    assert f"DELETE {AT_SERVER}/volumes-1" in volume.services.lines()


def broken_off(server: str) -> FakeContext:
    """An attachment to a server, whose move to another one failed when the volume was there."""
    volume = made(size=1)
    volume.services.ids["cinder.volume", "volumes-1"] = "volumes-1"
    attach(volume)
    properties = properties_of(VolumeAttachment, instance_uuid=server, volume_id="volumes-1")
    context = FakeContext(VolumeAttachment, properties, services=volume.services, physical_id="volumes-1")
    context.data["_moving_to"] = {"instance_uuid": SERVER, "volume_id": "volumes-1"}
    volume.services.requests.clear()
    return context


def test_a_volume_that_is_where_it_shall_be_stays_there() -> None:
    context = broken_off(SERVER)

    run(VolumeAttachment.update(context, context.properties, frozenset()))

    assert context.services.lines(without="GET") == []


def test_a_volume_moves_back_if_the_move_that_failed_is_not_wanted_any_more() -> None:
    context = broken_off("before")
    context.services.responses["POST /servers/before/os-volume_attachments"] = Permanent(
        "Enough.", status=400
    )

    with pytest.raises(Permanent, match="Enough"):
        run(VolumeAttachment.update(context, context.properties, frozenset()))

    assert context.services.lines(without="GET") == [
        f"DELETE {AT_SERVER}/volumes-1",
        "POST /servers/before/os-volume_attachments",
    ]


def test_a_server_gets_its_volume_back_though_the_update_was_interrupted() -> None:
    context = made(size=1)
    context.data["_detached"] = [{"server": SERVER, "device": "/dev/vdb"}]
    context.services.objects["/volumes/volumes-1"]["size"] = 5

    assert updated(context, size=5) == [f"POST {AT_SERVER}"]


def test_a_server_that_is_gone_gets_nothing_back() -> None:
    context = made(size=1)
    context.data["_detached"] = [{"server": SERVER, "device": "/dev/vdb"}]
    context.services.responses[f"POST {AT_SERVER}"] = NotFound("There is no such server.", status=404)

    updated(context, size=5)

    assert context.data["_detached"] is None
    assert context.services.objects["/volumes/volumes-1"]["size"] == 5
    assert context.data["_detached"] is None


def test_a_volume_never_shrinks() -> None:
    context = made(size=5)
    context.services.objects["/volumes/volumes-1"]["size"] = 5

    with pytest.raises(ResourceFailed, match="Shrinking"):
        updated(context, size=1)


def test_a_volume_that_would_shrink_is_not_even_detached() -> None:
    context = made(size=5)
    context.services.objects["/volumes/volumes-1"]["size"] = 5
    attach(context)

    with pytest.raises(ResourceFailed, match="Shrinking"):
        updated(context, size=1)

    assert context.services.lines(without="GET") == []


def test_a_server_gets_its_volume_back_though_the_change_fails() -> None:
    context = made(size=1)
    context.services.objects["/volumes/volumes-1"]["size"] = 1
    attach(context)
    context.services.responses["POST /volumes/volumes-1/action"] = Permanent("No space.", status=400)

    with pytest.raises(Permanent, match="No space"):
        updated(context, size=5)

    assert context.services.lines(without="GET")[-1] == f"POST {AT_SERVER}"
    assert context.services.objects["/volumes/volumes-1"]["status"] == "in-use"
    assert context.data["_detached"] is None


def test_what_could_not_be_given_back_is_given_back_by_an_update_that_changes_nothing() -> None:
    context = made(size=1)
    context.data["_detached"] = [{"server": SERVER, "device": "/dev/vdb"}]

    assert updated(context) == [f"POST {AT_SERVER}"]
    assert context.data["_detached"] is None


@pytest.mark.parametrize(("size", "refused"), [(1, True), (3, False), (Unknown("r"), False), (None, False)])
def test_that_a_volume_would_shrink_is_known_beforehand(size: Any, refused: bool) -> None:
    found = Volume.refusal({"size": 2}, {"size": size}, frozenset({"size"}))

    assert (found is not None) is refused


def test_an_attachment_is_checked_at_its_server() -> None:
    volume = made(size=1)
    volume.services.ids["cinder.volume", "volumes-1"] = "volumes-1"
    properties = properties_of(VolumeAttachment, instance_uuid=SERVER, volume_id="volumes-1")
    context = FakeContext(VolumeAttachment, properties, services=volume.services, physical_id="volumes-1")

    with pytest.raises(ResourceFailed, match=f"server {SERVER} does not have volume volumes-1"):
        run(VolumeAttachment.check(context))
    attach(volume)
    run(VolumeAttachment.check(context))


def test_a_volume_moves_to_another_type() -> None:
    context = made(size=1, volume_type="slow")

    updated(context, volume_type="fast")

    assert context.services.body("POST /volumes/volumes-1/action") == {
        "os-retype": {"new_type": "t-fast", "migration_policy": "on-demand"}
    }


def test_another_backup_is_written_over_the_same_volume() -> None:
    context = made(size=1)
    context.services.responses["POST /backups/b2/restore"] = {}

    assert updated(context, backup_id="b2") == ["POST /backups/b2/restore"]
    assert context.services.body("POST /backups/b2/restore") == {"restore": {"volume_id": "volumes-1"}}


def test_a_volume_that_is_just_let_go_is_deleted_a_moment_later() -> None:
    context = made(size=1)
    context.services.objects["/volumes/volumes-1"]["status"] = "detaching"
    context.services.responses["DELETE /volumes/volumes-1"] = [Permanent("must be available", status=400)]

    run(Volume.delete(context))

    assert context.services.lines(without="GET")[-2:] == ["DELETE /volumes/volumes-1"] * 2
    assert "/volumes/volumes-1" not in context.services.objects


def test_a_volume_in_use_stays() -> None:
    context = made(size=1)
    context.services.objects["/volumes/volumes-1"]["status"] = "in-use"
    context.services.responses["DELETE /volumes/volumes-1"] = [Permanent("must be available", status=400)]
    context.now = lambda: context.services.requests and len(context.services.requests) * 20.0  # type: ignore[method-assign]

    with pytest.raises(ResourceFailed, match="in use"):
        run(Volume.delete(context))


def test_a_backup_stays_if_the_policy_retains_it() -> None:
    context = made(size=1)

    run(Volume.snapshot_delete(context))

    assert context.services.lines(without="GET")[-2:] == ["POST /backups", "DELETE /volumes/volumes-1"]
    body = context.services.body("POST /backups")["backup"]
    assert (body["volume_id"], body["force"]) == ("volumes-1", True)


def test_no_second_backup_is_made_after_an_interruption() -> None:
    context = made(size=1)
    context.data["_backup"] = "mine"
    context.services.place("/backups/b7", name="mine", status="available")

    assert run(Volume.snapshot(context)) == {"backup_id": "b7"}
    assert "POST /backups" not in context.services.lines()


def test_a_snapshot_is_restored_by_its_backup() -> None:
    assert Volume.restored({"size": 1, "backup_id": None}, {"backup_id": "b7"}) == {
        "size": 1,
        "backup_id": "b7",
    }


def made_admin(kind: Any, cloud: FakeCloud | None = None, **given: Any) -> FakeContext:
    properties = properties_of(kind, **given)
    context = FakeContext(kind, properties, services=cloud or FakeCloud(ids=dict(IDS)))
    run(kind.create(context, properties))
    return context


def test_a_volume_type_is_made_for_some_projects() -> None:
    context = made_admin(
        VolumeType, name="gold", is_public=False, projects=["demo"], metadata={"multiattach": "<is> True"}
    )

    assert context.services.body("POST /types") == {
        "volume_type": {
            "name": "gold",
            "os-volume-type-access:is_public": False,
            "extra_specs": {"multiattach": "<is> True"},
        }
    }
    assert context.services.body("POST /types/types-1/action") == {"addProjectAccess": {"project": "p-demo"}}


def test_a_volume_type_changes_in_place() -> None:
    context = made_admin(VolumeType, name="gold", is_public=False, projects=["demo"], metadata={"a": "1"})

    lines = updated(context, name="silver", metadata={"b": "2"}, projects=["other"])

    assert lines == [
        "PUT /types/types-1",
        "POST /types/types-1/extra_specs",
        "DELETE /types/types-1/extra_specs/a",
        "POST /types/types-1/action",
        "POST /types/types-1/action",
    ]
    bodies = [request.body for request in context.services.requests if request.path.endswith("/action")]
    assert bodies == [
        {"removeProjectAccess": {"project": "p-demo"}},
        {"addProjectAccess": {"project": "p-other"}},
    ]


def test_a_type_of_the_same_name_that_was_there_before_is_not_taken_over() -> None:
    cloud = FakeCloud(ids=dict(IDS))
    cloud.place("/types/theirs", name="gold")
    cloud.responses["POST /types"] = Conflict("Volume Type gold already exists.", status=409)
    properties = properties_of(VolumeType, name="gold")
    context = FakeContext(VolumeType, properties, services=cloud)

    with pytest.raises(Conflict):
        run(VolumeType.create(context, properties))
    assert run(VolumeType.find(context)) is False


def test_a_type_that_was_not_there_before_is_found_again() -> None:
    context = made_admin(VolumeType, name="gold")
    again = FakeContext(
        VolumeType, context.properties, data=context.stored_data or {}, services=context.services
    )

    assert run(VolumeType.find(again)) is True
    assert again.physical_id == "types-1"


def test_specs_are_released_before_they_are_deleted() -> None:
    context = made_admin(QoSSpecs, name="gold", specs={"iops": 5})
    context.services.responses["GET /qos-specs/qos-specs-1/disassociate_all"] = {}

    run(QoSSpecs.delete(context))

    assert context.services.body("POST /qos-specs") == {"qos_specs": {"name": "gold", "iops": "5"}}
    assert context.services.lines()[-2:] == [
        "GET /qos-specs/qos-specs-1/disassociate_all",
        "DELETE /qos-specs/qos-specs-1",
    ]


def test_specs_change_in_place() -> None:
    context = made_admin(QoSSpecs, name="gold", specs={"iops": "5", "bytes": "7"})

    updated(context, specs={"iops": "6"})

    assert context.services.body("PUT /qos-specs/qos-specs-1") == {"qos_specs": {"iops": "6"}}
    assert context.services.body("PUT /qos-specs/qos-specs-1/delete_keys") == {"keys": ["bytes"]}


def associations(context: FakeContext) -> list[tuple[str, str]]:
    return [
        (request.path.rpartition("/")[2], request.params["vol_type_id"])
        for request in context.services.requests
    ]


def test_specs_are_associated_with_types() -> None:
    cloud = FakeCloud(ids=dict(IDS))
    for action in ("associate", "disassociate"):
        cloud.responses[f"GET /qos-specs/q-gold/{action}"] = {}
    context = made_admin(QoSAssociation, cloud, qos_specs="gold", volume_types=["fast"])
    updated(context, volume_types=["slow"])
    assert associations(context) == [("disassociate", "t-fast"), ("associate", "t-slow")]

    cloud.requests.clear()
    run(QoSAssociation.delete(context))
    assert associations(context) == [("disassociate", "t-fast")]


def test_quotas_of_a_project() -> None:
    cloud = FakeCloud(ids=dict(IDS))
    usage = {"volumes": {"in_use": 3, "limit": 10}}
    cloud.responses["GET /os-quota-sets/p-demo"] = {"quota_set": usage}
    cloud.responses["DELETE /os-quota-sets/p-demo"] = {}
    context = made_admin(Quota, cloud, project="demo", volumes=5)

    assert cloud.body("PUT /os-quota-sets/p-demo") == {"quota_set": {"volumes": 5}}
    assert context.physical_id == context.physical_name()
    run(Quota.delete(context))
    assert cloud.lines()[-1] == "DELETE /os-quota-sets/p-demo"


def test_a_quota_below_what_is_used_is_refused() -> None:
    cloud = FakeCloud(ids=dict(IDS))
    cloud.responses["GET /os-quota-sets/p-demo"] = {"quota_set": {"volumes": {"in_use": 3}}}

    with pytest.raises(ResourceFailed, match="3 are in use"):
        made_admin(Quota, cloud, project="demo", volumes=2)


def test_a_type_is_encrypted_and_not_any_more() -> None:
    cloud = FakeCloud(ids=dict(IDS))
    shown: dict[str, Any] = {}

    def encrypt(request: Request) -> dict[str, Any]:
        shown.update({"volume_type_id": "t-fast", "encryption_id": "e1", **request.body["encryption"]})
        return {"encryption": shown}

    cloud.responses["POST /types/t-fast/encryption"] = encrypt
    cloud.responses["GET /types/t-fast/encryption"] = lambda request: shown
    cloud.responses["DELETE /types/t-fast/encryption/e1"] = {}
    context = made_admin(EncryptedVolumeType, cloud, volume_type="fast", provider="luks", key_size=256)

    assert context.physical_id == "t-fast"
    updated(context, key_size=512)
    assert cloud.body("PUT /types/t-fast/encryption/e1") == {
        "encryption": {"provider": "luks", "control_location": "front-end", "key_size": 512}
    }
    run(EncryptedVolumeType.delete(context))
    assert cloud.lines()[-1] == "DELETE /types/t-fast/encryption/e1"


def test_a_type_without_encryption_cannot_have_it_changed() -> None:
    cloud = FakeCloud(ids=dict(IDS))
    cloud.responses["GET /types/t-fast/encryption"] = {}
    properties = properties_of(EncryptedVolumeType, volume_type="fast", provider="luks")
    context = FakeContext(EncryptedVolumeType, properties, physical_id="t-fast", services=cloud)

    with pytest.raises(NotFound):
        updated(context, provider="plain")
