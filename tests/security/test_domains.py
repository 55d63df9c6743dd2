"""An admin of a domain administers that domain, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from calor.api.auth import Identity
from calor.service.errors import ServiceError
from calor.service.policy import Policy
from tests.support.cloud import Cloud


@pytest.fixture
def domain(cloud: Cloud) -> dict[str, Any]:
    return cloud.make("/domains", "domain", name="tenant")


@pytest.fixture
def chief(cloud: Cloud, domain: dict[str, Any]) -> str:
    """A token of an admin of the domain, for the domain."""
    user = cloud.make("/users", "user", name="chief", password="open sesame", domain_id=domain["id"])
    role = cloud.id_of("roles", "admin")
    granted = cloud.request("PUT", f"/domains/{domain['id']}/users/{user['id']}/roles/{role}")
    assert granted.status_code == 204
    password = {"user": {"id": user["id"], "password": "open sesame"}}
    proof = {"methods": ["password"], "password": password}
    answer = cloud.authenticate(proof, {"domain": {"id": domain["id"]}})
    assert answer.status_code == 201, answer.text
    return str(answer.headers["X-Subject-Token"])


def ids(cloud: Cloud) -> dict[str, str]:
    return {
        "heat": cloud.id_of("users", "heat"),
        "demo": cloud.id_of("projects", "demo"),
        "admin": cloud.id_of("roles", "admin"),
        "member": cloud.id_of("roles", "member"),
    }


class TestOutside:
    @pytest.mark.parametrize(
        ("method", "path", "body"),
        [
            ("PATCH", "/users/{heat}", {"user": {"enabled": False}}),
            ("PATCH", "/users/{heat}", {"user": {"password": "mine"}}),
            ("DELETE", "/users/{heat}", None),
            ("GET", "/users/{heat}", None),
            ("POST", "/users", {"user": {"name": "x", "domain_id": "default"}}),
            ("PATCH", "/projects/{demo}", {"project": {"enabled": False}}),
            ("DELETE", "/projects/{demo}", None),
            ("POST", "/projects", {"project": {"name": "x", "domain_id": "default"}}),
            ("POST", "/groups", {"group": {"name": "x", "domain_id": "default"}}),
            ("PUT", "/projects/{demo}/users/{heat}/roles/{member}", None),
            ("PUT", "/system/users/{heat}/roles/{admin}", None),
            ("PUT", "/domains/default/users/{heat}/roles/{admin}", None),
            ("PATCH", "/domains/default", {"domain": {"enabled": False}}),
            ("POST", "/domains", {"domain": {"name": "x"}}),
            ("POST", "/roles", {"role": {"name": "x"}}),
            ("POST", "/services", {"service": {"type": "x"}}),
            ("GET", "/users/{heat}/credentials/OS-EC2", None),
            ("POST", "/users/{heat}/credentials/OS-EC2", {"tenant_id": "{demo}"}),
            ("POST", "/credentials", {"credential": {"type": "cert", "blob": "x", "user_id": "{heat}"}}),
            ("GET", "/OS-TRUST/trusts", None),
        ],
    )
    def test_nothing_is_reached(
        self, cloud: Cloud, chief: str, method: str, path: str, body: dict[str, Any] | None
    ) -> None:
        known = ids(cloud)

        answer = cloud.request(method, path.format(**known), _filled(body, known), token=chief)

        assert answer.status_code == 403, (answer.status_code, answer.text)
        assert cloud.get(f"/users/{known['heat']}").json()["user"]["enabled"] is True

    def test_lists_show_the_domain_alone(self, cloud: Cloud, chief: str, domain: dict[str, Any]) -> None:
        for plural in ("users", "projects", "groups"):
            for query in ("", "?domain_id=default"):
                found = cloud.get(f"/{plural}{query}", token=chief).json()[plural]
                assert {one["domain_id"] for one in found} <= {domain["id"]}
        shown = cloud.get("/domains", token=chief).json()["domains"]
        assert [one["id"] for one in shown] == [domain["id"]]
        assignments = cloud.get("/role_assignments", token=chief).json()["role_assignments"]
        assert [one["scope"] for one in assignments] == [{"domain": {"id": domain["id"]}}]

    @pytest.mark.parametrize(
        ("method", "path"),
        [
            ("GET", "/compute/v2.1/servers/detail?all_tenants=1"),
            ("GET", "/compute/v2.1/os-hypervisors"),
            ("DELETE", "/compute/v2.1/servers/somebodys"),
            ("GET", "/network/v2.0/agents"),
            ("DELETE", "/image/v2/images/{image}"),
            ("GET", "/volume/v3/{demo}/volumes/detail?all_tenants=1"),
            ("GET", "/faults"),
        ],
    )
    def test_other_services_know_no_admin_of_a_domain(
        self, cloud: Cloud, chief: str, method: str, path: str
    ) -> None:
        images = cloud.client.get("/image/v2/images", headers={"X-Auth-Token": chief}).json()["images"]
        place = path.format(image=images[0]["id"], **ids(cloud))

        answer = cloud.client.request(method, place, headers={"X-Auth-Token": chief})

        assert answer.status_code in (400, 403, 404), (answer.status_code, answer.text)

    @pytest.mark.parametrize("role", ["admin", "service"])
    def test_no_role_is_given_that_reaches_further(
        self, cloud: Cloud, chief: str, domain: dict[str, Any], role: str
    ) -> None:
        """The role admin on any project is the cloud's."""
        project = cloud.post("/projects", {"project": {"name": "p"}}, token=chief).json()["project"]
        user = cloud.post("/users", {"user": {"name": "u"}}, token=chief).json()["user"]
        path = f"/projects/{project['id']}/users/{user['id']}/roles/"

        assert cloud.request("PUT", path + cloud.id_of("roles", role), token=chief).status_code == 403
        assert cloud.request("PUT", path + cloud.id_of("roles", "member"), token=chief).status_code == 204


class TestRolesOfDomains:
    @pytest.fixture
    def foreign(self, cloud: Cloud) -> dict[str, Any]:
        other = cloud.make("/domains", "domain", name="neighbour")["id"]
        return cloud.make("/roles", "role", name="approver", domain_id=other)

    @pytest.fixture
    def grant(self, cloud: Cloud, domain: dict[str, Any]) -> str:
        """The path of a grant in the domain, up to the role."""
        project = cloud.make("/projects", "project", name="p", domain_id=domain["id"])["id"]
        user = cloud.make("/users", "user", name="u", password="open sesame", domain_id=domain["id"])["id"]
        return f"/projects/{project}/users/{user}/roles"

    def test_those_of_another_domain_are_not_seen(
        self, cloud: Cloud, chief: str, foreign: dict[str, Any]
    ) -> None:
        assert cloud.get(f"/roles?domain_id={foreign['domain_id']}", token=chief).status_code == 403
        assert cloud.get(f"/roles/{foreign['id']}", token=chief).status_code == 403
        assert cloud.get(f"/roles/{cloud.id_of('roles', 'member')}", token=chief).status_code == 200

    @pytest.mark.parametrize("method", ["PUT", "DELETE", "HEAD"])
    def test_those_of_another_domain_are_not_given(
        self, cloud: Cloud, chief: str, foreign: dict[str, Any], grant: str, method: str
    ) -> None:
        assert cloud.request(method, f"{grant}/{foreign['id']}", token=chief).status_code == 403

    def test_nobody_gives_them_outside_their_domain(
        self, cloud: Cloud, foreign: dict[str, Any], grant: str
    ) -> None:
        assert cloud.request("PUT", f"{grant}/{foreign['id']}").status_code == 403

    def test_they_stand_for_the_roles_they_imply(
        self, cloud: Cloud, chief: str, domain: dict[str, Any], grant: str
    ) -> None:
        """Not for their names, which may be those of roles of the cloud."""
        role = cloud.make("/roles", "role", name="member", domain_id=domain["id"])["id"]
        reader = cloud.id_of("roles", "reader")
        assert cloud.request("PUT", f"/roles/{role}/implies/{reader}").status_code == 201

        assert cloud.request("PUT", f"{grant}/{role}", token=chief).status_code == 204

        [_, _, project, _, user, _] = grant.split("/")
        proof = {"methods": ["password"], "password": {"user": {"id": user, "password": "open sesame"}}}
        shown = cloud.authenticate(proof, {"project": {"id": project}}).json()["token"]
        assert [each["name"] for each in shown["roles"]] == ["reader"]
        listed = cloud.get(f"/roles?domain_id={domain['id']}", token=chief).json()["roles"]
        assert [each["id"] for each in listed] == [role]


def _filled(body: Any, known: dict[str, str]) -> Any:
    if isinstance(body, dict):
        return {name: _filled(value, known) for name, value in body.items()}
    return body.format(**known) if isinstance(body, str) else body


def test_orchestration_knows_no_admin_of_a_domain(policy: Policy) -> None:
    def identity(**scope: Any) -> Identity:
        return Identity(
            "u", "u", "d", scope.get("project"), "", ("admin", "member"), "t", 0.0, **_only(scope)
        )

    def is_admin(roles: Any, own: bool) -> bool:
        return policy.is_admin(roles, is_admin_project=own)

    with pytest.raises(ServiceError):
        identity().acting_in("somebody's", is_admin)
    assert identity(project="admin").acting_in("somebody's", is_admin).is_admin
    assert identity(system=True).acting_in("somebody's", is_admin).is_admin


def _only(scope: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in scope.items() if name == "system"}


def test_an_application_credential_makes_no_keys(cloud: Cloud) -> None:
    """Not even an unrestricted one: keys have all the roles of their user, in any project."""
    user = cloud.user("dev", "member")
    body = {"application_credential": {"name": "a", "unrestricted": True, "roles": [{"name": "reader"}]}}
    path = f"/users/{user['id']}/application_credentials"
    made = cloud.post(path, body, as_user="dev").json()["application_credential"]
    proof = {
        "methods": ["application_credential"],
        "application_credential": {"id": made["id"], "secret": made["secret"]},
    }
    lent = cloud.authenticate(proof).headers["X-Subject-Token"]

    keys = cloud.post(f"/users/{user['id']}/credentials/OS-EC2", {}, token=lent)

    assert keys.status_code == 403
