"""Data that came from outside is known wherever it is copied, and when: the kernel of the host must not mount it."""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from calor.localcloud.config import CloudConfig
from calor.localcloud.identity import hashing
from calor.localcloud.provenance import is_blank, is_made_here, mark_as_made_here
from calor.localcloud.server import initialize
from tests.support.cloud import Cloud
from tests.support.machinery import Watched
from tests.support.storage import image_speaker, until, volume_speaker, wait_for

OCTETS = {"content-type": "application/octet-stream"}


class Slow(Watched):
    """Machinery that takes its time to write back what servers have written, when told so."""

    def __init__(self) -> None:
        super().__init__()
        self.may_go_on = threading.Event()
        self.may_go_on.set()

    async def flush(self, volume: str) -> None:
        await super().flush(volume)
        await asyncio.to_thread(self.may_go_on.wait)


@pytest.fixture
def backend() -> Slow:
    return Slow()


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, dict[str, str]]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hashing, "_COST", (2, 8, 1))
        database = tmp_path_factory.mktemp("cloud") / "cloud.db"
        yield database, dict(initialize(CloudConfig("cloud", 5000, database)).passwords)


@pytest.fixture
def stored(furnished: tuple[Path, dict[str, str]], tmp_path: Path, backend: Slow) -> Iterator[Stored]:
    if os.geteuid() != 0:
        pytest.skip("only root has volumes mounted")
    database, passwords = furnished
    made = Cloud(Path(shutil.copy(database, tmp_path / "cloud.db")), dict(passwords), backend=backend)
    yield Stored(made)
    backend.may_go_on.set()
    made.stop()


class Stored:
    """Volumes and what is made of them."""

    def __init__(self, cloud: Cloud) -> None:
        self._folder = cloud.database.parent
        self._images, self.ask = image_speaker(cloud), volume_speaker(cloud)

    def image(self) -> str:
        wanted = {"name": "x", "disk_format": "raw", "container_format": "bare"}
        made = str(self._images("POST", "/images", wanted).json()["id"])
        answer = self._images("PUT", f"/images/{made}/file", content=b"anything", headers=OCTETS)
        assert answer.status_code == 204
        return made

    def begin(self, kind: str, **members: Any) -> str:
        answer = self.ask("POST", f"/{kind}s", {kind: members})
        assert answer.status_code == 202, answer.text
        return str(answer.json()[kind]["id"])

    def make(self, kind: str, **members: Any) -> str:
        id = self.begin(kind, **members)
        wait_for(self.ask, f"/{kind}s/{id}")
        return id

    def volume(self, **members: Any) -> str:
        return self.make("volume", size=1, **members)

    def formatted(self) -> str:
        """A volume that a server has had."""
        id = self.volume()
        with self._file(id).open("r+b") as file:
            mark_as_made_here(file.fileno())
            file.write(b"a file system")
        return id

    def restore(self, backup: str, volume: str) -> None:
        answer = self.ask("POST", f"/backups/{backup}/restore", {"restore": {"volume_id": volume}})
        assert answer.status_code == 202
        wait_for(self.ask, f"/volumes/{volume}")

    def _file(self, id: str) -> Path:
        [file] = [found for found in self._folder.rglob(id) if found.parent.name == "volumes"]
        return file

    def may_be_mounted(self, id: str) -> bool:
        with self._file(id).open("rb") as file:
            return is_blank(file.fileno()) or is_made_here(file.fileno())


def test_data_of_an_image_is_known_wherever_it_is_copied(stored: Stored) -> None:
    clean, dirty = stored.formatted(), stored.volume(imageRef=stored.image())
    held = stored.make("snapshot", volume_id=dirty)
    kept = stored.make("backup", volume_id=clean)
    again = stored.make("backup", volume_id=dirty)
    from_snapshot = stored.make("backup", volume_id=dirty, snapshot_id=held)
    restored, other = stored.formatted(), stored.formatted()
    stored.restore(again, restored)
    stored.restore(from_snapshot, other)
    # The volume is clean again, but what was taken from it before is not.
    stored.restore(kept, dirty)
    expected = {
        stored.volume(): True,
        clean: True,
        dirty: True,
        restored: False,
        other: False,
        stored.volume(snapshot_id=held): False,
        stored.volume(source_volid=restored): False,
        stored.volume(source_volid=clean): True,
        stored.volume(snapshot_id=stored.make("snapshot", volume_id=clean)): True,
    }
    assert {id: stored.may_be_mounted(id) for id in expected} == expected


def test_a_volume_that_has_been_an_image_came_from_outside(stored: Stored) -> None:
    clean = stored.formatted()
    answer = stored.ask(
        "POST", f"/volumes/{clean}/action", {"os-volume_upload_image": {"image_name": "made"}}
    )
    wait_for(stored.ask, f"/volumes/{clean}")
    image = answer.json()["os-volume_upload_image"]["image_id"]
    assert not stored.may_be_mounted(stored.volume(imageRef=image))


@pytest.mark.parametrize("kind", ["snapshot", "backup of a snapshot", "volume"])
def test_what_comes_into_a_volume_before_it_is_copied_is_known_in_the_copy(
    stored: Stored, backend: Slow, kind: str
) -> None:
    """A copy is asked for while the volume is clean, and made later."""
    dirty = stored.make("backup", volume_id=stored.volume(imageRef=stored.image()))
    volume = stored.formatted()
    backend.may_go_on.clear()
    asked = {"source_volid": volume} if kind == "volume" else {"volume_id": volume}
    copy = stored.begin("volume", size=1, **asked) if kind == "volume" else stored.begin("snapshot", **asked)
    until(lambda: volume in backend.flushed)
    stored.restore(dirty, volume)
    backend.may_go_on.set()
    wait_for(stored.ask, f"/{'volumes' if kind == 'volume' else 'snapshots'}/{copy}")
    if kind == "snapshot":
        copy = stored.volume(snapshot_id=copy)
    elif kind == "backup of a snapshot":
        backup, copy = stored.make("backup", volume_id=volume, snapshot_id=copy), stored.formatted()
        stored.restore(backup, copy)
    assert not stored.may_be_mounted(copy)
