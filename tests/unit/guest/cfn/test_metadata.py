"""Where metadata comes from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

import pytest

from calor_guest.cfn.metadata import Retrieved, retrieve, value_at
from calor_guest.cfn.problems import Problem


def unavailable() -> NoReturn:
    raise Problem("no route")


@pytest.fixture
def last(tmp_path: Path) -> Path:
    return tmp_path / "cache/last_metadata"


def get(last: Path, resource: str | None = "web", fetch: Any = unavailable) -> Retrieved | None:
    return retrieve(fetch, resource, str(last.parent.parent / "initial"), str(last))


def test_what_is_retrieved_is_kept_privately(last: Path) -> None:
    assert get(last, fetch=lambda: {"a": 1}) == ({"a": 1}, True)
    assert sorted(path.name for path in last.parent.iterdir()) == ["last_metadata", "last_metadata_web"]
    assert {path.stat().st_mode & 0o777 for path in last.parent.iterdir()} == {0o600}
    assert last.parent.stat().st_mode & 0o777 == 0o700
    assert get(last, fetch=lambda: {"a": 1}) == ({"a": 1}, False)
    assert get(last, fetch=lambda: {"a": 2}) == ({"a": 2}, True)


def test_without_the_stack_files_are_read_from_the_newest_to_the_oldest(last: Path) -> None:
    assert get(last) is None
    (last.parent.parent / "initial").write_text('{"from": "initial"}')
    assert get(last, "first") == ({"from": "initial"}, True)
    last.write_text('{"from": "last"}')
    assert get(last, "second") == ({"from": "last"}, False)
    Path(f"{last}_web").write_text('{"from": "last of web"}')
    assert get(last, "web") == ({"from": "last of web"}, False)


def test_resources_are_compared_with_themselves(last: Path) -> None:
    get(last, "one", lambda: {"a": 1})
    get(last, "two", lambda: {"a": 2})
    assert get(last, "one", lambda: {"a": 1}) == ({"a": 1}, False)


def test_a_file_that_is_not_json_is_passed_over(last: Path) -> None:
    last.parent.mkdir()
    last.write_text("{")
    (last.parent.parent / "initial").write_text("{}")
    assert get(last) == ({}, True)


def test_the_name_of_a_resource_does_not_lead_elsewhere(last: Path) -> None:
    with pytest.raises(Problem, match="not the name of a resource"):
        get(last, "../../x", dict)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("foo", {"bar": {"fred.1": "abcd"}, "baz": 0}),
        ("foo.bar.'fred.1'", "abcd"),
        ("foo.baz", 0),
        ("foo.no", None),
        ("foo.baz.deeper", None),
        ("foo..bar", None),
        ("", None),
    ],
)
def test_keys(key: str, value: Any) -> None:
    metadata = json.loads('{"foo": {"bar": {"fred.1": "abcd"}, "baz": 0}}')
    assert value_at(metadata, key) == value
