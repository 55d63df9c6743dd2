"""`calor config` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from calor.cli.main import main


def test_what_was_set_is_shown_with_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "heat.conf"
    file.write_text("[DEFAULT]\nmax_stacks_per_tenant = 7\nnonsense = 1\n")

    assert main(["config", "show", "--set", "--config-file", str(file)]) == 0

    reported = capsys.readouterr()
    assert reported.out == f"[DEFAULT]\nmax_stacks_per_tenant = 7  # {file}:2\n"
    assert reported.err == f"calor: {file}:3: unknown option [DEFAULT] nonsense\n"


def test_what_was_set_is_shown_for_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "heat.conf"
    file.write_text("[DEFAULT]\nmax_stacks_per_tenant = 7\n[heat_api]\nworkers = 2\n")
    words = ["config", "show", "--set", "--config-file", str(file)]

    assert main([*words, "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == [
        {"section": "DEFAULT", "name": "max_stacks_per_tenant", "value": "7", "origin": f"{file}:2"},
        {"section": "heat_api", "name": "workers", "value": "2", "origin": f"{file}:4"},
    ]

    assert main([*words, "-f", "value", "-c", "value"]) == 0
    assert capsys.readouterr().out == "7\n2\n"


def test_files_can_be_named_in_the_environment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / "a.conf", tmp_path / "b.conf"
    first.write_text("[DEFAULT]\ndebug = true\n")
    second.write_text("[DEFAULT]\nlog_file = x\n")
    monkeypatch.setenv("CALOR_CONFIG_FILE", f"{first}:{second}")

    assert main(["config", "show", "--set"]) == 0

    assert capsys.readouterr().out.splitlines() == [
        "[DEFAULT]",
        f"debug = true  # {first}:2",
        f"log_file = x  # {second}:2",
    ]


def test_a_wrong_file_is_reported_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "show", "--config-file", "/nowhere"]) == 1

    assert capsys.readouterr().err == "calor: configuration file not found: /nowhere\n"


def test_a_sample(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "sample"]) == 0

    assert "#max_resources_per_stack = 10000" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "shown", "said"),
    [
        ("[DEFAULT]\nnum_engine_workers = two\n", "num_engine_workers = two", "is not a whole number"),
        ("[heat_api]\ncert_file = /c.pem\n", "cert_file = /c.pem", "belong together"),
    ],
)
def test_what_is_wrong_is_reported_behind_what_is_configured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, shown: str, said: str
) -> None:
    file = tmp_path / "heat.conf"
    file.write_text(text)

    assert main(["config", "show", "--set", "--config-file", str(file)]) == 1

    reported = capsys.readouterr()
    assert shown in reported.out
    assert said in reported.err
    assert reported.err.count("\n") == 1
