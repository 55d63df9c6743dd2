"""Commands of a configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from calor_guest.cfn import commands
from calor_guest.cfn.host import THIS_HOST
from calor_guest.cfn.problems import Problem


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "out"


def add(file: Path, text: str, **more: Any) -> dict[str, Any]:
    return {"command": f"echo {text} >> {file}", **more}


def test_commands_run_in_the_order_of_their_names(file: Path) -> None:
    commands.apply({"b": add(file, "b"), "10": add(file, "10"), "a": add(file, "a")}, THIS_HOST)
    assert file.read_text().split() == ["10", "a", "b"]


def test_a_list_is_not_for_the_shell(file: Path) -> None:
    commands.apply({"a": {"command": ["touch", f"{file}; $HOME"]}}, THIS_HOST)
    assert [path.name for path in file.parent.iterdir()] == ["out; $HOME"]


def test_env_is_the_whole_environment(file: Path) -> None:
    commands.apply({"a": {"command": f"env > {file}", "env": {"NUMBER": 3}}}, THIS_HOST)
    assert "NUMBER=3" in file.read_text()
    assert "HOME=" not in file.read_text()


def test_cwd_is_the_folder_of_the_command(file: Path) -> None:
    commands.apply({"a": {"command": "pwd > out", "cwd": str(file.parent)}}, THIS_HOST)
    assert file.read_text().strip() == str(file.parent)


def test_a_command_whose_folder_is_missing_is_skipped(file: Path) -> None:
    commands.apply({"a": add(file, "a", cwd="/no/such/folder"), "b": add(file, "b")}, THIS_HOST)
    assert file.read_text() == "b\n"


def test_a_command_whose_test_fails_is_skipped(file: Path) -> None:
    commands.apply({"a": add(file, "a", test="false"), "b": add(file, "b", test="true")}, THIS_HOST)
    assert file.read_text() == "b\n"


def test_a_failure_ends_the_work_unless_it_is_ignored(file: Path) -> None:
    section = {
        "a": {"command": "exit 3", "ignoreErrors": "true"},
        "b": {"command": "echo why >&2; exit 3"},
        "c": add(file, "c"),
    }
    with pytest.raises(Problem, match="the command b failed: why"):
        commands.apply(section, THIS_HOST)
    assert not file.exists()
