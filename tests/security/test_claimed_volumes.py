"""A volume that is claimed for a server, or in use by one, is out of the hands of its owner."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from calor.localcloud import files
from calor.localcloud.compute import building
from calor.localcloud.compute.records import Server
from calor.localcloud.compute.service import ComputeService
from calor.localcloud.volume import transitions
from tests.support.cloud import Cloud
from tests.support.compute import Computing
from tests.support.storage import Speaker, microversion, volume_speaker, wait_for

NEWEST = microversion(70)


@pytest.fixture
def owner(cloud: Cloud) -> Speaker:
    return volume_speaker(cloud)


@pytest.fixture
def compute(cloud: Cloud) -> Computing:
    return Computing(cloud)


def act(speaker: Speaker, volume: str, action: str, **content: Any) -> int:
    return int(speaker("POST", f"/volumes/{volume}/action", {action: content}, headers=NEWEST).status_code)


def status_of(speaker: Speaker, volume: str) -> str:
    return str(speaker.get(f"/volumes/{volume}")["volume"]["status"])


class Claimed:
    """A volume of a server that is being built, until `proceed`."""

    def __init__(self, compute: Computing, monkeypatch: pytest.MonkeyPatch) -> None:
        self._may_proceed = threading.Event()
        attach_disks = building.attach_disks

        async def waiting(service: ComputeService, server: Server) -> None:
            while not self._may_proceed.is_set():
                await asyncio.sleep(0.01)
            await attach_disks(service, server)

        monkeypatch.setattr(building, "attach_disks", waiting)
        self._compute = compute
        self.volume: str = compute.volume()["id"]
        disks = [
            {
                "uuid": compute.image_id(),
                "source_type": "image",
                "destination_type": "local",
                "boot_index": 0,
            },
            {"uuid": self.volume, "source_type": "volume", "destination_type": "volume", "boot_index": -1},
        ]
        answer = compute.create(block_device_mapping_v2=disks)
        assert answer.status_code == 202, answer.text
        self.server: str = answer.json()["server"]["id"]

    def proceed(self, status: str = "ACTIVE") -> None:
        self._may_proceed.set()
        self._compute.wait_for(self.server, status)


@pytest.fixture
def claimed(compute: Computing, monkeypatch: pytest.MonkeyPatch) -> Iterator[Claimed]:
    made = Claimed(compute, monkeypatch)
    yield made
    made._may_proceed.set()


def test_a_claimed_volume_cannot_be_attached_to_something_else(owner: Speaker, claimed: Claimed) -> None:
    """Detaching it there made the volume available, so that it could be given away or deleted."""
    volume = claimed.volume
    assert status_of(owner, volume) == "reserved"
    assert act(owner, volume, "os-attach", host_name="elsewhere", mountpoint="/dev/vdb") == 409
    assert act(owner, volume, "os-detach") in (400, 409)
    assert status_of(owner, volume) == "reserved"
    claimed.proceed()
    assert status_of(owner, volume) == "in-use"


@pytest.mark.parametrize(
    ("action", "content"),
    [
        ("os-extend", {"new_size": 2}),
        ("os-reserve", {}),
        ("os-volume_upload_image", {"image_name": "copy", "force": True}),
        ("os-retype", {"new_type": "__DEFAULT__"}),
        ("os-update_readonly_flag", {"readonly": True}),
        ("os-reset_status", {"status": "available"}),
        ("os-force_detach", {}),
        ("os-force_delete", {}),
    ],
)
def test_a_claimed_volume_is_not_changed(
    owner: Speaker, claimed: Claimed, action: str, content: dict[str, Any]
) -> None:
    assert act(owner, claimed.volume, action, **content) in (400, 403, 409)
    for harmless in ("os-unreserve", "os-roll_detaching", "os-terminate_connection"):
        act(owner, claimed.volume, harmless)
    assert status_of(owner, claimed.volume) == "reserved"


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("DELETE", "/volumes/{volume}", None),
        ("POST", "/volume-transfers", {"transfer": {"volume_id": "{volume}"}}),
        ("POST", "/snapshots", {"snapshot": {"volume_id": "{volume}", "force": True}}),
        ("POST", "/backups", {"backup": {"volume_id": "{volume}", "force": True}}),
        ("POST", "/attachments", {"attachment": {"volume_uuid": "{volume}"}}),
        ("DELETE", "/attachments/{attachment}", None),
        ("PUT", "/attachments/{attachment}", {"attachment": {"connector": {"host": "elsewhere"}}}),
        ("POST", "/attachments/{attachment}/action", {"os-complete": {}}),
    ],
)
def test_a_claim_is_not_taken_away(
    owner: Speaker, claimed: Claimed, method: str, path: str, body: dict[str, Any] | None
) -> None:
    [claim] = owner.get("/attachments", headers=NEWEST)["attachments"]

    def filled(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: filled(inner) for name, inner in value.items()}
        known = {"volume": claimed.volume, "attachment": claim["id"]}
        return value.format(**known) if isinstance(value, str) else value

    answer = owner(method, filled(path), filled(body) if body else None, headers=NEWEST)
    assert answer.status_code in (400, 409), answer.text
    assert status_of(owner, claimed.volume) == "reserved"
    claimed.proceed()
    assert status_of(owner, claimed.volume) == "in-use"


def test_a_server_does_not_get_a_volume_that_is_no_longer_reserved_for_it(
    cloud: Cloud, claimed: Claimed
) -> None:
    admin = volume_speaker(cloud, "admin")
    assert act(admin, claimed.volume, "os-force_detach") == 202
    claimed.proceed("ERROR")
    assert status_of(admin, claimed.volume) == "available"


def test_claims_of_a_server_that_was_not_built_are_released(compute: Computing, owner: Speaker) -> None:
    volume = compute.volume()["id"]
    disks = [
        {"uuid": volume, "source_type": "volume", "destination_type": "volume", "boot_index": 0},
        {"uuid": volume, "source_type": "volume", "destination_type": "volume", "boot_index": 1},
    ]
    assert compute.create(imageRef="", block_device_mapping_v2=disks).status_code >= 400
    assert status_of(owner, volume) == "available"


def test_one_server_leaves_a_shared_volume_to_the_next_that_waits_for_it(
    owner: Speaker, compute: Computing, claimed: Claimed
) -> None:
    """A shared volume that the first server leaves is not free for deletion while the second is being built."""
    shared = compute.volume(multiattach=True)["id"]
    disk = {"uuid": shared, "source_type": "volume", "destination_type": "volume", "boot_index": -1}
    image = {"uuid": compute.image_id(), "source_type": "image", "destination_type": "local", "boot_index": 0}
    servers = [compute.create(block_device_mapping_v2=[image, disk]).json()["server"]["id"]]
    assert status_of(owner, shared) == "reserved"
    assert act(owner, shared, "os-attach", host_name="elsewhere", mountpoint="/dev/vdb") == 202
    [own] = [
        each
        for each in owner.get("/attachments/detail", headers=NEWEST)["attachments"]
        if each["instance"] is None
    ]
    assert owner("DELETE", f"/attachments/{own['id']}", headers=NEWEST).status_code == 200
    assert status_of(owner, shared) == "reserved"
    claimed.proceed()
    compute.wait_for(servers[0], "ACTIVE")
    assert status_of(owner, shared) == "in-use"


@pytest.fixture
def attached(compute: Computing) -> tuple[str, str]:
    """A server and its volume."""
    volume, server = compute.volume()["id"], compute.server()["id"]
    answer = compute.post(
        f"/servers/{server}/os-volume_attachments", {"volumeAttachment": {"volumeId": volume}}
    )
    assert answer.status_code == 200, answer.text
    return server, volume


def failing(*args: Any, **more: Any) -> None:
    raise OSError("No space left on device")


def test_a_volume_is_not_deleted_under_its_server_after_failed_work(
    monkeypatch: pytest.MonkeyPatch, owner: Speaker, attached: tuple[str, str]
) -> None:
    monkeypatch.setattr(transitions, "copy_sparse", failing)
    _, volume = attached
    assert act(owner, volume, "os-volume_upload_image", image_name="copy", force=True) == 202
    wait_for(owner, f"/volumes/{volume}", "error")
    assert owner("DELETE", f"/volumes/{volume}").status_code == 400
    assert status_of(owner, volume) == "error"


def test_a_volume_detached_during_work_is_available_afterwards(
    monkeypatch: pytest.MonkeyPatch, compute: Computing, owner: Speaker, attached: tuple[str, str]
) -> None:
    may_end = threading.Event()
    copy: Callable[[Path, Path], None] = transitions._COPY

    def slow(source: Path, target: Path) -> None:
        may_end.wait(30)
        copy(source, target)

    monkeypatch.setattr(transitions, "_COPY", slow)
    monkeypatch.setattr(transitions.Transitions._copy_volume, "__defaults__", (slow,))
    server, volume = attached
    backup = owner("POST", "/backups", {"backup": {"volume_id": volume, "force": True}}).json()["backup"][
        "id"
    ]
    assert compute.call("DELETE", f"/servers/{server}/os-volume_attachments/{volume}").status_code == 202
    may_end.set()
    wait_for(owner, f"/backups/{backup}")
    wait_for(owner, f"/volumes/{volume}", "available")


@pytest.mark.parametrize("from_the_start", [True, False])
def test_a_copy_of_an_unfinished_copy_is_not_trusted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, from_the_start: bool
) -> None:
    """Owners can report a snapshot as available while its data is being copied."""
    source, target = tmp_path / "snapshot", tmp_path / "volume"
    source.write_bytes(b"x" * 4096)
    is_marked = from_the_start
    marked: list[int] = []
    copy_part = files._copy_part

    def copy_then_mark(*args: int) -> None:
        nonlocal is_marked
        copy_part(*args)
        is_marked = True

    monkeypatch.setattr(files, "_copy_part", copy_then_mark)
    monkeypatch.setattr(files, "is_made_here", lambda file: is_marked)
    monkeypatch.setattr(files, "mark_as_made_here", marked.append)
    files.copy_sparse(source, target, keep_mark=True)
    assert bool(marked) is from_the_start
