"""The tests of os-refresh-config itself, against calor_guest.refresh: most of them run the program."""

from __future__ import annotations

from pathlib import Path

from tests.conformance.original_tests import run

VERSION = "14.1.0"
TESTS = 11
NOT_APPLICABLE: dict[str, str] = {}
"""Why, by test."""


def test_the_tests_of_os_refresh_config_pass(tmp_path: Path) -> None:
    results = run("os-refresh-config", VERSION, tmp_path, programs=("os-refresh-config", "dib-run-parts"))
    unexpected = {name: text for name, text in results.others.items() if name not in NOT_APPLICABLE}
    assert not unexpected, "\n\n".join(f"{name}\n{text}" for name, text in unexpected.items())
    assert set(NOT_APPLICABLE) == set(results.others)
    assert len(results.passed) == TESTS - len(NOT_APPLICABLE)
