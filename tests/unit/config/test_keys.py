"""The key file of a state directory."""

from __future__ import annotations

from pathlib import Path

import pytest

from calor.config.keys import UnusableKey, old_keys, parse_key_file
from calor.server import secrets

ONE = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
TWO = "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8="
HEAT = "h" * 32


def test_a_new_file_ends_with_a_newline_so_that_another_key_can_be_appended(tmp_path: Path) -> None:
    [first] = secrets.load(tmp_path, ()).keys
    with (tmp_path / "key").open("a") as file:
        file.write(f"{ONE}\n")

    assert secrets.load(tmp_path, ()).keys == (first, ONE.encode())


def test_blank_lines_and_spaces_around_a_key_do_not_matter() -> None:
    assert parse_key_file(f"\n  {ONE} \n\n{TWO}") == (ONE.encode(), TWO.encode())


@pytest.mark.parametrize(
    "line", [ONE + TWO, f"{ONE} {TWO}", f"{ONE},{TWO}", f"{ONE};{HEAT}", f"{HEAT} {HEAT}", f"{HEAT}{ONE}"]
)
@pytest.mark.parametrize("read", [parse_key_file, old_keys])
def test_two_keys_in_a_line_are_reported_with_the_line_but_not_the_keys(read: object, line: str) -> None:
    assert callable(read)
    with pytest.raises(UnusableKey) as raised:
        read(f"{ONE}\n{line}\n")
    assert str(raised.value) == "line 2 has more than one key; put each on its own line"


@pytest.mark.parametrize("line", ["short", ONE[:-1], ONE[1:], "x" * 40, "\ufffd" * 7])
def test_an_invalid_line_is_reported_with_the_file_but_not_its_text(tmp_path: Path, line: str) -> None:
    file = tmp_path / "key"
    file.write_text(f"{ONE}\n{line}\n")
    with pytest.raises(UnusableKey) as raised:
        secrets.load(tmp_path, ())
    said = str(raised.value)
    assert said.startswith(f"{file}: line 2 is not a key: it has {len(line)} characters")
    assert line not in said


def test_a_file_that_is_not_text_is_reported(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(UnusableKey, match="line 1 is not a key"):
        secrets.load(tmp_path, ())


def test_an_empty_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("")
    with pytest.raises(UnusableKey, match="is empty"):
        secrets.load(tmp_path, ())
