"""The configs of a server are given to the hooks of their groups."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from calor_guest.config.configs import prepared
from tests.unit.guest.config.guest import Guest, script
from tests.unit.guest.config.stack import Stack

SHOWS_CONFIG = """#!/bin/sh
cat > "$0.config"
echo '{"deploy_status_code": 0}'
"""


def result_of(guest: Guest, id: str) -> Any:
    return json.loads((guest.deployed / f"{id}.notify.json").read_text())


def test_configs_run_in_the_order_of_the_list_also_after_a_failure(guest: Guest) -> None:
    runs = guest.folder / "runs"
    ids = ["c", "a", "b"]
    guest.give(*(script(id, f"echo {id} >> {runs}; exit 1") for id in ids))
    assert guest.run().returncode == 0
    assert runs.read_text().split() == ids


def test_an_odd_config_does_not_stop_the_others(guest: Guest) -> None:
    guest.give(
        {"id": "a1", "group": "script", "inputs": [{}]}, {"group": "script"}, {"id": "../x"}, script("a2", "")
    )
    assert guest.run().returncode == 0
    assert result_of(guest, "a2")["deploy_status_code"] == 0
    assert not (guest.folder / "x.json").exists()


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": 1}'])
def test_a_list_that_cannot_be_read_runs_nothing(guest: Guest, text: str) -> None:
    guest.configs.write_text(text)
    done = guest.run()
    assert done.returncode == 0
    assert ("cannot be read" in done.stderr) == (text not in ("", "[]"))


def test_without_a_list_there_is_an_error(guest: Guest) -> None:
    done = guest.run()
    assert done.returncode == 1
    assert str(guest.configs) in done.stderr


def test_secrets_are_for_the_owner_only(guest: Guest, stack: Stack) -> None:
    secret = {"name": "password", "value": "t0psecret"}
    guest.give(script("a1", "echo $password", secret, *stack.signal_inputs()))
    guest.configs.chmod(0o644)
    done = guest.run()
    assert "t0psecret" not in done.stdout + done.stderr
    for path in guest.folder.rglob("*"):
        if path.is_file() and b"t0psecret" in path.read_bytes():
            assert path.stat().st_mode & 0o077 == 0, path
    assert guest.configs.stat().st_mode & 0o777 == 0o600
    assert (guest.folder / "working").stat().st_mode & 0o777 == 0o700
    assert (guest.folder / "outputs").stat().st_mode & 0o777 == 0o700


def test_the_hook_gets_the_config(guest: Guest) -> None:
    hook = guest.write_program(guest.hooks / "cheff-1_x", SHOWS_CONFIG)
    config = {"id": "a1", "group": "che/ff-1_x", "inputs": [], "config": {"b": 2}, "options": {"c": "d"}}
    guest.give(config)
    guest.run()
    assert json.loads(Path(f"{hook}.config").read_text()) == config
    assert json.loads((guest.deployed / "a1.json").read_text()) == config


def test_without_a_hook_the_config_waits_for_one(guest: Guest) -> None:
    guest.give(
        {"id": "a1", "group": "mine", "inputs": []}, {"id": "a2", "group": "os-apply-config", "inputs": []}
    )
    waiting = guest.run()
    assert waiting.returncode == 0
    assert "no hook for the group mine" in waiting.stderr
    assert "no hook for the group os-apply-config" not in waiting.stderr
    assert guest.state_files() == []

    guest.write_program(guest.hooks / "mine", SHOWS_CONFIG)
    guest.run()
    assert result_of(guest, "a1") == {"deploy_status_code": 0}


def test_a_hook_that_cannot_run_fails_the_deployment(guest: Guest) -> None:
    guest.write_program(guest.hooks / "mine", SHOWS_CONFIG).chmod(0o644)
    guest.give({"id": "a1", "group": "mine", "inputs": []})
    assert guest.run().returncode == 0
    result = result_of(guest, "a1")
    assert result["deploy_status_code"] == 127
    assert "Permission denied" in result["deploy_stderr"]


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("echo '{\"deploy_status_code\": 4}'; exit 1", {"deploy_status_code": 4}),
        (
            "echo plain; echo why >&2",
            {"deploy_stdout": "plain\n", "deploy_stderr": "why\n", "deploy_status_code": 0},
        ),
        ("echo why >&2; exit 2", {"deploy_stdout": "", "deploy_stderr": "why\n", "deploy_status_code": 2}),
        ("echo 42", {"deploy_stdout": "42\n", "deploy_stderr": "", "deploy_status_code": 0}),
        ("kill -9 $$", {"deploy_stdout": "", "deploy_stderr": "", "deploy_status_code": -9}),
        ("exit 0", {}),
    ],
)
def test_what_a_hook_prints_is_the_result(guest: Guest, text: str, result: Any) -> None:
    guest.write_program(guest.hooks / "mine", f"#!/bin/sh\n{text}\n")
    guest.give({"id": "a1", "group": "mine", "inputs": []})
    guest.run()
    assert result_of(guest, "a1") == result


def test_a_hook_cannot_fill_the_memory(guest: Guest) -> None:
    guest.write_program(guest.hooks / "mine", "#!/bin/sh\nhead -c 40000000 /dev/zero\n")
    guest.give({"id": "a1", "group": "mine", "inputs": []})
    guest.run()
    assert "more than 32 MiB" in result_of(guest, "a1")["deploy_stderr"]


def test_inputs_of_type_string_become_text() -> None:
    values: list[Any] = [5, True, None, {"a": 1}, "as is"]
    inputs = [{"name": f"i{number}", "type": "String", "value": value} for number, value in enumerate(values)]
    inputs.append({"name": "n", "type": "Number", "value": 5})
    config = prepared({"group": "script", "inputs": inputs})
    assert config is not None
    assert [one["value"] for one in config["inputs"]] == ["5", "True", "", '{"a": 1}', "as is", 5]


@pytest.mark.parametrize(("action", "found"), [("CREATE", ("start", "script")), ("DELETE", None)])
def test_of_a_component_the_part_for_the_action_runs(action: str, found: tuple[str, str] | None) -> None:
    parts = [
        {"actions": ["UPDATE"], "config": "change", "tool": "ansible"},
        {"actions": ["CREATE", "RESUME"], "config": "start", "tool": "script"},
    ]
    inputs = [{"name": "deploy_action", "value": action}]
    config = prepared({"group": "component", "inputs": inputs, "config": {"configs": parts}})
    assert (config and (config["config"], config["group"])) == found
