"""What os-apply-config does with metadata and templates, by its command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from calor_guest.apply import control, step
from calor_guest.apply.errors import ApplyError
from calor_guest.apply.metadata import load, merged, paths
from calor_guest.apply.value_types import check
from calor_guest.collect import ini
from calor_guest.collect.options import CONFIG_FILE
from calor_guest.collect.settings_file import settings_file
from calor_guest.common.heat_config import CONFIGS_FILE

HOME = Path(__file__).parents[4]
METADATA = {"a": {"b": ["zero", {"c": "x y"}], "yes": True, "no": False}, "name": "n", "count": 3}


def run(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    (folder / "metadata.json").write_text(json.dumps(METADATA))
    command = [
        sys.executable,
        "-c",
        "import sys; from calor_guest.programs import main; sys.exit(main(sys.argv))",
    ]
    command += ["os-apply-config", "--fallback-metadata", "--templates", str(folder / "templates")]
    command += ["--output", str(folder / "out"), *arguments]
    variables = {**os.environ, "PYTHONPATH": str(HOME / "src"), **environment}
    variables.setdefault("OS_CONFIG_FILES", str(folder / "metadata.json"))
    return subprocess.run(command, env=variables, capture_output=True, text=True)


def template(folder: Path, path: str, text: str, mode: int = 0o644, control: str | None = None) -> None:
    file = folder / "templates" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    file.chmod(mode)
    if control is not None:
        file.with_name(file.name + ".oac").write_text(control)


def test_templates_become_the_files_of_their_paths(tmp_path: Path) -> None:
    template(tmp_path, "etc/app/app.conf", "name = {{name}}\n")
    template(tmp_path, "etc/script", "#!/bin/sh\ncat\n", mode=0o755)
    done = run(tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out/etc/app/app.conf").read_text() == "name = n\n"
    assert json.loads((tmp_path / "out/etc/script").read_text()) == METADATA
    assert (tmp_path / "out/etc/app/app.conf").stat().st_mode & 0o777 == 0o644


def test_nothing_is_written_if_one_template_fails(tmp_path: Path) -> None:
    template(tmp_path, "a", "{{name}}")
    template(tmp_path, "z", "#!/bin/sh\necho the reason; exit 3\n", mode=0o755)
    done = run(tmp_path)
    assert done.returncode == 1
    assert "the reason" in done.stderr
    assert not (tmp_path / "out").exists()


def test_validation_writes_nothing(tmp_path: Path) -> None:
    template(tmp_path, "a", "{{name}}")
    assert run(tmp_path, "--validate").returncode == 0
    assert not (tmp_path / "out").exists()
    template(tmp_path, "a", "{{#name}}")
    assert run(tmp_path, "--validate").returncode == 1


def test_existing_files_keep_their_mode_unless_the_control_file_sets_it(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    for name in ("kept", "set"):
        (tmp_path / "out" / name).touch(0o600)
    template(tmp_path, "kept", "x")
    template(tmp_path, "set", "x", control="# comment\nmode: 0640\n")
    assert run(tmp_path).returncode == 0
    assert (tmp_path / "out/kept").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "out/set").stat().st_mode & 0o777 == 0o640


def test_files_that_may_not_be_empty_are_deleted(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/gone").touch()
    template(tmp_path, "gone", "{{missing}}", control="allow_empty: false")
    template(tmp_path, "stays", "{{missing}}")
    assert run(tmp_path).returncode == 0
    assert sorted(os.listdir(tmp_path / "out")) == ["stays"]


@pytest.mark.parametrize(
    ("arguments", "output", "code"),
    [
        (["--key", "a.b.0"], "zero\n", 0),
        (["--key", "a.b.1.c", "--type", "raw"], "x y\n", 0),
        (["--key", "a.b.1.c"], "", 1),
        (["--key", "count", "--type", "int"], "3\n", 0),
        (["--key", "a.yes"], "true\n", 0),
        (["--key", "a.b.1", "--type", "raw"], '{"c": "x y"}\n', 0),
        (["--key", "a.b.2"], "", 1),
        (["--key", "a.b.2", "--key-default", "not checked !"], "not checked !\n", 0),
        (["--key", "a", "--type", "unheard"], "", 1),
        (["--boolean-key", "a.yes"], "", 0),
        (["--boolean-key", "a.no"], "", 1),
        (["--boolean-key", "name"], "", 255),
        (["--subhash", "name"], "", 1),
    ],
)
def test_keys(tmp_path: Path, arguments: list[str], output: str, code: int) -> None:
    done = run(tmp_path, *arguments)
    assert (done.stdout, done.returncode) == (output, code), done.stderr


def test_metadata_comes_from_the_list_of_os_collect_config(tmp_path: Path) -> None:
    (tmp_path / "list.json").write_text(
        json.dumps([str(tmp_path / "metadata.json"), str(tmp_path / "missing")])
    )
    (tmp_path / "metadata.json").write_text(json.dumps(METADATA))
    assert paths({}, str(tmp_path / "list.json")) == [
        str(tmp_path / "metadata.json"),
        str(tmp_path / "missing"),
    ]
    assert paths({"OS_CONFIG_FILES": "a:b"}, str(tmp_path / "list.json")) == ["a", "b"]
    assert load(paths({}, str(tmp_path / "list.json")), fallback=[]) == METADATA
    assert paths({}, str(tmp_path / "no-list.json")) == []
    (tmp_path / "map.json").write_text("{}")
    with pytest.raises(ValueError):
        paths({}, str(tmp_path / "map.json"))


def test_maps_are_merged_and_everything_else_replaced() -> None:
    values = [{"a": {"x": 1, "y": [1]}}, None, "text", {"a": {"y": [2], "z": {}}}, {"a": {"z": 0}}]
    assert merged(values) == {"a": {"x": 1, "y": [2], "z": 0}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", control.Control()),
        ("mode: 0755  # octal", control.Control(mode=0o755)),
        ("mode: 0o644", control.Control(mode=0o644)),
        ("mode: 420", control.Control(mode=0o644)),
        ("---\nallow_empty: no\nowner: root\ngroup: 0\n", control.Control(False, None, 0, 0)),
        ("owner: 'root'", control.Control(owner=0)),
        ("mode: rwx", None),
        ("mode: 01000", None),
        ("mode: true", None),
        ("owner: nobody-of-this-name", None),
        ("owner: -1", None),
        ("allow_empty: 1", None),
        ("colour: red", None),
        ("- mode", None),
        ("{mode: 0755}", None),
    ],
)
def test_control_files(text: str, expected: control.Control | None) -> None:
    if expected is None:
        with pytest.raises(ApplyError):
            control.read(text)
    else:
        assert control.read(text) == expected


def test_types_are_checked_to_the_end_and_in_linear_time() -> None:
    with pytest.raises(ApplyError):
        check("name\n", "default")
    with pytest.raises(ApplyError):
        check("r1z1-a:%PORT%/d" * 200 + ",,", "swiftdevices")


def test_the_step_writes_what_agents_need() -> None:
    settings = {
        "collectors": ["ec2", "heat", "local"],
        "cfn": None,
        "heat": {"password": "p\n[DEFAULT]\ncommand = other", "user_id": "u", "region_name": None},
        "polling_interval": 5,
        "unheard": 1,
    }
    made = step.own_files({"os-collect-config": settings, "deployments": [{"id": 1}]})
    assert json.loads(made[CONFIGS_FILE]) == [{"id": 1}]
    assert ini.parse(made[CONFIG_FILE]) == {
        "DEFAULT": {
            "command": ["os-refresh-config"],
            "collectors": ["ec2", "heat", "local"],
            "polling_interval": ["5"],
        },
        "heat": {"password": ["p [DEFAULT] command = other"], "user_id": ["u"]},
    }


def test_settings_that_the_metadata_does_not_bring_stay() -> None:
    assert list(step.own_files({"other": 1})) == [CONFIGS_FILE]


def test_booleans_are_written_as_os_collect_config_reads_them() -> None:
    assert "use_websockets = true" in settings_file({"zaqar": {"use_websockets": True}})


def test_templates_have_precedence_over_what_the_step_writes(tmp_path: Path) -> None:
    template(tmp_path, "etc/os-collect-config.conf", "mine {{name}}")
    (tmp_path / "metadata.json").write_text(json.dumps({"name": "n", "os-collect-config": {}}))
    environment = {
        "PYTHONPATH": str(HOME / "src"),
        "OS_CONFIG_FILES": str(tmp_path / "metadata.json"),
        "OS_CONFIG_APPLIER_TEMPLATES": str(tmp_path / "templates"),
    }
    command = "import sys; from calor_guest.apply.step import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", command, "--root", str(tmp_path / "out")],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out/etc/os-collect-config.conf").read_text() == "mine n"
    assert (tmp_path / "out/var/run/heat-config/heat-config").read_text() == "[]"
