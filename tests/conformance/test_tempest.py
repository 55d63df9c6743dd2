"""heat-tempest-plugin, unmodified, against a server: the tests that need nothing but OS::Heat types, those that need a
small cloud, on each of its backends, and those whose servers have to run."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from needing import need, need_servers
from running import Server, free_port

pytest.importorskip("heat_tempest_plugin")
TEMPEST = shutil.which("tempest", path=str(Path(sys.executable).parent))

WITHOUT_A_CLOUD = r"""
heat_tempest_plugin.tests.api
heat_tempest_plugin.tests.functional.test_external_ref
heat_tempest_plugin.tests.functional.test_hooks
heat_tempest_plugin.tests.functional.test_preview.StackPreviewTest.test_(?!res_group_with)
heat_tempest_plugin.tests.functional.test_remote_stack.(?!.*cloud_credential)
heat_tempest_plugin.tests.functional.test_resources_list
heat_tempest_plugin.tests.functional.test_stack_events
heat_tempest_plugin.tests.functional.test_stack_outputs
heat_tempest_plugin.tests.functional.test_stack_tags
heat_tempest_plugin.tests.functional.test_template_validate
heat_tempest_plugin.tests.functional.test_templates
heat_tempest_plugin.tests.functional.test_unicode_template
"""
IN_A_CLOUD = r"""
heat_tempest_plugin.tests.functional.test_create_update_neutron
heat_tempest_plugin.tests.functional.test_encrypted_parameter
heat_tempest_plugin.tests.functional.test_encryption_vol_type
heat_tempest_plugin.tests.functional.test_extra_route_set
heat_tempest_plugin.tests.functional.test_nova_server_networks
heat_tempest_plugin.tests.functional.test_preview.StackPreviewTest.test_res_group_with
heat_tempest_plugin.tests.functional.test_software_config.ParallelDeploymentsTest
heat_tempest_plugin.tests.scenario.test_base_resources
heat_tempest_plugin.tests.scenario.test_remote_deeply_nested
"""
IN_SERVERS = r"""
heat_tempest_plugin.tests.functional.test_os_wait_condition
heat_tempest_plugin.tests.scenario.test_server_signal
"""
CONFIGURATION = """
[auth]
use_dynamic_credentials = false
[identity]
auth_version = v3
uri_v3 = {auth_url}
region = RegionOne
[service_available]
heat = true
nova = true
neutron = true
glance = true
cinder = true
swift = true
[heat_plugin]
catalog_type = orchestration
auth_url = {auth_url}
endpoint_type = public
region = RegionOne
username = demo
password = {demo}
project_name = demo
admin_username = admin
admin_password = {admin}
admin_project_name = admin
user_domain_name = Default
project_domain_name = Default
build_interval = 1
build_timeout = 120
hidden_stack_tag = hidden
minimal_image_ref = cirros
minimal_instance_type = m1.nano
image_ref = fedora-heat-test
instance_type = m1.small
fixed_network_name = heat-net
fixed_subnet_name = heat-subnet
network_for_ssh = heat-net
floating_network_name = public
volume_size = 1
convergence_engine_enabled = true
[heat_features_enabled]
stack_cancel = true
multi_cloud = false
"""


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[str], Server]]:
    """Starts a server with a backend of the cloud, if that and what the tests do with it can be had here."""
    started: list[Server] = []

    def begin(backend: str) -> Server:
        if backend == "linux":
            need("ping")
            need_servers(tmp_path)
        made = Server(tmp_path / "state", free_port(), backend=backend)
        started.append(made)
        made.ready()
        return made

    yield begin
    for each in started:
        each.stop()
        command = [sys.executable, "-m", "calor", "cloud", "stop", "--state-dir", str(each.state_dir)]
        subprocess.run(command, check=True, capture_output=True)


@pytest.mark.skipif(TEMPEST is None, reason="tempest is not installed")
@pytest.mark.parametrize(
    ("backend", "chosen", "expected"),
    [
        # Few runs, since tempest takes long to begin.
        pytest.param("simulated", WITHOUT_A_CLOUD + IN_A_CLOUD, 89 + 37, id="simulated"),
        pytest.param("linux", IN_A_CLOUD + IN_SERVERS, 37 + 3, id="linux"),
    ],
)
def test_heat_tempest_plugin(
    start: Callable[[str], Server],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    backend: str,
    chosen: str,
    expected: int,
) -> None:
    assert TEMPEST is not None
    server = start(backend)
    workspace = tmp_path / "workspace"
    environment = {**os.environ, "HOME": str(tmp_path)}
    subprocess.run([TEMPEST, "init", str(workspace)], check=True, capture_output=True, env=environment)
    passwords = json.loads((server.state_dir / "passwords.json").read_text())
    auth_url = f"http://127.0.0.1:{server.port + 2}/identity/v3"
    (workspace / "etc" / "tempest.conf").write_text(CONFIGURATION.format(auth_url=auth_url, **passwords))
    (workspace / "chosen").write_text("\n".join(chosen.split()))

    done = subprocess.run(
        [TEMPEST, "run", "--concurrency", "4", "--include-list", "chosen"],
        cwd=workspace,
        capture_output=True,
        text=True,
        env=environment,
        timeout=900,
    )

    passed = re.findall(r"^\{\d\} (\S+).* \.\.\. ok$", done.stdout, re.MULTILINE)
    failed = re.findall(r"^\{\d\} (\S+).* \.\.\. FAILED$", done.stdout, re.MULTILINE)
    with capsys.disabled():
        print(f"\nheat-tempest-plugin, {backend}: {len(passed)} of {len(passed) + len(failed)} pass")
    assert len(passed) + len(failed) == expected, done.stdout[-3000:]
    assert failed == []
