"""What user data for the cfn tools does on a server."""

from __future__ import annotations

import ast
from importlib.resources import files
from pathlib import Path

import pytest

from calor.types.nova.guest import loguserdata, part_handler


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folders = (str(tmp_path / "cfntools"), str(tmp_path / "data"))
    monkeypatch.setattr(part_handler, "FOLDERS", folders)
    monkeypatch.setattr(loguserdata, "USER_DATA", str(tmp_path / "data" / "cfn-userdata"))
    monkeypatch.setattr(loguserdata, "LOG", str(tmp_path / "provision.log"))
    monkeypatch.setattr(loguserdata, "FINISHED", str(tmp_path / "cfntools" / "provision-finished"))
    return tmp_path


def handle(text: str) -> None:
    """As cloud-init does."""
    [kind] = part_handler.list_types()
    part_handler.handle_part(None, "__begin__", "", "")
    part_handler.handle_part(None, kind, "cfn-userdata", text)
    part_handler.handle_part(None, "__end__", "", "")


def test_parts_are_saved_for_root_alone(machine: Path) -> None:
    handle("grüß")

    for folder in ("cfntools", "data"):
        saved = machine / folder / "cfn-userdata"
        assert saved.read_text("utf-8") == "grüß"
        assert saved.stat().st_mode & 0o777 == 0o600


def test_a_part_does_not_leave_its_folder(machine: Path) -> None:
    part_handler.handle_part(None, "text/x-cfninitdata", "../../escaped", "x")

    assert (machine / "data" / "escaped").exists()
    assert not (machine.parent / "escaped").exists()


def test_user_data_are_run_and_logged(machine: Path) -> None:
    handle("#!/bin/sh\necho hello\nexit 3\n")

    assert loguserdata.main() == 3

    log = (machine / "provision.log").read_text()
    assert "hello" in log
    assert "ended with 3" in log
    assert (machine / "cfntools" / "provision-finished").exists()


def test_what_cannot_be_run_is_not_a_failure(machine: Path) -> None:
    handle("just some text")

    assert loguserdata.main() == 0
    assert "cannot be run" in (machine / "provision.log").read_text()


@pytest.mark.parametrize("name", ["part_handler.py", "loguserdata.py"])
def test_guests_need_nothing_but_the_standard_library_of_an_older_python(name: str) -> None:
    text = (files("calor.types.nova.guest") / name).read_text("utf-8")

    tree = ast.parse(text, feature_version=(3, 6))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert imported <= {"os", "subprocess", "sys", "time"}
