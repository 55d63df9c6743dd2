"""The tests of heat-cfntools, run against Calor's cfn tools."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.conformance.original_tests import Results, names_of_tests, run_pytest
from tests.conformance.originals import unpacked_source

SHIMS = Path(__file__).parent / "shims"
SOURCE = Path(__file__).parents[2] / "src"
SUITES = ("test_cfn_helper", "test_cfn_hup")

APPLY = {
    "test_cfn_helper.TestPackages": (
        "test_yum_install",
        "test_dnf_install_yum_unavailable",
        "test_dnf_install",
        "test_zypper_install",
        "test_apt_install",
    ),
    "test_cfn_helper.TestServicesHandler": (
        "test_services_handler_systemd",
        "test_services_handler_systemd_disabled",
        "test_services_handler_sysv_service_chkconfig",
        "test_services_handler_sysv_disabled_service_chkconfig",
        "test_services_handler_sysv_systemctl",
        "test_services_handler_sysv_disabled_systemctl",
        "test_services_handler_sysv_service_updaterc",
        "test_services_handler_sysv_disabled_service_updaterc",
    ),
    "test_cfn_helper.TestHupConfig": (
        "test_load_main_section",
        "test_hup_config",
    ),
    "test_cfn_helper.TestCfnHelper": (
        "test_metadata_server_port",
        "test_metadata_server_port_https",
        "test_metadata_server_port_noport",
        "test_metadata_server_port_justip",
        "test_metadata_server_port_weird",
        "test_metadata_server_port_emptyfile",
        "test_metadata_server_nofile",
        "test_to_boolean",
        "test_parse_creds_file",
    ),
    "test_cfn_helper.TestMetadataRetrieve": (
        "test_metadata_retrieve_files",
        "test_metadata_retrieve_none",
        "test_metadata_retrieve_passed",
        "test_metadata_retrieve_by_key_passed",
        "test_metadata_retrieve_by_nested_key_passed",
        "test_metadata_retrieve_key_none",
        "test_metadata_retrieve_by_nested_key_none",
        "test_metadata_retrieve_by_nested_key_none_with_matching_string",
        "test_metadata_creates_cache",
        "test_is_valid_metadata",
        "test_remote_metadata",
        "test_nova_meta_with_cache",
        "test_nova_meta_curl",
        "test_nova_meta_curl_corrupt",
        "test_nova_meta_curl_failed",
        "test_get_tags",
        "test_get_instance_id",
    ),
    "test_cfn_helper.TestCfnInit": (
        "test_cfn_init",
        "test_cfn_init_with_ignore_errors_false",
        "test_cfn_init_with_ignore_errors_true",
        "test_cfn_init_runs_list_commands_without_shell",
    ),
    "test_cfn_helper.TestSourcesHandler": (
        "test_apply_sources_empty",
        "test_apply_sources_github",
        "test_apply_sources_general",
        "test_apply_source_cmd",
    ),
    "test_cfn_hup.TestCfnHup": (
        "test_cfn_hup_empty_metadata",
        "test_cfn_hup_cfn_init_metadata",
    ),
}

DO_NOT_APPLY = {
    "test_cfn_helper.TestCommandRunner.test_command_runner": "how an object in Python looks as text",
    **dict.fromkeys(
        (
            "test_cfn_helper.TestCommandRunner.test_privileges_are_lowered_for_non_root_user",
            "test_cfn_helper.TestCommandRunner.test_privileges_are_restored_for_command_failure",
        ),
        "which system calls the parent makes around a command; Calor changes the user in the child, and for good: "
        "tests/unit/guest/cfn/test_host.py",
    ),
    "test_cfn_helper.TestCommandRunner.test_run_returns_when_cannot_set_privileges": "seteuid of the parent fails; "
    "that commands of unknown users have the status 126 is in tests/unit/guest/cfn/test_host.py",
}


@pytest.fixture(scope="module")
def original() -> Path:
    return unpacked_source("heat-cfntools", "2.0.0") / "heat_cfntools" / "tests"


@pytest.fixture(scope="module")
def results(original: Path, tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Of the tests, with Calor's tools in the place of the original ones."""
    folder = tmp_path_factory.mktemp("heat-cfntools")
    for package in ("boto", "heat_cfntools/cfntools"):
        (folder / package).mkdir(parents=True)
    for name in ("boto/__init__.py", "heat_cfntools/__init__.py", "heat_cfntools/cfntools/__init__.py"):
        (folder / name).touch()
    shutil.copytree(original, folder / "heat_cfntools/tests")
    shutil.copy(SHIMS / "heat_cfntools.py", folder / "heat_cfntools/cfntools/cfn_helper.py")
    shutil.copy(SHIMS / "boto_cloudformation.py", folder / "boto/cloudformation.py")
    environment = {"PYTHONPATH": f"{folder}:{SOURCE}", "PATH": "/usr/bin:/bin", "TMPDIR": str(folder)}
    files = [f"heat_cfntools/tests/{name}.py" for name in SUITES]
    return run_pytest(folder, files, environment, "heat_cfntools.tests.")


def applying() -> list[str]:
    return [f"{suite}.{name}" for suite, names in APPLY.items() for name in names]


def test_every_test_applies_or_has_a_reason_why_not(original: Path) -> None:
    existing = list(names_of_tests(original / f"{suite}.py" for suite in SUITES))
    assert len(existing) == 55
    assert sorted(existing) == sorted([*applying(), *DO_NOT_APPLY])


@pytest.mark.parametrize("name", applying())
def test_original(name: str, results: Results) -> None:
    assert name in results.passed, results.others.get(name)
