"""The tests of os-collect-config itself, against calor_guest.collect."""

from __future__ import annotations

from pathlib import Path

from tests.conformance.original_tests import check, run

VERSION = "14.1.0"
TESTS = 93
_REEXECUTION = (
    "looks at the arguments of os.execv; ours names the interpreter, since the program is an archive"
)
_HASHES = "expects MD5 sums of the configuration files; ours compares what is in them"
_MOUNTING = "mocks methods that mount and unmount, which in ours are one context manager"
_LOGIN = (
    "looks into an object that finds versions of Keystone and keeps tokens in a database; ours uses version 3"
)
NOT_APPLICABLE = {
    "test_collect.TestHup.test_reexec_self": _REEXECUTION,
    "test_collect.TestHup.test_reexec_self_signal": _REEXECUTION,
    "test_collect.TestFileHash.test_getfilehash_filenotfound": _HASHES,
    "test_collect.TestFileHash.test_getfilehash_nofile": _HASHES,
    "test_collect.TestFileHash.test_getfilehash_onefile": _HASHES,
    "test_collect.TestFileHash.test_getfilehash_twofiles": _HASHES,
    "test_config_drive.TestConfigDrive.test_already_mounted": _MOUNTING,
    "test_config_drive.TestConfigDrive.test_ensure_mounted": _MOUNTING,
    "test_config_drive.TestConfigDrive.test_get_metadata": _MOUNTING,
    "test_config_drive.TestConfigDrive.test_parse_shell_var": "calls a helper for one line, which ours does not have",
    "test_keystone.KeystoneTest.test_cache_auth_ref": _LOGIN,
    "test_keystone.KeystoneTest.test_cache_is_created": _LOGIN,
    "test_keystone.KeystoneTest.test_discover_fail": _LOGIN,
    "test_keystone.KeystoneTest.test_discover_v3_unsupported": _LOGIN,
}
"""Why, by test. What they are about is tested in tests/unit/guest/collect."""


def test_the_tests_of_os_collect_config_pass(tmp_path: Path) -> None:
    results = run("os-collect-config", VERSION, tmp_path)
    check(results, TESTS, NOT_APPLICABLE)
