"""Roles that count beyond the project they are given on are known as such: no admin of a domain gives or takes them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import calor.localcloud
from calor.localcloud.identity.grants import Actor, Target, assign
from calor.localcloud.identity.records import Records, Role
from calor.localcloud.roles import ADMIN, CLOUD_WIDE, RESELLER_ADMIN, SERVICE, is_cloud_wide
from tests.support.cloud import Cloud
from tests.support.storage import add_other, image_speaker, object_speaker, volume_speaker

IMAGE = {"name": "x", "disk_format": "raw", "container_format": "bare"}
DOMAIN = {"domain": {"id": "default"}}


def names_near_roles() -> Iterator[str]:
    """All texts in the modules of the cloud that speak of roles: whatever a service compares a role with."""
    for path in sorted(Path(calor.localcloud.__file__).parent.rglob("*.py")):
        source = path.read_text()
        if "roles" in source:
            for node in ast.walk(ast.parse(source)):
                if (
                    isinstance(node, ast.Constant)
                    and isinstance(node.value, str)
                    and node.value.isidentifier()
                ):
                    yield node.value


def give(cloud: Cloud, user: str, names: set[str]) -> None:
    """Roles in the project `other`, which are made if there are none."""
    records, project = Records(cloud.store), cloud.id_of("projects", "other")
    with cloud.store.transaction():
        for name in names:
            role = records.roles.first(name=name) or records.roles.add(Role(f"role-{name}", name))
            assign(records, Actor("user", cloud.id_of("users", user)), Target("project", project), role.id)


@pytest.fixture
def foreign(cloud: Cloud) -> list[tuple[str, str]]:
    """What somebody of the project `other` could ask for of the project `demo` and of the cloud."""
    add_other(cloud)
    project, user = cloud.id_of("projects", "demo"), cloud.id_of("users", "demo")
    image = image_speaker(cloud)("POST", "/images", IMAGE).json()["id"]
    volume = volume_speaker(cloud)("POST", "/volumes", {"volume": {"size": 1}}).json()["volume"]["id"]
    objects = object_speaker(cloud)
    assert objects("PUT", "/c").status_code == 201
    assert objects("PUT", "/c/o", content=b"data").status_code == 201
    own = {"X-Auth-Token": cloud.token_of("demo")}
    network = cloud.client.post("/network/v2.0/networks", json={"network": {"name": "n"}}, headers=own)
    group = {"server_group": {"name": "g", "policies": ["affinity"]}}
    grouped = cloud.client.post("/compute/v2.1/os-server-groups", json=group, headers=own)
    account = f"/object-store/v1/AUTH_{project}"
    paths = [
        f"{account}/c/o",
        f"{account}/c",
        account,
        f"/image/v2/images/{image}",
        f"/volume/v3/{project}/volumes/{volume}",
        f"/network/v2.0/networks/{network.json()['network']['id']}",
        f"/compute/v2.1/os-server-groups/{grouped.json()['server_group']['id']}",
        f"/compute/v2.1/os-keypairs?user_id={user}",
        "/compute/v2.1/os-hypervisors",
        "/identity/v3/auth/tokens",
        "/identity/v3/users",
        f"/identity/v3/users/{user}",
        f"/identity/v3/users/{user}/credentials/OS-EC2",
        f"/identity/v3/users/{user}/application_credentials",
        f"/identity/v3/projects/{project}",
        "/identity/v3/role_assignments",
        "/identity/v3/OS-TRUST/trusts",
        "/faults",
    ]
    return [(method, path) for path in paths for method in ("GET", "DELETE")]


def reached(cloud: Cloud, user: str, foreign: list[tuple[str, str]]) -> list[tuple[str, str, int]]:
    headers = {
        "X-Auth-Token": cloud.token_of(user),
        "X-Subject-Token": cloud.token_of("demo"),
        "OpenStack-API-Version": "compute 2.90",
    }
    found = []
    for method, path in foreign:
        status = cloud.client.request(method, path, headers=headers).status_code
        if status < 400:
            found.append((method, path, int(status)))
    return found


def test_all_other_roles_together_reach_nothing_of_another_project(
    cloud: Cloud, foreign: list[tuple[str, str]]
) -> None:
    """A role that a service has a meaning for, and that is not listed as cloud-wide, would show here."""
    known = set(names_near_roles())
    assert known >= CLOUD_WIDE | {"reader", "member", "swiftoperator"}
    give(cloud, "other", {name for name in known if not is_cloud_wide(name)})

    assert reached(cloud, "other", foreign) == []


@pytest.mark.parametrize("role", sorted(CLOUD_WIDE))
def test_each_cloud_wide_role_reaches_beyond_its_project(
    cloud: Cloud, foreign: list[tuple[str, str]], role: str
) -> None:
    give(cloud, "other", {role})

    assert reached(cloud, "other", foreign)


@pytest.mark.parametrize("name", [ADMIN, SERVICE, RESELLER_ADMIN, "reselleradmin", "Admin"])
class TestAnAdminOfADomain:
    @pytest.fixture
    def chief(self, cloud: Cloud, name: str) -> str:
        add_other(cloud)
        give(cloud, "other", {name})
        user = cloud.user("chief")["id"]
        path = f"/domains/default/users/{user}/roles/{cloud.id_of('roles', ADMIN)}"
        assert cloud.request("PUT", path).status_code == 204
        return str(cloud.token_of("chief", DOMAIN))

    @pytest.mark.parametrize(("method", "user"), [("PUT", "chief"), ("DELETE", "other")])
    def test_neither_grants_nor_revokes_it(
        self, cloud: Cloud, chief: str, name: str, method: str, user: str
    ) -> None:
        place = f"/projects/{cloud.id_of('projects', 'other')}/users/{cloud.id_of('users', user)}"
        answer = cloud.request(method, f"{place}/roles/{cloud.id_of('roles', name)}", token=chief)

        assert answer.status_code == 403

    def test_does_not_take_over_who_has_it(self, cloud: Cloud, chief: str) -> None:
        path, change = f"/users/{cloud.id_of('users', 'other')}", {"user": {"password": "mine"}}

        assert cloud.request("PATCH", path, change, token=chief).status_code == 403

    def test_does_not_end_the_project_it_is_on(self, cloud: Cloud, chief: str) -> None:
        path = f"/projects/{cloud.id_of('projects', 'other')}"

        assert cloud.request("DELETE", path, token=chief).status_code == 403


def test_such_a_role_in_a_domain_reaches_no_accounts(cloud: Cloud, foreign: list[tuple[str, str]]) -> None:
    role = cloud.make("/roles", "role", name=RESELLER_ADMIN)["id"]
    user = cloud.user("operator")["id"]
    assert cloud.request("PUT", f"/domains/default/users/{user}/roles/{role}").status_code == 204
    token = cloud.token_of("operator", DOMAIN)

    answer = cloud.client.get(foreign[0][1], headers={"X-Auth-Token": token})

    assert answer.status_code == 403
