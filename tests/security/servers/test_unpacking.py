"""Images that are made to take long, or to take much: whoever uploads one holds up nobody else."""

from __future__ import annotations

import asyncio
import io
import os
import tarfile
from pathlib import Path

import pytest

from calor.localcloud.backend import BackendError
from calor.localcloud.linux import unpacking
from calor.localcloud.linux.entry import enter
from calor.localcloud.linux.images import Images
from calor.localcloud.linux.syscalls import run_in_child

MEGABYTE = 1 << 20


def problem_with(archive: Path) -> str | None:
    return run_in_child(lambda: unpacking.unpack(archive, archive.parent / "unpacked" / "root", enter()))


def packed(file: Path, *entries: tuple[tarfile.TarInfo, int]) -> Path:
    """An archive of entries with so many zeros each."""
    with tarfile.open(file, "w:gz") as archive:
        for entry, size in entries:
            entry.size = size
            archive.addfile(entry, io.BytesIO(bytes(size)))
    return file


def named(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = kind, target
    return entry


@pytest.fixture
def little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is room for a few megabytes."""
    left = 4 * MEGABYTE

    def check(wanted: int) -> None:
        found = sum(file.stat().st_blocks * 512 for file in Path("/").glob("**/*") if file.is_file())
        if found + wanted > left:
            raise OSError("there is not enough free disk space")

    monkeypatch.setattr(unpacking, "_check_room", check)
    monkeypatch.setattr(unpacking, "_CHECK_INTERVAL", MEGABYTE)


@pytest.mark.usefixtures("_possible", "little_room")
class TestDiskSpace:
    def test_images_that_fit_are_unpacked(self, tmp_path: Path) -> None:
        archive = packed(tmp_path / "image.tar.gz", (named("a"), MEGABYTE), (named("b"), MEGABYTE))
        assert problem_with(archive) is None
        assert (tmp_path / "unpacked/root/b").stat().st_size == MEGABYTE

    def test_data_in_sparse_files_needs_space(self, tmp_path: Path) -> None:
        entry = named("sparse")
        data = b"1\n0\n" + str(16 * MEGABYTE).encode() + b"\n"
        data += bytes(-len(data) % 512) + bytes(16 * MEGABYTE)
        headers = {"major": "1", "minor": "0", "name": "sparse", "realsize": str(16 * MEGABYTE)}
        entry.pax_headers = {f"GNU.sparse.{name}": value for name, value in headers.items()}
        entry.size = len(data)
        archive = tmp_path / "image.tar"
        with tarfile.open(archive, "w", format=tarfile.PAX_FORMAT) as written:
            written.addfile(entry, io.BytesIO(data))
        assert "not enough free disk space" in str(problem_with(archive))

    def test_links_to_missing_files_need_space(self, tmp_path: Path) -> None:
        """They are unpacked as copies of it."""
        links = [(named(f"copy{number}", tarfile.LNKTYPE, "s/file"), 0) for number in range(16)]
        archive = packed(
            tmp_path / "image.tar.gz",
            *((named(name, tarfile.DIRTYPE), 0) for name in ("one", "two")),
            (named("s", tarfile.SYMTYPE, "one"), 0),
            (named("s/file"), MEGABYTE),
            (named("s", tarfile.SYMTYPE, "two"), 0),
            *links,
        )
        assert "not enough free disk space" in str(problem_with(archive))


def test_negative_sizes_count_as_zero() -> None:
    entry = named("x")
    entry.size = -(1 << 40)
    assert unpacking.data_in(entry) == 0


@pytest.mark.usefixtures("_possible")
@pytest.mark.parametrize("name", ["file", "./."])
def test_the_amount_of_data_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Even of what is not unpacked."""
    monkeypatch.setattr(unpacking, "_MAX_READ", MEGABYTE)
    archive = packed(tmp_path / "image.tar.gz", (named(name), 16 * MEGABYTE), (named("next"), 0))
    assert archive.stat().st_size < MEGABYTE
    assert "too large" in str(problem_with(archive))


@pytest.mark.usefixtures("_possible")
def test_the_time_of_unpacking_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "_MAX_SECONDS", 1)
    # A disk that takes its time.
    monkeypatch.setattr(unpacking, "_check_room", lambda wanted: os.read(os.pipe()[0], 1))
    archive = packed(tmp_path / "image.tar.gz", (named("file"), 0))
    assert "longer than 1 seconds" in str(problem_with(archive))


@pytest.mark.usefixtures("_possible")
@pytest.mark.parametrize("mode", ["w:", "w:gz", "w:bz2", "w:xz"])
def test_images_may_be_compressed(tmp_path: Path, mode: str) -> None:
    archive = tmp_path / "image.tar"
    with tarfile.open(archive, mode) as written:  # type: ignore[call-overload]
        entry = named("file")
        entry.size = 4
        written.addfile(entry, io.BytesIO(b"kept"))
    assert problem_with(archive) is None
    assert (tmp_path / "unpacked/root/file").read_bytes() == b"kept"


def test_images_are_built_while_another_is_unpacked(tmp_path: Path) -> None:
    tarballs = [tmp_path / name for name in ("slow.tar", "fast.tar")]
    for tarball in tarballs:
        tarball.touch()
    begun: list[Path] = []

    async def scenario() -> None:
        may_end = asyncio.Event()

        async def unpack(archive: Path, target: Path) -> None:
            begun.append(archive)
            if archive.name == "slow.tar":
                await may_end.wait()
            target.mkdir()

        images = Images(tmp_path / "images", 0, unpack)
        slow = [asyncio.ensure_future(images.image("slow", tarballs[0], "hostile")) for _ in range(2)]
        async with asyncio.timeout(60):
            while not begun:
                await asyncio.sleep(0)
            await images.image("fast", tarballs[1], "other")
            may_end.set()
            await asyncio.gather(*slow)

    asyncio.run(scenario())
    # Each but once.
    assert sorted(begun) == sorted(tarballs)


def test_a_few_images_are_unpacked_at_a_time_and_one_of_each_project(tmp_path: Path) -> None:
    tarballs = [tmp_path / f"{number}.tar" for number in range(12)]
    for tarball in tarballs:
        tarball.touch()
    busy: list[str] = []
    most: list[int] = []

    async def scenario() -> None:
        async def unpack(archive: Path, target: Path) -> None:
            project = projects[archive]
            assert project not in busy
            busy.append(project)
            most.append(len(busy))
            for _ in range(20):
                await asyncio.sleep(0)
            busy.remove(project)
            target.mkdir()

        images = Images(tmp_path / "images", 0, unpack)
        await asyncio.gather(*(images.image("x", tarball, projects[tarball]) for tarball in tarballs))

    projects = {tarball: f"project {number % 6}" for number, tarball in enumerate(tarballs)}
    asyncio.run(scenario())
    assert max(most) == 4


def test_nothing_is_left_of_images_that_cannot_be_unpacked(tmp_path: Path) -> None:
    (tmp_path / "image.tar").touch()

    async def unpack(archive: Path, target: Path) -> None:
        target.mkdir()
        (target / "some").write_text("data")
        raise BackendError("it is too large")

    images = Images(tmp_path / "images", 0, unpack)
    with pytest.raises(BackendError, match="too large"):
        asyncio.run(images.image("x", tmp_path / "image.tar"))
    assert list((tmp_path / "images").iterdir()) == []


@pytest.mark.usefixtures("_possible")
@pytest.mark.parametrize(("entries", "problem"), [(10, None), (11, "it has more than 10 entries")])
def test_the_number_of_entries_is_limited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entries: int, problem: str | None
) -> None:
    monkeypatch.setattr(unpacking, "_MOST_ENTRIES", 10)
    archive = packed(tmp_path / "image.tar.gz", *((named(f"{number}"), 0) for number in range(entries)))
    found = problem_with(archive)
    assert problem in str(found) if problem else found is None
