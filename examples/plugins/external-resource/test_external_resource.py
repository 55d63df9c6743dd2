"""What scripts set up, as an engine would have them run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from external_resource import ExternalResource

from calor.resources import ResourceFailed
from calor.testing import FakeContext, InvalidProperties, Resource, resource


@pytest.fixture
def effects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file for scripts to write to."""
    monkeypatch.setenv("CALOR_EXTERNAL_DIR", str(tmp_path / "runs"))
    return tmp_path / "effects"


def external(effects: Path, **given: Any) -> Resource:
    properties = {"script": f'echo "set up $portip" | tee -a {effects}', "ips": ["10.0.0.5"], **given}
    # Scripts are processes: to wait for one takes as long as it takes.
    return resource(ExternalResource, FakeContext(real_time=True), **properties)


def test_a_script_sets_it_up_and_another_takes_it_down(effects: Path) -> None:
    one = external(effects, undo=f"echo taken down >>{effects}")
    one.create()
    assert one.attribute("output") == "set up 10.0.0.5\n"

    one.delete()
    assert effects.read_text() == "set up 10.0.0.5\ntaken down\n"


def test_a_change_runs_the_script_again_unless_it_is_about_taking_it_down(effects: Path) -> None:
    one = external(effects)
    one.create()
    one.update(undo="true")
    one.update(ips=["10.0.0.6"])

    assert effects.read_text() == "set up 10.0.0.5\nset up 10.0.0.6\n"


def test_a_script_runs_once_although_the_engine_is_killed(effects: Path) -> None:
    one = external(effects)
    one.crash_during_create()
    one.create()

    assert effects.read_text() == "set up 10.0.0.5\n"
    assert one.attribute("output") == "set up 10.0.0.5\n"


def test_a_script_that_fails_fails_the_resource(effects: Path) -> None:
    one = external(effects, script="echo cannot join; exit 3")

    with pytest.raises(ResourceFailed, match="the script ended with 3: cannot join"):
        one.create()
    assert one.state == "CREATE_FAILED"


def test_there_is_a_script(effects: Path) -> None:
    with pytest.raises(InvalidProperties, match="`script` is required"):
        external(effects, script=None)
