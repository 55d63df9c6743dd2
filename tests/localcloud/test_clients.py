"""Unmodified OpenStack clients against the real program."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.localcloud.cloud_process import Running, free_port, start

openstack = pytest.importorskip("openstack")


class TestSdk:
    def test_it_connects_and_finds_services(self, running: Running) -> None:
        connection = running.connect("demo", "demo")
        project = connection.current_project_id
        assert connection.session.get_endpoint(service_type="orchestration").endswith(f"/v1/{project}")
        assert connection.current_project.name == "demo"

    def test_it_manages_projects_users_groups_and_roles(self, running: Running) -> None:
        identity = running.connect("admin", "admin").identity
        project = identity.create_project(name="sdk", domain_id="default", description="made by the SDK")
        user = identity.create_user(name="sdk", password="secret", default_project_id=project.id)
        role = identity.find_role("member")
        identity.assign_project_role_to_user(project, user, role)
        assert identity.validate_user_has_project_role(project, user, role)
        assert [each.role["id"] for each in identity.role_assignments(user_id=user.id)] == [role.id]
        assert identity.find_user("sdk").id == user.id
        assert {each.name for each in identity.projects()} >= {"admin", "demo", "service", "sdk"}
        assert [each.name for each in identity.user_projects(user)] == ["sdk"]
        assert identity.update_project(project, description="changed").description == "changed"
        group = identity.create_group(name="sdk", domain_id="default")
        identity.add_user_to_group(user, group)
        assert identity.check_user_in_group(user, group)
        identity.delete_group(group)
        identity.unassign_project_role_from_user(project, user, role)
        identity.delete_user(user)
        identity.delete_project(project)
        assert identity.find_project("sdk") is None

    def test_it_manages_networks_and_ports(self, running: Running) -> None:
        network = running.connect("demo", "demo").network
        made = network.create_network(name="sdk")
        subnet = network.create_subnet(network_id=made.id, cidr="10.78.0.9/24", ip_version=4)
        assert subnet.cidr == "10.78.0.0/24"
        ports = [network.create_port(network_id=made.id, name=f"sdk-{place}") for place in range(3)]
        assert len(list(network.ports(network_id=made.id, limit=2))) == 3
        assert network.find_port("sdk-1").id == ports[1].id
        network.set_tags(made, ["one", "two"])
        assert [each.id for each in network.networks(tags="one")] == [made.id]
        with pytest.raises(openstack.exceptions.ConflictException):
            network.delete_network(made)
        for port in ports:
            network.delete_port(port)
        network.delete_network(made)
        assert network.find_network("sdk") is None

    def test_it_lists_with_pagination(self, running: Running) -> None:
        identity = running.connect("admin", "admin").identity
        assert len(list(identity.roles(limit=2))) == 5

    def test_it_manages_services_endpoints_and_regions(self, running: Running) -> None:
        identity = running.connect("admin", "admin").identity
        region = identity.create_region(id="sdk-region")
        service = identity.create_service(type="sdk", name="sdk")
        endpoint = identity.create_endpoint(
            service_id=service.id, interface="public", url="http://x", region_id=region.id
        )
        assert endpoint.id in [each.id for each in identity.endpoints(service_id=service.id)]
        identity.delete_endpoint(endpoint)
        identity.delete_service(service)
        identity.delete_region(region)

    def test_it_creates_and_uses_trusts(self, running: Running) -> None:
        demo, heat = running.connect("demo", "demo"), running.connect("heat", "service")
        trust = demo.identity.create_trust(
            trustor_user_id=demo.current_user_id,
            trustee_user_id=heat.current_user_id,
            project_id=demo.current_project_id,
            is_impersonation=True,
            roles=[{"name": "member"}],
        )
        entrusted = openstack.connect(
            auth_url=f"{running.url}/identity",
            username="heat",
            password=running.passwords["heat"],
            user_domain_id="default",
            trust_id=trust.id,
            load_envvars=False,
            load_yaml_config=False,
        )
        assert entrusted.current_user_id == demo.current_user_id
        assert entrusted.current_project_id == demo.current_project_id
        found = demo.identity.trusts(trustor_user_id=demo.current_user_id)
        assert [each.id for each in found] == [trust.id]
        demo.identity.delete_trust(trust)

    def test_it_creates_and_uses_application_credentials(self, running: Running) -> None:
        demo = running.connect("demo", "demo")
        made = demo.identity.create_application_credential(user=demo.current_user_id, name="sdk")
        connection = openstack.connect(
            auth_url=f"{running.url}/identity",
            auth_type="v3applicationcredential",
            application_credential_id=made.id,
            application_credential_secret=made.secret,
            load_envvars=False,
            load_yaml_config=False,
        )
        assert connection.current_project_id == demo.current_project_id
        assert demo.identity.find_application_credential(demo.current_user_id, "sdk").id == made.id
        demo.identity.delete_application_credential(demo.current_user_id, made)

    def test_it_manages_credentials(self, running: Running) -> None:
        demo = running.connect("demo", "demo")
        made = demo.identity.create_credential(
            type="ec2",
            blob=json.dumps({"access": "sdk", "secret": "x"}),
            user_id=demo.current_user_id,
            project_id=demo.current_project_id,
        )
        assert demo.identity.get_credential(made.id).type == "ec2"
        demo.identity.delete_credential(made)


@pytest.mark.extended
class TestCommandLine:
    @pytest.fixture
    def run(self, running: Running) -> Any:
        client = shutil.which("openstack", path=str(Path(sys.executable).parent))
        if client is None:
            pytest.skip("python-openstackclient is not installed")

        def run(user: str, *arguments: str) -> Any:
            environment = {name: value for name, value in os.environ.items() if not name.startswith("OS_")}
            environment |= {
                "OS_AUTH_URL": f"{running.url}/identity",
                "OS_USERNAME": user,
                "OS_PASSWORD": running.passwords[user],
                "OS_PROJECT_NAME": {"heat": "service"}.get(user, user),
                "OS_USER_DOMAIN_ID": "default",
                "OS_PROJECT_DOMAIN_ID": "default",
                "OS_IDENTITY_API_VERSION": "3",
            }
            formatted = [] if {"delete", "add", "remove"} & set(arguments) else ["-f", "json"]
            done = subprocess.run(
                [client, *arguments, *formatted], env=environment, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr
            return json.loads(done.stdout) if formatted else None

        return run

    def test_it_shows_the_token_and_the_catalog(self, run: Any) -> None:
        assert run("demo", "token", "issue")["expires"]
        assert {"keystone", "heat"} <= {service["Name"] for service in run("demo", "catalog", "list")}

    def test_it_manages_projects_users_and_roles(self, run: Any) -> None:
        assert run("admin", "project", "create", "cli", "--description", "x")["name"] == "cli"
        assert run("admin", "user", "create", "cli", "--project", "cli", "--password", "x")["name"] == "cli"
        assert run("admin", "role", "create", "cli")["name"] == "cli"
        run("admin", "role", "add", "--project", "cli", "--user", "cli", "cli")
        [assignment] = run("admin", "role", "assignment", "list", "--user", "cli", "--names")
        assert (assignment["Role"], assignment["Project"]) == ("cli", "cli@Default")
        for kind in ("project", "user", "role"):
            assert "cli" in [each["Name"] for each in run("admin", kind, "list")]
            run("admin", kind, "delete", "cli")
            assert "cli" not in [each["Name"] for each in run("admin", kind, "list")]

    def test_it_delegates(self, run: Any) -> None:
        credential = run("demo", "application", "credential", "create", "cli")
        assert credential.get("secret") or credential.get("Secret")
        run("demo", "application", "credential", "delete", "cli")
        trust = run("admin", "trust", "create", "--project", "admin", "--role", "member", "admin", "heat")
        assert [each["ID"] for each in run("admin", "trust", "list")] == [trust["id"]]
        run("admin", "trust", "delete", trust["id"])

    def test_it_creates_a_network_with_external_access(self, run: Any) -> None:
        run("demo", "network", "create", "cli")
        subnet = run("demo", "subnet", "create", "cli", "--network", "cli", "--subnet-range", "10.77.0.0/24")
        assert subnet["gateway_ip"] == "10.77.0.1"
        assert run("demo", "router", "create", "cli", "--external-gateway", "public")["status"] == "ACTIVE"
        run("demo", "router", "add", "subnet", "cli", "cli")
        run("demo", "security", "group", "create", "cli")
        run("demo", "security", "group", "rule", "create", "cli", "--protocol", "tcp", "--dst-port", "80:81")
        port = run("demo", "port", "create", "cli", "--network", "cli", "--security-group", "cli")
        assert port["fixed_ips"] == [{"subnet_id": subnet["id"], "ip_address": "10.77.0.2"}]
        floating = run("demo", "floating", "ip", "create", "public", "--port", "cli")
        assert floating["fixed_ip_address"] == "10.77.0.2"
        assert [
            each["Name"] for each in run("demo", "port", "list", "--network", "cli", "--name", "cli")
        ] == ["cli"]
        run("demo", "floating", "ip", "delete", floating["floating_ip_address"])
        run("demo", "port", "delete", "cli")
        run("demo", "router", "remove", "subnet", "cli", "cli")
        for kind in ("router", "network", "security group"):
            run("demo", *kind.split(), "delete", "cli")
        assert run("demo", "network", "list", "--name", "cli") == []

    def test_it_creates_ec2_credentials(self, run: Any) -> None:
        made = run("demo", "ec2", "credentials", "create")
        assert [each["Access"] for each in run("demo", "ec2", "credentials", "list")] == [made["access"]]
        run("demo", "ec2", "credentials", "delete", made["access"])


def test_the_program_stops_on_sigterm_and_keeps_its_state(tmp_path: Path) -> None:
    database, port = tmp_path / "cloud.db", free_port()
    for reported in (3, 0):
        process = start(database, port)
        process.send_signal(signal.SIGTERM)
        output, log = process.communicate(timeout=10)
        assert process.returncode == 0
        assert {each.name for each in tmp_path.iterdir()} == {"cloud", "cloud.db"}
        assert len(output.splitlines()) == reported
        assert log == f"The cloud is listening on http://127.0.0.1:{port}\n"
