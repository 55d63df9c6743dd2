"""Stacks with volumes, against the volume and compute services of the embedded cloud."""

from __future__ import annotations

from typing import Any

from tests.server.orchestrator import Orchestrator
from tests.support.server import until


def volume(**properties: Any) -> dict[str, Any]:
    return {"type": "OS::Cinder::Volume", "properties": {"size": 1, **properties}}


def volumes(who: Orchestrator) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = who.ask("block-storage", "GET", "/volumes/detail").json()["volumes"]
    return found


def test_a_volume_comes_grows_and_goes(demo: Orchestrator) -> None:
    outputs = {
        "size": {"value": {"get_attr": ["disk", "size"]}},
        "metadata": {"value": {"get_attr": ["disk", "metadata_values"]}},
    }
    path = demo.create("disk", {"disk": volume(metadata={"a": "1"})}, outputs=outputs)
    id = demo.id_of(path, "disk")
    assert demo.outputs(path) == {"size": "1", "metadata": {"a": "1"}}

    demo.update(path, {"disk": volume(size=2, name="big", metadata={"b": "2"})}, outputs=outputs)

    assert demo.outputs(path) == {"size": "2", "metadata": {"b": "2"}}
    assert (demo.shown("block-storage", f"/volumes/{id}") or {})["name"] == "big"
    demo.act(path, "check")

    demo.delete(path)
    assert demo.shown("block-storage", f"/volumes/{id}") is None


def test_volumes_are_copied_from_an_image_and_from_each_other(demo: Orchestrator) -> None:
    path = demo.create(
        "copies",
        {
            "root": volume(image="cirros"),
            "copy": volume(source_volid={"get_resource": "root"}),
        },
        outputs={"bootable": {"value": {"get_attr": ["root", "bootable"]}}},
    )

    assert demo.outputs(path) == {"bootable": "true"}

    demo.delete(path)
    assert volumes(demo) == []


def test_a_backup_stays_and_becomes_a_volume_again(demo: Orchestrator) -> None:
    path = demo.create("kept", {"disk": {**volume(), "deletion_policy": "Snapshot"}})
    demo.delete(path)
    [backup] = demo.ask("block-storage", "GET", "/backups/detail").json()["backups"]
    assert (backup["status"], volumes(demo)) == ("available", [])

    restored = {"type": "OS::Cinder::Volume", "properties": {"backup_id": backup["id"], "name": "again"}}
    path = demo.create("restored", {"disk": restored})
    assert [each["name"] for each in volumes(demo)] == ["again"]

    demo.delete(path)
    assert demo.ask("block-storage", "DELETE", f"/backups/{backup['id']}").status_code == 202


def test_a_snapshot_leads_back_and_goes_with_its_backup(demo: Orchestrator) -> None:
    path = demo.create("history", {"disk": volume(name="old")})
    id = demo.id_of(path, "disk")
    snapshot = demo.api.post(f"{path}/snapshots", json={"name": "first"}).json()["id"]
    demo.wait(path, "SNAPSHOT_COMPLETE")
    [backup] = demo.ask("block-storage", "GET", "/backups/detail").json()["backups"]
    assert backup["volume_id"] == id
    demo.update(path, {"disk": volume(name="new")})

    assert demo.api.post(f"{path}/snapshots/{snapshot}/restore").status_code == 202
    demo.wait(path, "RESTORE_COMPLETE")

    shown = demo.shown("block-storage", f"/volumes/{id}") or {}
    assert (shown["name"], shown["status"]) == ("old", "available")
    assert demo.id_of(path, "disk") == id
    assert demo.api.delete(f"{path}/snapshots/{snapshot}").status_code == 204
    until(lambda: demo.shown("block-storage", f"/backups/{backup['id']}") is None)
    demo.delete(path)


def attached(size: int = 1, to: str = "first") -> dict[str, Any]:
    machine = {
        "type": "OS::Nova::Server",
        "properties": {"image": "cirros", "flavor": "m1.nano", "networks": [{"network": "heat-net"}]},
    }
    return {
        "first": machine,
        "second": machine,
        "disk": volume(size=size),
        "link": {
            "type": "OS::Cinder::VolumeAttachment",
            "properties": {
                "instance_uuid": {"get_resource": to},
                "volume_id": {"get_resource": "disk"},
            },
        },
    }


def holders(who: Orchestrator, volume: str) -> list[str]:
    shown = who.shown("block-storage", f"/volumes/{volume}") or {}
    return [each["server_id"] for each in shown["attachments"]]


def test_a_volume_is_attached_moves_and_is_let_go(demo: Orchestrator) -> None:
    path = demo.create("attached", attached())
    disk, first, second = (demo.id_of(path, name) for name in ("disk", "first", "second"))
    assert holders(demo, disk) == [first]

    demo.update(path, attached(to="second"))
    assert holders(demo, disk) == [second]

    demo.update(path, attached(size=2, to="second"))
    assert holders(demo, disk) == [second]
    assert (demo.shown("block-storage", f"/volumes/{disk}") or {})["size"] == 2

    demo.delete(path)
    assert volumes(demo) == []


def test_a_volume_that_could_not_be_moved_is_moved_by_the_next_update(
    demo: Orchestrator, admin: Orchestrator
) -> None:
    path = demo.create("stays", attached())
    disk = demo.id_of(path, "disk")

    with admin.fault(method="DELETE", path="/compute/.*", status=403, message="Not now."):
        demo.update(path, attached(to="second"), wanted="UPDATE_FAILED")
    assert holders(demo, disk) == [demo.id_of(path, "first")]

    demo.update(path, attached(to="second"))

    assert holders(demo, disk) == [demo.id_of(path, "second")]
    demo.delete(path)


def test_types_with_all_that_belongs_to_them(admin: Orchestrator) -> None:
    def resources(**changed: Any) -> dict[str, Any]:
        return {
            "type": {
                "type": "OS::Cinder::VolumeType",
                "properties": {"name": "gold", "metadata": {"a": "1"}, **changed.get("type", {})},
            },
            "encryption": {
                "type": "OS::Cinder::EncryptedVolumeType",
                "properties": {"volume_type": {"get_resource": "type"}, "provider": "luks"},
            },
            "specs": {
                "type": "OS::Cinder::QoSSpecs",
                "properties": {"name": "fast", "specs": changed.get("specs", {"iops": 5, "bytes": 9})},
            },
            "association": {
                "type": "OS::Cinder::QoSAssociation",
                "properties": {
                    "qos_specs": {"get_resource": "specs"},
                    "volume_types": [{"get_resource": "type"}],
                },
            },
            "quota": {
                "type": "OS::Cinder::Quota",
                "properties": {"project": "demo", "volumes": changed.get("quota", 7)},
            },
        }

    path = admin.create("types", resources())
    kind, specs = admin.id_of(path, "type"), admin.id_of(path, "specs")
    shown = admin.shown("block-storage", f"/types/{kind}") or {}
    assert (shown["extra_specs"], shown["qos_specs_id"]) == ({"a": "1"}, specs)
    assert (admin.shown("block-storage", f"/types/{kind}/encryption") or {})["provider"] == "luks"

    admin.update(
        path, resources(type={"metadata": {"b": "2"}, "description": "d"}, specs={"iops": 6}, quota=8)
    )

    shown = admin.shown("block-storage", f"/types/{kind}") or {}
    assert (shown["extra_specs"], shown["description"]) == ({"b": "2"}, "d")
    known = admin.ask("block-storage", "GET", f"/qos-specs/{specs}").json()["qos_specs"]
    assert known["specs"] == {"iops": "6"}

    admin.delete(path)
    assert admin.shown("block-storage", f"/types/{kind}") is None
    assert admin.ask("block-storage", "GET", f"/qos-specs/{specs}").status_code == 404
