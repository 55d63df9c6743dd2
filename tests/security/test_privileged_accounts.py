"""An admin of a domain gets no rights in the whole cloud by way of the users and groups of the domain."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.cloud import Cloud

DOMAIN = {"domain": {"id": "default"}}


@pytest.fixture
def chief(cloud: Cloud) -> str:
    """A token of an admin of the default domain, in which the cloud's own users are."""
    return domain_admin(cloud, "chief")


def domain_admin(cloud: Cloud, name: str) -> str:
    user = cloud.user(name)
    path = f"/domains/default/users/{user['id']}/roles/{cloud.id_of('roles', 'admin')}"
    assert cloud.request("PUT", path).status_code == 204
    return str(cloud.token_of(name, DOMAIN))


def group(cloud: Cloud, role: str | None = None) -> str:
    made = cloud.make("/groups", "group", name=f"group-{role}", domain_id="default")
    if role:
        path = f"/projects/{cloud.id_of('projects', 'admin')}/groups/{made['id']}/roles/"
        assert cloud.request("PUT", path + cloud.id_of("roles", role)).status_code == 204
    return str(made["id"])


def blob() -> str:
    return json.dumps({"access": "a", "secret": "s"})


ATTEMPTS: list[tuple[str, str, Any]] = [
    ("PATCH", "/users/{user}", {"user": {"password": "mine"}}),
    ("PATCH", "/users/{user}", {"user": {"enabled": False}}),
    ("PATCH", "/users/{user}", {"user": {"name": "other"}}),
    ("DELETE", "/users/{user}", None),
    ("GET", "/users/{user}/credentials/OS-EC2", None),
    ("POST", "/users/{user}/credentials/OS-EC2", {"tenant_id": "PROJECT"}),
    (
        "POST",
        "/credentials",
        {"credential": {"type": "ec2", "blob": blob(), "user_id": "USER", "project_id": "PROJECT"}},
    ),
    ("GET", "/credentials/{credential}", None),
    ("PATCH", "/credentials/{credential}", {"credential": {"type": "cert"}}),
    ("DELETE", "/credentials/{credential}", None),
    ("GET", "/users/{user}/application_credentials", None),
    ("POST", "/users/{user}/application_credentials", {"application_credential": {"name": "a"}}),
    (
        "POST",
        "/OS-TRUST/trusts",
        {"trust": {"trustor_user_id": "USER", "trustee_user_id": "USER", "impersonation": True}},
    ),
]


def allowed(cloud: Cloud, token: str, user: str) -> list[tuple[str, str, int]]:
    """The attempts on a user that were not refused."""
    project = cloud.id_of("projects", "demo")
    kept = cloud.make("/credentials", "credential", type="cert", blob="x", user_id=user)
    found = []
    for method, path, body in ATTEMPTS:
        text = json.dumps(body).replace("USER", user).replace("PROJECT", project)
        place = path.format(user=user, credential=kept["id"])
        answer = cloud.request(method, place, json.loads(text), token=token)
        if answer.status_code != 403:
            found.append((method, path, int(answer.status_code)))
    return found


class TestUsers:
    @pytest.mark.parametrize("name", ["admin", "heat"])
    def test_those_of_the_cloud_are_refused(self, cloud: Cloud, chief: str, name: str) -> None:
        assert allowed(cloud, chief, cloud.id_of("users", name)) == []

    def test_those_with_rights_through_a_group_are_refused(self, cloud: Cloud, chief: str) -> None:
        user = cloud.user("operator", "member")["id"]
        assert cloud.request("PUT", f"/groups/{group(cloud, 'admin')}/users/{user}").status_code == 204

        assert allowed(cloud, chief, user) == []

    def test_those_with_an_implied_role_are_refused(self, cloud: Cloud, chief: str) -> None:
        role = cloud.make("/roles", "role", name="operator")["id"]
        implied = cloud.request("PUT", f"/roles/{role}/implies/{cloud.id_of('roles', 'service')}")
        assert implied.status_code == 201

        assert allowed(cloud, chief, cloud.user("u", "operator")["id"]) == []

    def test_those_an_admin_trusts_are_refused(self, cloud: Cloud, chief: str) -> None:
        user = cloud.user("deputy", "member")["id"]
        cloud.make(
            "/OS-TRUST/trusts",
            "trust",
            trustor_user_id=cloud.id_of("users", "admin"),
            trustee_user_id=user,
            impersonation=True,
            project_id=cloud.id_of("projects", "admin"),
            roles=[{"name": "admin"}],
        )

        assert allowed(cloud, chief, user) == []

    def test_auditors_are_refused(self, cloud: Cloud, chief: str) -> None:
        """They read what is in the other domains."""
        user = cloud.user("auditor")["id"]
        path = f"/system/users/{user}/roles/{cloud.id_of('roles', 'reader')}"
        assert cloud.request("PUT", path).status_code == 204

        assert allowed(cloud, chief, user) == []

    def test_other_admins_of_the_domain_are_refused(self, cloud: Cloud, chief: str) -> None:
        """An admin of the cloud appoints them, and only such a one removes them."""
        domain_admin(cloud, "second")

        assert allowed(cloud, chief, cloud.id_of("users", "second")) == []


class TestGroups:
    @pytest.mark.parametrize("role", ["admin", "service"])
    @pytest.mark.parametrize(
        ("method", "path", "body"),
        [
            ("PUT", "/groups/{group}/users/{demo}", None),
            ("DELETE", "/groups/{group}/users/{heat}", None),
            ("PATCH", "/groups/{group}", {"group": {"name": "other"}}),
            ("DELETE", "/groups/{group}", None),
        ],
    )
    def test_those_with_rights_in_the_cloud_are_refused(
        self, cloud: Cloud, chief: str, role: str, method: str, path: str, body: Any
    ) -> None:
        made, heat = group(cloud, role), cloud.id_of("users", "heat")
        assert cloud.request("PUT", f"/groups/{made}/users/{heat}").status_code == 204

        place = path.format(group=made, demo=cloud.id_of("users", "demo"), heat=heat)

        assert cloud.request(method, place, body, token=chief).status_code == 403

    def test_nobody_joins_them_to_become_admin(self, cloud: Cloud, chief: str) -> None:
        user = cloud.id_of("users", "chief")

        cloud.request("PUT", f"/groups/{group(cloud, 'admin')}/users/{user}", token=chief)

        scope = {"project": {"id": cloud.id_of("projects", "admin")}}
        assert cloud.log_in("chief", scope).status_code == 401


class TestRoles:
    @pytest.mark.parametrize("method", ["PUT", "DELETE"])
    @pytest.mark.parametrize("place", ["/projects/{admin}", "/domains/default"])
    def test_those_of_the_cloud_are_neither_granted_nor_revoked(
        self, cloud: Cloud, chief: str, place: str, method: str
    ) -> None:
        user, role = cloud.id_of("users", "admin"), cloud.id_of("roles", "admin")
        path = place.format(admin=cloud.id_of("projects", "admin")) + f"/users/{user}/roles/{role}"

        assert cloud.request(method, path, token=chief).status_code == 403
        assert cloud.request("HEAD", path).status_code == 204

    @pytest.mark.parametrize(
        ("method", "body"),
        [("DELETE", None), ("PATCH", {"project": {"enabled": False}}), ("PATCH", {"project": {"name": "x"}})],
    )
    def test_they_do_not_end_with_their_project(
        self, cloud: Cloud, chief: str, method: str, body: Any
    ) -> None:
        path = f"/projects/{cloud.id_of('projects', 'service')}"

        assert cloud.request(method, path, body, token=chief).status_code == 403


def test_an_admin_of_a_domain_manages_its_ordinary_accounts(cloud: Cloud, chief: str) -> None:
    def done(method: str, path: str, body: Any = None) -> Any:
        answer = cloud.request(method, path, body, token=chief)
        assert answer.status_code in (200, 201, 204), (method, path, answer.text)
        return answer.json() if answer.content else None

    project = done("POST", "/projects", {"project": {"name": "p"}})["project"]["id"]
    user = done("POST", "/users", {"user": {"name": "u", "password": "p"}})["user"]["id"]
    team = done("POST", "/groups", {"group": {"name": "team"}})["group"]["id"]
    member = cloud.id_of("roles", "member")
    done("PUT", f"/projects/{project}/users/{user}/roles/{member}")
    done("PUT", f"/projects/{project}/groups/{team}/roles/{member}")
    done("PUT", f"/groups/{team}/users/{user}")
    done("PUT", f"/groups/{team}/users/{cloud.id_of('users', 'admin')}")
    done("POST", f"/users/{user}/credentials/OS-EC2", {"tenant_id": project})
    done("PATCH", f"/users/{user}", {"user": {"password": "q", "enabled": False}})
    done("PATCH", f"/projects/{project}", {"project": {"enabled": False}})
    done("DELETE", f"/groups/{team}/users/{user}")
    done("DELETE", f"/projects/{project}/users/{user}/roles/{member}")
    done("DELETE", f"/users/{user}")
    done("DELETE", f"/groups/{team}")
    done("DELETE", f"/projects/{project}")
    done("PATCH", f"/users/{cloud.id_of('users', 'chief')}", {"user": {"password": "new"}})
