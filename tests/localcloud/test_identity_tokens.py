"""Tokens: how they are got, what they say, and when they end."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from tests.support.cloud import SUBJECT, Cloud, by_password, by_token, error_of, project_scope


def test_the_root_lists_versions(cloud: Cloud) -> None:
    answer = cloud.client.get("/identity", follow_redirects=False)
    assert answer.status_code == 300
    [version] = answer.json()["versions"]["values"]
    assert version["links"] == [{"rel": "self", "href": "http://cloud:5000/identity/v3/"}]
    for path in ("/identity/v3", "/identity/v3/"):
        assert cloud.client.get(path, follow_redirects=False).json()["version"] == version


def test_every_response_has_a_request_id(cloud: Cloud) -> None:
    answers = [cloud.client.get(path) for path in ("/identity/v3", "/identity/v3/users", "/nothing")]
    ids = {answer.headers["X-Openstack-Request-Id"] for answer in answers}
    assert len(ids) == 3
    assert all(each.startswith("req-") for each in ids)


def test_a_project_scoped_token_has_user_project_and_roles(cloud: Cloud) -> None:
    answer = cloud.log_in("admin", project_scope("admin"))
    assert answer.status_code == 201
    token = answer.json()["token"]
    assert token["methods"] == ["password"]
    assert token["user"]["name"] == "admin"
    assert token["user"]["domain"] == {"id": "default", "name": "Default"}
    assert token["project"]["name"] == "admin"
    assert token["project"]["domain"] == {"id": "default", "name": "Default"}
    assert token["is_domain"] is False
    assert [role["name"] for role in token["roles"]] == ["admin", "member", "reader"]
    assert len(token["audit_ids"]) == 1
    assert token["issued_at"] < token["expires_at"]
    assert token["expires_at"].endswith("Z")


def test_the_catalog_has_the_project_in_its_urls(cloud: Cloud) -> None:
    token = cloud.log_in("demo", project_scope("demo")).json()["token"]
    urls = {
        (service["type"], endpoint["interface"]): endpoint["url"]
        for service in token["catalog"]
        for endpoint in service["endpoints"]
    }
    assert urls["orchestration", "public"] == f"http://127.0.0.1:8004/v1/{token['project']['id']}"
    assert urls["identity", "internal"] == "http://cloud:5000/identity"
    assert {interface for _, interface in urls} == {"public", "internal", "admin"}
    assert len(urls) == 3 * len(token["catalog"])


def test_nocatalog(cloud: Cloud) -> None:
    assert "catalog" not in cloud.log_in("demo", project_scope("demo"), query="?nocatalog").json()["token"]


def test_without_a_scope_the_default_project_is_taken(cloud: Cloud) -> None:
    assert cloud.log_in("demo").json()["token"]["project"]["name"] == "demo"


@pytest.mark.parametrize("scope", ["unscoped", {"unscoped": {}}])
def test_an_unscoped_token_has_neither_roles_nor_catalog(cloud: Cloud, scope: Any) -> None:
    answer = cloud.log_in("demo", scope)
    assert answer.status_code == 201
    assert not {"project", "roles", "catalog", "is_domain"} & answer.json()["token"].keys()
    assert cloud.get("/auth/catalog", token=answer.headers[SUBJECT]).status_code == 403


def test_a_domain_scoped_token_leaves_out_urls_that_need_a_project(cloud: Cloud) -> None:
    token = cloud.log_in("admin", {"domain": {"name": "Default"}}).json()["token"]
    assert token["domain"] == {"id": "default", "name": "Default"}
    types = {service["type"] for service in token["catalog"]}
    assert types == {"identity", "compute", "image", "network", "placement"}


def test_a_system_scoped_token(cloud: Cloud) -> None:
    token = cloud.log_in("admin", {"system": {"all": True}}).json()["token"]
    assert token["system"] == {"all": True}
    assert "admin" in [role["name"] for role in token["roles"]]


@pytest.mark.parametrize(
    "scope",
    [
        project_scope("admin"),
        project_scope("none"),
        {"domain": {"id": "default"}},
        {"domain": {"id": "none"}},
        {"system": {"all": True}},
    ],
)
def test_a_scope_without_a_role_is_rejected(cloud: Cloud, scope: Any) -> None:
    assert error_of(cloud.log_in("demo", scope)) == (401, 401, "Unauthorized")


def test_wrong_passwords_and_unknown_users_get_the_same_error(cloud: Cloud) -> None:
    wrong = cloud.log_in("demo", password="wrong")
    unknown = cloud.authenticate(by_password("nobody", "wrong"))
    assert wrong.status_code == unknown.status_code == 401
    assert wrong.json() == unknown.json()
    assert wrong.headers["WWW-Authenticate"] == 'Keystone uri="http://cloud:5000/identity"'


def test_a_user_may_be_named_by_id(cloud: Cloud) -> None:
    user = {"id": cloud.id_of("users", "demo"), "password": cloud.passwords["demo"]}
    assert cloud.authenticate({"methods": ["password"], "password": {"user": user}}).status_code == 201


def test_an_exchanged_token_does_not_expire_later(cloud: Cloud) -> None:
    first = cloud.log_in("admin", "unscoped")
    cloud.clock.advance(hours=1)
    second = cloud.authenticate(by_token(first.headers[SUBJECT]), project_scope("admin"))
    assert second.status_code == 201
    one, other = first.json()["token"], second.json()["token"]
    assert other["expires_at"] == one["expires_at"]
    assert set(other["methods"]) == {"password", "token"}
    assert other["audit_ids"][1] == one["audit_ids"][0]


def test_all_methods_must_be_of_the_same_user(cloud: Cloud) -> None:
    identity = {
        "methods": ["password", "token"],
        **{
            key: value
            for key, value in by_password("demo", cloud.passwords["demo"]).items()
            if key == "password"
        },
        "token": {"id": cloud.token_of("admin")},
    }
    assert cloud.authenticate(identity).status_code == 401
    identity["token"]["id"] = cloud.token_of("demo")
    assert cloud.authenticate(identity).status_code == 201


def test_an_unknown_method_is_refused(cloud: Cloud) -> None:
    assert cloud.authenticate({"methods": ["charm"], "charm": {}}).status_code == 401


def test_services_validate_the_tokens_of_others(cloud: Cloud) -> None:
    subject = cloud.token_of("demo")
    answer = cloud.get("/auth/tokens", as_user="heat", headers={SUBJECT: subject})
    assert answer.status_code == 200
    assert answer.headers[SUBJECT] == subject
    assert answer.json()["token"]["user"]["name"] == "demo"
    head = cloud.request("HEAD", "/auth/tokens", headers={SUBJECT: subject})
    assert (head.status_code, head.content) == (200, b"")


def test_users_validate_only_their_own_tokens(cloud: Cloud) -> None:
    own, other = cloud.token_of("demo"), cloud.token_of("admin")
    assert cloud.get("/auth/tokens", as_user="demo", headers={SUBJECT: own}).status_code == 200
    assert cloud.get("/auth/tokens", as_user="demo", headers={SUBJECT: other}).status_code == 403
    assert (
        cloud.request("DELETE", "/auth/tokens", as_user="demo", headers={SUBJECT: other}).status_code == 403
    )


@pytest.mark.parametrize("token", ["", "none", "ä" * 50, "a" * 5000])
def test_invalid_subject_and_authentication_tokens(cloud: Cloud, token: str) -> None:
    assert cloud.get("/auth/tokens", headers={SUBJECT: token.encode()}).status_code == 404
    answer = cloud.client.get("/identity/v3/users", headers=[(b"X-Auth-Token", token.encode())])
    assert error_of(answer) == (401, 401, "Unauthorized")


def test_a_revoked_token_is_no_longer_valid(cloud: Cloud) -> None:
    token = cloud.log_in("demo").headers[SUBJECT]
    assert cloud.request("DELETE", "/auth/tokens", token=token, headers={SUBJECT: token}).status_code == 204
    assert not cloud.is_valid(token)
    assert cloud.get("/auth/projects", token=token).status_code == 401


def test_tokens_expire_and_services_may_allow_expired_ones(cloud: Cloud) -> None:
    token = cloud.log_in("demo").headers[SUBJECT]
    cloud.clock.advance(hours=3, minutes=59)
    assert cloud.is_valid(token)
    cloud.clock.advance(minutes=2)
    service = cloud.log_in("heat").headers[SUBJECT]
    assert cloud.get("/auth/tokens", token=service, headers={SUBJECT: token}).status_code == 404
    answer = cloud.get("/auth/tokens?allow_expired=1", token=service, headers={SUBJECT: token})
    assert answer.status_code == 200


def test_long_expired_tokens_are_forgotten(cloud: Cloud) -> None:
    token = cloud.log_in("demo").headers[SUBJECT]
    cloud.clock.advance(days=3)
    service = cloud.log_in("heat").headers[SUBJECT]
    answer = cloud.get("/auth/tokens?allow_expired=1", token=service, headers={SUBJECT: token})
    assert answer.status_code == 404


def test_tokens_are_revoked_when_the_password_changes(cloud: Cloud) -> None:
    token, user_id = cloud.token_of("demo"), cloud.id_of("users", "demo")
    body = {"user": {"original_password": cloud.passwords["demo"], "password": "another"}}
    changed = cloud.client.post(f"/identity/v3/users/{user_id}/password", json=body)
    assert changed.status_code == 204
    assert not cloud.is_valid(token)
    assert cloud.log_in("demo").status_code == 401
    assert cloud.log_in("demo", password="another").status_code == 201


def test_tokens_of_a_disabled_user_are_revoked_for_good(cloud: Cloud) -> None:
    token, user_id = cloud.token_of("demo"), cloud.id_of("users", "demo")
    cloud.request("PATCH", f"/users/{user_id}", {"user": {"enabled": False}})
    assert not cloud.is_valid(token)
    assert cloud.log_in("demo").status_code == 401
    cloud.request("PATCH", f"/users/{user_id}", {"user": {"enabled": True}})
    assert not cloud.is_valid(token)
    assert cloud.log_in("demo").status_code == 201


def test_tokens_of_a_disabled_project_or_domain_are_revoked(cloud: Cloud) -> None:
    first = cloud.token_of("demo")
    path = f"/projects/{cloud.id_of('projects', 'demo')}"
    cloud.request("PATCH", path, {"project": {"enabled": False}})
    assert not cloud.is_valid(first)
    assert cloud.log_in("demo", project_scope("demo")).status_code == 401
    cloud.request("PATCH", path, {"project": {"enabled": True}})
    admin = cloud.token_of("admin")
    cloud.request("PATCH", "/domains/default", {"domain": {"enabled": False}})
    assert cloud.get("/auth/projects", token=admin).status_code == 401


def test_a_token_is_invalid_without_roles(cloud: Cloud) -> None:
    user = cloud.user("eve", "member")
    token = cloud.token_of("eve")
    role, where = cloud.id_of("roles", "member"), cloud.id_of("projects", "demo")
    cloud.request("DELETE", f"/projects/{where}/users/{user['id']}/roles/{role}")
    assert not cloud.is_valid(token)


def test_deleting_a_user_revokes_tokens_and_credentials(cloud: Cloud) -> None:
    user = cloud.user("eve", "member")
    token = cloud.token_of("eve")
    assert cloud.request("DELETE", f"/users/{user['id']}").status_code == 204
    assert not cloud.is_valid(token)
    assert cloud.get(f"/users/{user['id']}").status_code == 404


def test_auth_catalog_projects_and_domains(cloud: Cloud) -> None:
    token = cloud.token_of("admin", "unscoped")
    assert [each["name"] for each in cloud.get("/auth/projects", token=token).json()["projects"]] == ["admin"]
    assert [each["id"] for each in cloud.get("/auth/domains", token=token).json()["domains"]] == ["default"]
    assert cloud.get("/auth/system", token=token).json()["system"] == [{"all": True}]
    assert cloud.get("/auth/system", as_user="demo").json()["system"] == []
    catalog = cloud.get("/auth/catalog", as_user="demo").json()["catalog"]
    assert {"keystone", "nova", "neutron", "glance", "cinder", "swift", "placement", "heat"} == {
        each["name"] for each in catalog
    }


def test_tokens_survive_a_restart(cloud: Cloud) -> None:
    token = cloud.token_of("demo")
    cloud.restart()
    assert cloud.is_valid(token)


def test_tokens_and_passwords_are_stored_as_hashes(cloud: Cloud) -> None:
    token = cloud.token_of("demo")
    with sqlite3.connect(cloud.database) as db:
        kept = "\n".join(db.iterdump())
    assert token not in kept
    assert cloud.passwords["demo"] not in kept


@pytest.mark.parametrize(
    "scope", [{"domain": {"id": "default"}}, {"domain": {"name": "Default"}}, {"system": {"all": True}}]
)
def test_a_scope_without_a_role_gets_the_same_error_as_a_wrong_password(
    cloud: Cloud, scope: dict[str, Any]
) -> None:
    """In Keystone's words, which tell nothing of what there is. The token that was shown stays good: clients try, and
    go on without it."""
    domain = {"id": "default"}
    user = {"name": "demo", "password": cloud.passwords["demo"], "domain": domain}
    known = {"methods": ["password"], "password": {"user": user}}
    asked = {"auth": {"identity": known, "scope": "unscoped"}}
    token = cloud.client.post("/identity/v3/auth/tokens", json=asked).headers[SUBJECT]

    for identity in (known, {"methods": ["token"], "token": {"id": token}}):
        body = {"auth": {"identity": identity, "scope": scope}}
        answer = cloud.client.post("/identity/v3/auth/tokens", json=body)
        assert answer.status_code == 401
        assert answer.json()["error"]["message"] == "The request you have made requires authentication."
    assert cloud.get("/auth/domains", token=token).json()["domains"] == []
    assert len(cloud.get("/auth/projects", token=token).json()["projects"]) == 1
