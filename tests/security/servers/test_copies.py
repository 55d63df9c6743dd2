"""Copies of what servers and users have written: a few at a time, within quotas, and only while there is room."""

from __future__ import annotations

import asyncio
import io
import json
import os
import tarfile
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from calor.localcloud import files
from calor.localcloud.background import LONG_AT_ONCE
from calor.localcloud.linux import snapshots
from calor.localcloud.linux.archiving import Archiver
from calor.localcloud.linux.backend import Linux
from calor.localcloud.linux.servers import BootSpec
from tests.support.cloud import Cloud
from tests.support.storage import Speaker, image_speaker, object_speaker, volume_speaker, wait_for

OCTETS = {"Content-Type": "application/octet-stream"}
FULL = SimpleNamespace(f_bavail=10, f_frsize=4096, f_files=0, f_favail=0)
PUT = "?multipart-manifest=put"


def test_a_few_snapshots_are_written_at_a_time_and_one_of_each_project(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    linux = Linux(tmp_path / "linux")
    projects = {f"server{number}": f"project{number % 6}" for number in range(12)}
    for id, project in projects.items():
        folder = tmp_path / "linux" / "servers" / id
        folder.mkdir(parents=True)
        paths = (folder, (), (), False, folder, None)
        linux._specs.set(BootSpec(id, id, id, *paths, (), (), 1, 64, None, project))
    busy: Counter[str] = Counter()
    most: list[tuple[int, int]] = []

    async def ask(name: str, **details: Any) -> None:
        project = details["snapshot"].target.name
        busy[project] += 1
        most.append((busy.total(), busy[project]))
        for _ in range(20):
            await asyncio.sleep(0)
        busy[project] -= 1

    monkeypatch.setattr(linux._link, "ask", ask)

    async def all_at_once() -> None:
        await asyncio.gather(*(linux.snapshot(id, tmp_path / project) for id, project in projects.items()))

    asyncio.run(all_at_once())
    assert len(most) == len(projects)
    assert max(total for total, _ in most) == LONG_AT_ONCE
    assert max(own for _, own in most) == 1


def test_a_snapshot_stops_when_the_disk_is_nearly_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(tmp_path / "snapshot", "wb") as target:
        metered = snapshots._Metered(target)
        assert metered.write(b"x" * 100) == 100
        monkeypatch.setattr(os, "fstatvfs", lambda fd: FULL)
        with pytest.raises(OSError, match="not enough free disk space"):
            metered.write(b"x" * snapshots._CHECK_INTERVAL)


def test_the_entries_of_a_snapshot_are_not_kept_in_memory(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for number in range(50):
        (source / f"file{number}").write_text("content")
    folder = os.open(source, os.O_RDONLY)
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w") as archive:
        Archiver(archive).add(folder, "")
        assert archive.getmembers() == []
    os.close(folder)
    written.seek(0)
    with tarfile.open(fileobj=written) as archive:
        assert len(archive.getnames()) == 50


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files.os, "statvfs", lambda place: FULL)


@pytest.mark.usefixtures("full")
class TestAFullDisk:
    def test_volumes_are_not_copied(self, cloud: Cloud) -> None:
        owner = volume_speaker(cloud)
        made = owner("POST", "/volumes", {"volume": {"size": 1}}).json()["volume"]["id"]
        wait_for(owner, f"/volumes/{made}")
        copy = owner("POST", "/volumes", {"volume": {"size": 1, "source_volid": made}}).json()["volume"]["id"]
        wait_for(owner, f"/volumes/{copy}", "error")
        snapshot = owner("POST", "/snapshots", {"snapshot": {"volume_id": made}}).json()["snapshot"]["id"]
        wait_for(owner, f"/snapshots/{snapshot}", "error")

    def test_images_are_not_received(self, cloud: Cloud) -> None:
        owner = image_speaker(cloud)
        wanted = {"name": "x", "disk_format": "raw", "container_format": "bare"}
        made = owner("POST", "/images", wanted).json()["id"]
        answer = owner("PUT", f"/images/{made}/file", content=b"anything", headers=OCTETS)
        assert answer.status_code == 507
        assert owner.get(f"/images/{made}")["status"] == "queued"

    def test_objects_are_not_received(self, cloud: Cloud) -> None:
        owner = object_speaker(cloud)
        assert owner("PUT", "/box").status_code == 201
        assert owner("PUT", "/box/thing", content=b"anything").status_code == 507
        assert owner("GET", "/box/thing").status_code == 404


class TestQuotas:
    """They count before anything is copied."""

    @pytest.fixture
    def owner(self, cloud: Cloud) -> Speaker:
        owner = object_speaker(cloud)
        assert owner("PUT", "/source").status_code == 201
        assert owner("PUT", "/target", headers={"X-Container-Meta-Quota-Bytes": "1000"}).status_code == 201
        assert owner("PUT", "/source/part", content=b"x" * 600).status_code == 201
        return owner

    def copied(self, owner: Speaker, name: str) -> int:
        headers = {"X-Copy-From": f"/source/{name}", "Content-Length": "0"}
        return int(owner("PUT", "/target/copy", headers=headers).status_code)

    def test_a_manifest_that_repeats_a_segment(self, owner: Speaker) -> None:
        for times, status in ((1, 201), (2, 413)):
            segments = json.dumps([{"path": "/source/part"}] * times).encode()
            assert owner("PUT", f"/source/large{PUT}", content=segments).status_code == 201
            assert self.copied(owner, "large") == status

    def test_a_dynamic_large_object(self, owner: Speaker) -> None:
        assert owner("PUT", "/source/part2", content=b"x" * 600).status_code == 201
        headers = {"X-Object-Manifest": "source/part"}
        assert owner("PUT", "/source/dynamic", content=b"", headers=headers).status_code == 201
        assert self.copied(owner, "dynamic") == 413

    def test_a_plain_object(self, owner: Speaker) -> None:
        assert owner("PUT", "/source/big", content=b"x" * 1001).status_code == 201
        assert self.copied(owner, "big") == 413
        assert self.copied(owner, "part") == 201


def test_others_have_their_turn_while_a_large_object_is_copied(tmp_path: Path) -> None:
    """Data of a file is there at once: nothing in reading it waits."""
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_bytes(bytes(files.PIECE * 20))

    async def scenario() -> int:
        turns = 0
        copying = asyncio.ensure_future(files.receive(files.pieces(source), target))
        while not copying.done():
            turns += 1
            await asyncio.sleep(0)
        return turns

    assert asyncio.run(scenario()) >= 20
