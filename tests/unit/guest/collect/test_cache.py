"""How changes are detected, and what files the cache has."""

from __future__ import annotations

import json
import os
from pathlib import Path

from calor_guest.collect.cache import Cache, file_name, unique


def test_changed_is_what_differs_from_what_was_last_accepted(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path / "cache"))
    assert cache.store("a", {"x": 1, "y": 2}).changed
    assert cache.store("a", {"x": 1, "y": 2}).changed
    cache.commit("a")
    assert not cache.store("a", {"y": 2, "x": 1}).changed
    assert cache.store("a", {"x": True, "y": 2}).changed
    assert not cache.store("a", {"x": 1, "y": 2}).changed


def test_files_are_private_and_keep_the_first_the_current_and_the_accepted_version(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path))
    cache.store("a", 1)
    cache.store("a", 2)
    cache.commit("a")
    path = cache.store("a", 3).path
    assert [json.loads(Path(path + suffix).read_text()) for suffix in (".orig", ".last", "")] == [1, 2, 3]
    assert {file.stat().st_mode & 0o777 for file in tmp_path.iterdir()} == {0o600}


def test_unreadable_files_count_as_changed(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path))
    path = cache.store("a", 1).path
    Path(path + ".last").write_text("{")
    assert cache.store("a", 1).changed


def test_names_stay_in_the_folder_and_in_lists_of_paths(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path / "cache"))
    for name in ("../../outside", "a:b", "..", "n" * 300, "ü" * 120, "\0"):
        path = cache.store(name, 1).path
        assert os.path.dirname(path) == str(tmp_path / "cache")
        assert ":" not in path
    assert file_name("n" * 300) != file_name("n" * 301)


def test_equal_names_do_not_overwrite_one_another() -> None:
    assert unique(["a", "heat", "a", "a-2"], ["heat"]) == ["a", "heat-2", "a-2", "a-2-2"]


def test_the_backup_is_replaced_as_a_whole(tmp_path: Path) -> None:
    cache, backup = Cache(str(tmp_path / "cache")), tmp_path / "run" / "backup"
    cache.store("a", 1)
    cache.copy_to(str(backup))
    (backup / "stale").touch()
    cache.copy_to(str(backup))
    assert sorted(os.listdir(backup)) == ["a.json", "a.json.orig"]
    assert os.listdir(tmp_path / "run") == ["backup"]
    cache.copy_to(str(tmp_path / "cache"))
    assert sorted(os.listdir(tmp_path / "cache")) == ["a.json", "a.json.orig"]
