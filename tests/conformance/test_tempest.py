"""heat-tempest-plugin, unmodified, against a server: the tests that need nothing but OS::Heat types."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import Server, free_port

pytest.importorskip("heat_tempest_plugin")
TEMPEST = shutil.which("tempest", path=str(Path(sys.executable).parent))

CHOSEN = r"""
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
CONFIGURATION = """
[auth]
use_dynamic_credentials = false
[identity]
auth_version = v3
uri_v3 = {auth_url}
region = RegionOne
[service_available]
heat = true
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
convergence_engine_enabled = true
[heat_features_enabled]
stack_cancel = true
multi_cloud = false
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    made = Server(tmp_path / "state", free_port())
    made.ready()
    yield made
    made.stop()


@pytest.mark.skipif(TEMPEST is None, reason="tempest is not installed")
def test_heat_tempest_plugin(server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert TEMPEST is not None
    workspace = tmp_path / "workspace"
    environment = {**os.environ, "HOME": str(tmp_path)}
    subprocess.run([TEMPEST, "init", str(workspace)], check=True, capture_output=True, env=environment)
    passwords = json.loads((server.state_dir / "passwords.json").read_text())
    auth_url = f"http://127.0.0.1:{server.port + 2}/identity/v3"
    (workspace / "etc" / "tempest.conf").write_text(CONFIGURATION.format(auth_url=auth_url, **passwords))
    (workspace / "chosen").write_text(CHOSEN.strip() + "\n")

    done = subprocess.run(
        [TEMPEST, "run", "--concurrency", "2", "--include-list", "chosen"],
        cwd=workspace,
        capture_output=True,
        text=True,
        env=environment,
        timeout=900,
    )

    passed = re.findall(r"^\{\d\} (\S+).* \.\.\. ok$", done.stdout, re.MULTILINE)
    failed = re.findall(r"^\{\d\} (\S+).* \.\.\. FAILED$", done.stdout, re.MULTILINE)
    with capsys.disabled():
        print(f"\nheat-tempest-plugin: {len(passed)} of {len(passed) + len(failed)} pass")
    assert len(passed) + len(failed) == 89, done.stdout[-3000:]
    assert failed == []
