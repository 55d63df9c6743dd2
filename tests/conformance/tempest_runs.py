"""heat-tempest-plugin, unmodified: its tests by what they need, and how they are run."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

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
heat_tempest_plugin.tests.scenario.test_server_cfn_init
heat_tempest_plugin.tests.scenario.test_server_signal
heat_tempest_plugin.tests.scenario.test_server_software_config
heat_tempest_plugin.tests.scenario.test_volumes
"""
CONFIGURATION = """
[auth]
use_dynamic_credentials = false
[identity]
auth_version = v3
uri_v3 = {auth_url}
region = {region}
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
region = {region}
username = {user}
password = {password}
project_name = {project}
admin_username = {admin}
admin_password = {admin_password}
admin_project_name = {admin_project}
user_domain_name = {user_domain}
project_domain_name = {project_domain}
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
boot_config_env = boot_config.yaml
convergence_engine_enabled = true
[heat_features_enabled]
stack_cancel = true
multi_cloud = false
"""
BOOT_CONFIG = """
resource_registry:
  Heat::InstallConfigAgent: user_data.yaml
"""
USER_DATA = """
heat_template_version: 2018-08-31
resources:
  wait:
    type: OS::Heat::SoftwareConfig
    properties:
      config: |
        #!/bin/sh
        sleep 6
outputs:
  config:
    value: {get_resource: wait}
"""
"""Nothing has to be installed: images have the agents. The tests have to see deployments in progress, and look once a
second."""


@dataclass(frozen=True, slots=True)
class Outcome:
    passed: Sequence[str]
    failed: Sequence[str]
    output: str


def run(
    tempest: str, home: Path, configuration: str, chosen: str, *, concurrency: int = 4, seconds: float = 900
) -> Outcome:
    """Runs the chosen tests in a workspace in the folder `home`."""
    workspace = home / "workspace"
    environment = {**os.environ, "HOME": str(home)}
    if not workspace.exists():
        command = [tempest, "init", str(workspace)]
        subprocess.run(command, check=True, capture_output=True, env=environment)
    (workspace / "etc" / "tempest.conf").write_text(configuration)
    (workspace / "boot_config.yaml").write_text(BOOT_CONFIG)
    (workspace / "user_data.yaml").write_text(USER_DATA)
    (workspace / "chosen").write_text("\n".join(chosen.split()))
    done = subprocess.run(
        [tempest, "run", "--concurrency", str(concurrency), "--include-list", "chosen"],
        cwd=workspace,
        capture_output=True,
        text=True,
        env=environment,
        timeout=seconds,
    )
    return Outcome(_ended("ok", done.stdout), _ended("FAILED", done.stdout), done.stdout)


def _ended(word: str, output: str) -> list[str]:
    return re.findall(rf"^\{{\d+\}} (\S+).* \.\.\. {word}$", output, re.MULTILINE)


def filled_in(**values: str) -> str:
    """The configuration, with what differs between clouds."""
    usual = {"user": "demo", "project": "demo", "admin": "admin", "admin_project": "admin"}
    domains = {"user_domain": "Default", "project_domain": "Default"}
    return CONFIGURATION.format(**{"region": "RegionOne", **usual, **domains, **values})
