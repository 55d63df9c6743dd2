"""Sources of a configuration: what URLs say, and that archives stay in their folders."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from calor_guest.cfn import sources, unpacking
from calor_guest.cfn.host import THIS_HOST
from calor_guest.cfn.problems import Problem
from calor_guest.cfn.source_types import BZIP2, FILE, GZIP, TAR, ZIP, SourceType, source_type

TAR_GZ = SourceType(TAR, GZIP)


def entry(name: str, **more: object) -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.mode = 0o644
    for key, value in more.items():
        setattr(made, key, value)
    return made


def tar(*entries: tuple[tarfile.TarInfo, bytes]) -> io.BytesIO:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as content:
        for info, data in entries:
            info.size = len(data)
            content.addfile(info, io.BytesIO(data))
    return packed


def symlink(name: str, target: str) -> tuple[tarfile.TarInfo, bytes]:
    return entry(name, type=tarfile.SYMTYPE, linkname=target), b""


def hard_link(name: str, target: str) -> tuple[tarfile.TarInfo, bytes]:
    return entry(name, type=tarfile.LNKTYPE, linkname=target), b""


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://h/a.tgz", TAR_GZ),
        ("http://h/a.tar.gz?token=1", TAR_GZ),
        ("http://h/a.TAR.BZ2", SourceType(TAR, BZIP2)),
        ("http://h/a.tbz2", SourceType(TAR, BZIP2)),
        ("ftp://h/a.tar", SourceType(TAR)),
        ("http://h/a.zip", SourceType(ZIP)),
        ("http://h/run.sh.gz", SourceType(FILE, GZIP, "run.sh")),
        ("http://h/run.sh.bz2", SourceType(FILE, BZIP2, "run.sh")),
        ("https://github.com/o/p/tarball/master", TAR_GZ),
        ("https://api.github.com/repos/o/p/zipball/", None),
        ("https://github.com/o/p/zipball/main", SourceType(ZIP)),
        ("http://example.org/o/p/tarball/master", None),
        ("http://h/a.sh", None),
    ],
)
def test_the_type_of_a_source_is_known_from_its_url(url: str, expected: SourceType | None) -> None:
    assert source_type(url) == expected


def test_sources_are_downloaded_and_unpacked(tmp_path: Path) -> None:
    packed = tmp_path / "a.tgz"
    packed.write_bytes(tar((entry("bin/run", mode=0o755, mtime=1000), b"#!/bin/sh\n")).getvalue())
    (tmp_path / "b.sh.gz").write_bytes(gzip.compress(b"single"))
    (tmp_path / "c.sh.bz2").write_bytes(bz2.compress(b"single"))
    section = {
        str(tmp_path / "to/a"): packed.as_uri(),
        str(tmp_path / "to/b"): (tmp_path / "b.sh.gz").as_uri(),
        str(tmp_path / "to/c"): (tmp_path / "c.sh.bz2").as_uri(),
    }
    assert sources.apply(section, THIS_HOST) == []
    run = tmp_path / "to/a/bin/run"
    assert (run.read_bytes(), run.stat().st_mode & 0o7777, run.stat().st_mtime) == (
        *(b"#!/bin/sh\n", 0o755, 1000),
    )
    assert (tmp_path / "to/b/b.sh").read_bytes() == b"single"
    assert (tmp_path / "to/c/c.sh").read_bytes() == b"single"


def test_a_failing_source_is_reported_and_the_others_are_unpacked(tmp_path: Path) -> None:
    (tmp_path / "b.tgz").write_bytes(tar((entry("b"), b"b")).getvalue())
    missing = (tmp_path / "a.tgz").as_uri()
    problems = sources.apply(
        {str(tmp_path / "a"): missing, str(tmp_path / "b"): (tmp_path / "b.tgz").as_uri()}, THIS_HOST
    )
    assert len(problems) == 1
    assert problems[0].startswith(f"{missing} is not unpacked into {tmp_path / 'a'}: ")
    assert (tmp_path / "b/b").read_text() == "b"


def test_quotes_in_urls_and_folders_mean_nothing(tmp_path: Path) -> None:
    (tmp_path / "b.tgz").write_bytes(tar((entry("b"), b"b")).getvalue())
    folder = tmp_path / "a'; touch owned; '"
    assert sources.apply({str(folder): f"file://{tmp_path}/b.tgz"}, THIS_HOST) == []
    assert (folder / "b").read_text() == "b"


def test_links_within_the_folder_are_unpacked(tmp_path: Path) -> None:
    packed = tar(
        *((entry("v1/file"), b"x"), symlink("current", "v1"), symlink("v1/up", "../v1/file")),
        *(hard_link("same", "v1/file"), (entry("/absolute"), b"y")),
    )
    unpacking.unpack(packed, TAR_GZ, str(tmp_path))
    assert (tmp_path / "current/file").read_text() == "x"
    assert (tmp_path / "v1/up").read_text() == "x"
    assert (tmp_path / "same").stat().st_nlink == 2
    assert (tmp_path / "absolute").read_text() == "y"


@pytest.mark.parametrize(
    "attack",
    [
        [(entry("good"), b"x"), (entry("../evil"), b"x")],
        [(entry("good"), b"x"), (entry("a/../../evil"), b"x")],
        [symlink("link", "/"), (entry("link/evil"), b"x")],
        [symlink("link", "../.."), (entry("link/evil"), b"x")],
        [symlink("a/link", "../../outside")],
        [symlink("link", ".."), hard_link("evil", "link/secret")],
        [hard_link("evil", "../secret")],
        [(entry("device", type=tarfile.CHRTYPE, devmajor=1, devminor=3), b"")],
        [(entry("pipe", type=tarfile.FIFOTYPE), b"")],
    ],
)
def test_nothing_of_an_archive_that_leads_out_is_written(
    attack: list[tuple[tarfile.TarInfo, bytes]], tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("secret")
    with pytest.raises(Problem):
        unpacking.unpack(tar(*attack), TAR_GZ, str(tmp_path / "target"))
    assert sorted(os.listdir(tmp_path)) == ["secret", "target"]
    assert os.listdir(tmp_path / "target") == []


def test_entries_do_not_go_through_links(tmp_path: Path) -> None:
    """Not even through chains of them that look harmless, or links that were there before."""
    target = tmp_path / "target"
    chain = tar(symlink("a", "b/.."), symlink("b", "c"), (entry("a/evil"), b"x"))
    with pytest.raises(Problem, match="not a folder"):
        unpacking.unpack(chain, TAR_GZ, str(target))
    (target / "old").symlink_to(tmp_path)
    with pytest.raises(Problem, match="not a folder"):
        unpacking.unpack(tar((entry("old/evil"), b"x")), TAR_GZ, str(target))
    unpacking.unpack(tar((entry("old"), b"new")), TAR_GZ, str(target))
    assert (target / "old").read_text() == "new"
    assert os.listdir(tmp_path) == ["target"]


def test_a_hard_link_does_not_lead_to_a_link(tmp_path: Path) -> None:
    packed = tar(symlink("link", "target"), hard_link("hard", "link"))
    with pytest.raises(Problem, match="does not lead to a file"):
        unpacking.unpack(packed, TAR_GZ, str(tmp_path / "target"))


def test_folders_may_be_read_only(tmp_path: Path) -> None:
    folder = entry("sub", type=tarfile.DIRTYPE)
    folder.mode = 0o555
    unpacking.unpack(tar((folder, b""), (entry("sub/file"), b"x")), TAR_GZ, str(tmp_path))
    assert (tmp_path / "sub/file").read_text() == "x"
    assert stat.S_IMODE((tmp_path / "sub").stat().st_mode) == 0o555


def test_archives_replace_what_they_unpacked_before(tmp_path: Path) -> None:
    for content in (b"one", b"two"):
        unpacking.unpack(
            tar((entry("sub", type=tarfile.DIRTYPE, mode=0o755), b""), (entry("sub/file"), content)),
            TAR_GZ,
            str(tmp_path),
        )
        assert (tmp_path / "sub/file").read_bytes() == content


def zipped(add: Callable[[zipfile.ZipFile], None]) -> io.BytesIO:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as content:
        add(content)
    return packed


def zip_entry(name: str, mode: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, mode << 16
    return info


def test_zip_archives(tmp_path: Path) -> None:
    def add(content: zipfile.ZipFile) -> None:
        content.writestr(zip_entry("sub/", stat.S_IFDIR | 0o755), "")
        content.writestr(zip_entry("sub/run", stat.S_IFREG | 0o750), "x")
        content.writestr(zip_entry("link", stat.S_IFLNK | 0o777), "sub/run")

    unpacking.unpack(zipped(add), SourceType(ZIP), str(tmp_path))
    assert (tmp_path / "link").read_text() == "x"
    assert stat.S_IMODE((tmp_path / "sub/run").stat().st_mode) == 0o750


@pytest.mark.parametrize(
    ("name", "mode", "content"),
    [("../evil", stat.S_IFREG | 0o644, "x"), ("link", stat.S_IFLNK | 0o777, "/etc")],
)
def test_nothing_of_a_zip_archive_that_leads_out_is_written(
    name: str, mode: int, content: str, tmp_path: Path
) -> None:
    def add(packed: zipfile.ZipFile) -> None:
        packed.writestr("good", "x")
        packed.writestr(zip_entry(name, mode), content)

    with pytest.raises(Problem, match="leads out of the folder"):
        unpacking.unpack(zipped(add), SourceType(ZIP), str(tmp_path / "target"))
    assert os.listdir(tmp_path / "target") == []


def test_what_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    zeros = bytes(4 << 20)
    for packed, type in (
        (tar((entry("zeros"), zeros)), TAR_GZ),
        (io.BytesIO(gzip.compress(zeros)), SourceType(FILE, GZIP, "zeros")),
        (zipped(lambda content: content.writestr("zeros", zeros)), SourceType(ZIP)),
    ):
        with pytest.raises(Problem, match="too large"):
            unpacking.unpack(packed, type, str(tmp_path), max_bytes=1 << 20)


def test_holes_count(tmp_path: Path) -> None:
    sparse = entry("hole", pax_headers={"GNU.sparse.size": str(1 << 40), "GNU.sparse.map": "0,0"})
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", format=tarfile.PAX_FORMAT) as content:
        content.addfile(sparse)
    with pytest.raises(Problem, match="too large"):
        unpacking.unpack(packed, TAR_GZ, str(tmp_path))


def test_a_huge_header_is_not_read(tmp_path: Path) -> None:
    packed = tar((entry("././@LongLink", type=tarfile.GNUTYPE_LONGNAME), bytes(20 << 20)), (entry("x"), b""))
    with pytest.raises(Problem, match="too large"):
        unpacking.unpack(packed, TAR_GZ, str(tmp_path))


@pytest.mark.parametrize("type", [TAR_GZ, SourceType(TAR, BZIP2), SourceType(TAR), SourceType(ZIP)])
def test_what_is_not_an_archive_is_refused(type: SourceType, tmp_path: Path) -> None:
    with pytest.raises(Problem, match="the archive"):
        unpacking.unpack(io.BytesIO(b"<html>not found</html>" * 100), type, str(tmp_path))
