"""The tests of os-refresh-config itself, against calor_guest.refresh: most of them run the program."""

from __future__ import annotations

from pathlib import Path

from tests.conformance.original_tests import check, run

VERSION = "14.1.0"
TESTS = 11
NOT_APPLICABLE: dict[str, str] = {}
"""Why, by test."""


def test_the_tests_of_os_refresh_config_pass(tmp_path: Path) -> None:
    results = run("os-refresh-config", VERSION, tmp_path, programs=("os-refresh-config", "dib-run-parts"))
    check(results, TESTS, NOT_APPLICABLE)
