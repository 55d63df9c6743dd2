"""The tests of os-apply-config itself, against calor_guest.apply."""

from __future__ import annotations

import os
from pathlib import Path

from tests.conformance.original_tests import check, run

VERSION = "14.1.0"
TESTS = 82
NOT_APPLICABLE = (
    {"test_collect_config.OCCTestCase.test_failed_read": "administrators may read every file"}
    if os.geteuid() == 0
    else {}
)
"""Why, by test."""


def test_the_tests_of_os_apply_config_pass(tmp_path: Path) -> None:
    results = run("os-apply-config", VERSION, tmp_path)
    check(results, TESTS, NOT_APPLICABLE)
