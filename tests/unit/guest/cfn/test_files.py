"""Files of a configuration."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from calor_guest.cfn import files
from calor_guest.cfn.host import THIS_HOST, Host
from calor_guest.cfn.problems import Problem


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


def write(path: Path, host: Host = THIS_HOST, **given: Any) -> None:
    files.apply({str(path): given}, host)


def test_text_is_written_as_it_is_and_folders_are_created(tmp_path: Path) -> None:
    write(tmp_path / "a/b/file", content="grüße\n")
    assert (tmp_path / "a/b/file").read_bytes() == "grüße\n".encode()


def test_paths_begin_at_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files.apply({str(tmp_path / "file").lstrip("/"): {"content": "x"}}, THIS_HOST)
    assert os.listdir(tmp_path) == ["file"]


def test_an_object_is_written_as_json(tmp_path: Path) -> None:
    write(tmp_path / "file", content={"a": [1, None]})
    assert (tmp_path / "file").read_text() == json.dumps({"a": [1, None]}, indent=4)


def test_content_may_be_base64(tmp_path: Path) -> None:
    write(tmp_path / "file", content="AAEC", encoding="base64")
    assert (tmp_path / "file").read_bytes() == b"\0\1\2"


def test_the_mode_is_octal_text(tmp_path: Path) -> None:
    write(tmp_path / "file", content="", mode="000640")
    assert mode(tmp_path / "file") == 0o640


def test_without_a_mode_new_files_have_that_of_the_umask_and_others_keep_theirs(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write(tmp_path / "new", content="")
    finally:
        os.umask(before)
    assert mode(tmp_path / "new") == 0o640
    (tmp_path / "new").chmod(0o600)
    write(tmp_path / "new", content="changed")
    assert (mode(tmp_path / "new"), (tmp_path / "new").read_text()) == (0o600, "changed")


@pytest.mark.skipif(os.geteuid() != 0, reason="only for root")
def test_owner_and_group_are_set_and_unknown_ones_ignored(tmp_path: Path) -> None:
    write(tmp_path / "file", content="", owner="nobody", group="daemon")
    assert ((tmp_path / "file").owner(), (tmp_path / "file").group()) == ("nobody", "daemon")
    write(tmp_path / "file", content="", owner="no-such-user", group="no-such-group")
    assert ((tmp_path / "file").owner(), (tmp_path / "file").group()) == ("nobody", "daemon")


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("file")
    write(tmp_path / "link", content="x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "x"


def test_devices_are_written_into(tmp_path: Path) -> None:
    write(Path("/dev/null"), content="x", mode="000777")
    assert Path("/dev/null").is_char_device()


def test_a_file_whose_source_fails_keeps_its_content(tmp_path: Path) -> None:
    def fail(url: str, file: Any) -> None:
        file.write(b"half of")
        raise Problem("gone")

    (tmp_path / "file").write_text("before")
    with pytest.raises(Problem, match="gone"):
        write(tmp_path / "file", THIS_HOST._replace(download=fail), source="http://example.org/")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "before"


def test_entries_without_content_are_skipped(tmp_path: Path) -> None:
    files.apply({str(tmp_path / "a"): {"mode": "0600"}, str(tmp_path / "b"): {"content": "b"}}, THIS_HOST)
    assert os.listdir(tmp_path) == ["b"]


def test_what_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(Problem, match=str(tmp_path)):
        write(tmp_path, content="x")
    with pytest.raises(Problem, match="invalid"):
        write(tmp_path / "file", content="x", mode="rw")
    assert os.listdir(tmp_path) == []
