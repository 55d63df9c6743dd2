"""The tests of heat-agents, unmodified, against the guest tools."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from calor_guest.archive import archive
from calor_guest.programs import PROGRAMS
from tests.conformance.original_tests import Results, names_of_tests, run_pytest
from tests.conformance.originals import unpacked_source

VERSION = "13.0.0"

APPLICABLE = {
    "test_heat_config.HeatConfigTest": ["test_hooks_exist", "test_run_heat_config"],
    "test_heat_config_docker_compose.HeatConfigDockerComposeORCTest": ["test_run_heat_config"],
    "test_heat_config_notify.HeatConfigNotifyTest": [
        "test_notify_heat_signal",
        "test_notify_heat_signal_no_region",
        "test_notify_heat_signal_unknown_region",
        "test_notify_missing_file",
        "test_notify_missing_file_arg",
        "test_notify_signal_id",
        "test_notify_signal_id_empty_data",
        "test_notify_signal_id_invalid_json_data",
        "test_notify_signal_id_put",
    ],
    "test_hook_ansible.HookAnsibleTest": [
        "test_hook",
        "test_hook_ansible_failed",
        "test_hook_inventory",
        "test_hook_modulepath",
        "test_hook_skip_tags",
        "test_hook_skip_tags_empty",
        "test_hook_skip_tags_modulepath",
        "test_hook_tags",
        "test_hook_tags_modulepath",
        "test_hook_tags_skip_tags",
        "test_hook_with_callback_plugins",
    ],
    "test_hook_apply_config.HookApplyConfigTest": ["test_hook"],
    "test_hook_cfn_init.HookCfnInitTest": [
        "test_hook",
        "test_hook_cfn_init_failed",
        "test_hook_invalid_json",
    ],
    "test_hook_docker_compose.HookDockerComposeTest": [
        "test_hook",
        "test_hook_failed",
        "test_hook_without_inputs",
    ],
    "test_hook_hiera.HookHieraTest": ["test_hook"],
    "test_hook_json_file.HookJsonFileConfigTest": ["test_hook"],
    "test_hook_puppet.HookPuppetTest": [
        "test_hook",
        "test_hook_hiera",
        "test_hook_no_debug",
        "test_hook_no_verbose",
        "test_hook_puppet_failed",
    ],
    "test_hook_script.HookScriptTest": ["test_hook", "test_hook_failed"],
}

_NO_SUCH_HOOK = "Calor has no hook of this group; that of heat-agents works in a folder of hooks"
_CHEF = f"{_NO_SUCH_HOOK}. The test imports it."
_DOCKER = f"{_NO_SUCH_HOOK}, with its step in configure.d"
_SALT = f"{_NO_SUCH_HOOK}. The tests need the packages of Salt, without which they skip themselves."
_KUBELET = f"{_NO_SUCH_HOOK}, on servers where a kubelet runs the pods of a folder"
_KUBELET_FUNCTIONS = f"{_KUBELET}. The test calls its functions."

NOT_APPLICABLE = {
    "test_heat_config_kubelet.HeatConfigKubeletORCTest": {"test_run_heat_config": _KUBELET},
    "test_hook_chef.HookChefTest": {
        "test_hook": _CHEF,
        "test_hook_environment": _CHEF,
        "test_hook_with_kitchen": _CHEF,
    },
    "test_hook_docker_cmd.HookDockerCmdTest": {
        "test_cleanup_changed": _DOCKER,
        "test_cleanup_deleted": _DOCKER,
        "test_cleanup_rename": _DOCKER,
        "test_hook": _DOCKER,
        "test_hook_exit_codes": _DOCKER,
        "test_hook_failed": _DOCKER,
        "test_hook_unique_names": _DOCKER,
    },
    "test_hook_kubelet.HookKubeletTest": {
        "test_container_pattern": _KUBELET_FUNCTIONS,
        "test_id_to_pod_name_part": _KUBELET_FUNCTIONS,
        "test_required_container_patterns": _KUBELET_FUNCTIONS,
        "test_required_images": _KUBELET_FUNCTIONS,
    },
    "test_hook_salt.HookSaltTest": {
        "test_hook": _SALT,
        "test_hook_salt_failed": _SALT,
        "test_hook_salt_retcode": _SALT,
    },
}

PLACES = {
    "heat-config/os-refresh-config/configure.d/55-heat-config": "55-heat-config",
    "heat-config-docker-compose/os-refresh-config/configure.d/50-heat-config-docker-compose": (
        "50-heat-config-docker-compose"
    ),
    **{
        f"heat-config-{group}/install.d/hook-{group}.py": f"hooks/{group}"
        for group in (
            "ansible",
            "apply-config",
            "cfn-init",
            "docker-compose",
            "hiera",
            "json-file",
            "puppet",
            "script",
        )
    },
}
"""Where the tests look for programs, and which of ours is there."""
SHIM = Path(__file__).with_name("shims") / "heat_config_notify.py"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = _folder_of_tests(tmp_path_factory.mktemp("heat-agents"))
    files = sorted({name.partition(".")[0] for name in APPLICABLE})
    path = os.pathsep.join((str(folder / "bin"), os.environ["PATH"]))
    return run_pytest(folder, [f"tests/{name}.py" for name in files], {**os.environ, "PATH": path}, "tests.")


@pytest.mark.parametrize("name", [f"{place}.{test}" for place, tests in APPLICABLE.items() for test in tests])
def test_it_passes(results: Results, name: str) -> None:
    assert name in results.passed, results.others.get(name)


def test_all_tests_are_listed() -> None:
    listed = {
        f"{place}.{test}"
        for table in (APPLICABLE, NOT_APPLICABLE)
        for place in table
        for test in table[place]
    }
    assert listed == set(
        names_of_tests((unpacked_source("heat-agents", VERSION) / "tests").glob("test_*.py"))
    )
    assert len(listed) == 57


def _folder_of_tests(folder: Path) -> Path:
    """The tests, with our programs in the places of the originals."""
    shutil.copytree(unpacked_source("heat-agents", VERSION) / "tests", folder / "tests")
    shutil.copyfile(SHIM, folder / "tests" / SHIM.name)
    packed = folder / "calor-guest.pyz"
    packed.write_bytes(archive())
    packed.chmod(0o755)
    for place, program in PLACES.items():
        path = folder / place
        path.parent.mkdir(parents=True)
        path.write_text(f'#!/bin/sh\nexec {packed} {program} "$@"\n')
        path.chmod(0o755)
    (folder / "bin").mkdir()
    for one in PROGRAMS:
        if one.path.startswith("/usr/bin/"):
            (folder / "bin" / one.name).symlink_to(packed)
    return folder
