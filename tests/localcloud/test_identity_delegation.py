"""Trusts and application credentials: acting for someone with less than all they have."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.cloud import SUBJECT, Cloud, by_password, by_token, project_scope


def trust_body(cloud: Cloud, **changes: Any) -> dict[str, Any]:
    """What demo entrusts to heat."""
    return {
        "trust": {
            "trustor_user_id": cloud.id_of("users", "demo"),
            "trustee_user_id": cloud.id_of("users", "heat"),
            "project_id": cloud.id_of("projects", "demo"),
            "impersonation": True,
            "roles": [{"name": "member"}],
            **changes,
        }
    }


def entrust(cloud: Cloud, token: str | None = None, **changes: Any) -> dict[str, Any]:
    answer = cloud.post("/OS-TRUST/trusts", trust_body(cloud, **changes), as_user="demo", token=token)
    assert answer.status_code == 201, answer.text
    trust: dict[str, Any] = answer.json()["trust"]
    return trust


def use(cloud: Cloud, trust: dict[str, Any], user: str = "heat") -> Any:
    return cloud.log_in(user, {"OS-TRUST:trust": {"id": trust["id"]}})


class TestTrusts:
    def test_the_trustee_acts_as_the_trustor(self, cloud: Cloud) -> None:
        trust = entrust(cloud)
        assert [role["name"] for role in trust["roles"]] == ["member"]
        assert (trust["expires_at"], trust["remaining_uses"], trust["deleted_at"]) == (None, None, None)
        answer = use(cloud, trust)
        assert answer.status_code == 201
        token = answer.json()["token"]
        assert token["user"]["name"] == "demo"
        assert token["project"]["name"] == "demo"
        assert [role["name"] for role in token["roles"]] == ["member", "reader"]
        assert token["OS-TRUST:trust"]["id"] == trust["id"]
        assert token["OS-TRUST:trust"]["trustee_user"]["id"] == cloud.id_of("users", "heat")

    def test_without_impersonation_the_trustee_remains_who_they_are(self, cloud: Cloud) -> None:
        token = use(cloud, entrust(cloud, impersonation=False)).json()["token"]
        assert token["user"]["name"] == "heat"
        assert token["project"]["name"] == "demo"

    def test_only_the_trustor_makes_it_and_only_the_trustee_uses_it(self, cloud: Cloud) -> None:
        assert cloud.post("/OS-TRUST/trusts", trust_body(cloud), as_user="admin").status_code == 403
        assert use(cloud, entrust(cloud), user="admin").status_code == 403

    @pytest.mark.parametrize(
        ("changes", "status"),
        [
            ({"roles": []}, 403),
            ({"roles": [{"name": "admin"}]}, 404),
            ({"roles": [{}]}, 400),
            ({"trustee_user_id": "none"}, 404),
            ({"project_id": "none"}, 404),
            ({"expires_at": "2001-01-01T00:00:00Z"}, 400),
            ({"expires_at": "soon"}, 400),
            ({"remaining_uses": 0}, 400),
            ({"remaining_uses": 1, "allow_redelegation": True}, 400),
            ({"redelegation_count": 99, "allow_redelegation": True}, 403),
            ({"impersonation": "yes"}, 400),
        ],
    )
    def test_invalid_trusts(self, cloud: Cloud, changes: dict[str, Any], status: int) -> None:
        answer = cloud.post("/OS-TRUST/trusts", trust_body(cloud, **changes), as_user="demo")
        assert answer.status_code == status

    def test_remaining_uses(self, cloud: Cloud) -> None:
        trust = entrust(cloud, remaining_uses=2)
        assert use(cloud, trust).status_code == 201
        shown = cloud.get(f"/OS-TRUST/trusts/{trust['id']}", as_user="demo").json()["trust"]
        assert shown["remaining_uses"] == 1
        last = use(cloud, trust)
        assert use(cloud, trust).status_code == 401
        assert cloud.get(f"/OS-TRUST/trusts/{trust['id']}", as_user="demo").status_code == 404
        assert cloud.is_valid(last.headers[SUBJECT])

    def test_it_expires_with_its_tokens(self, cloud: Cloud) -> None:
        end = cloud.clock().replace(microsecond=0)
        cloud.clock.advance(hours=-1)
        trust = entrust(cloud, expires_at=end.isoformat())
        token = use(cloud, trust)
        assert token.json()["token"]["expires_at"] == trust["expires_at"]
        cloud.clock.advance(hours=1)
        assert not cloud.is_valid(token.headers[SUBJECT])
        assert use(cloud, trust).status_code == 401

    def test_deleting_it_revokes_its_tokens(self, cloud: Cloud) -> None:
        trust = entrust(cloud)
        token = use(cloud, trust).headers[SUBJECT]
        path = f"/OS-TRUST/trusts/{trust['id']}"
        assert cloud.request("DELETE", path, token=cloud.token_of("demo")).status_code == 204
        assert not cloud.is_valid(token)
        assert use(cloud, trust).status_code == 401
        assert cloud.get(path, as_user="demo").status_code == 404

    def test_it_is_invalid_without_the_roles_of_the_trustor(self, cloud: Cloud) -> None:
        trust = entrust(cloud)
        token = use(cloud, trust).headers[SUBJECT]
        grant = f"/projects/{trust['project_id']}/users/{trust['trustor_user_id']}/roles/"
        cloud.request("DELETE", grant + cloud.id_of("roles", "member"))
        assert not cloud.is_valid(token)
        assert use(cloud, trust).status_code == 403

    def test_it_is_invalid_while_the_trustor_is_disabled(self, cloud: Cloud) -> None:
        trust = entrust(cloud)
        token = use(cloud, trust).headers[SUBJECT]
        cloud.request("PATCH", f"/users/{trust['trustor_user_id']}", {"user": {"enabled": False}})
        assert not cloud.is_valid(token)
        assert use(cloud, trust).status_code == 403

    def test_it_is_visible_to_its_trustor_and_trustee(self, cloud: Cloud) -> None:
        trust = entrust(cloud)
        cloud.user("eve", "member")
        path = f"/OS-TRUST/trusts/{trust['id']}"
        for user, status in (("demo", 200), ("heat", 200), ("admin", 200), ("eve", 403)):
            assert cloud.get(path, as_user=user).status_code == status
            assert cloud.get(f"{path}/roles", as_user=user).status_code == status
        assert cloud.request("DELETE", path, as_user="eve").status_code == 403
        role = trust["roles"][0]["id"]
        assert cloud.get(f"{path}/roles/{role}", as_user="demo").json()["role"]["name"] == "member"
        assert cloud.get(f"{path}/roles/none", as_user="demo").status_code == 404

    def test_users_list_their_own_trusts(self, cloud: Cloud) -> None:
        trust = entrust(cloud)
        mine = f"/OS-TRUST/trusts?trustor_user_id={trust['trustor_user_id']}"
        assert [each["id"] for each in cloud.get(mine, as_user="demo").json()["trusts"]] == [trust["id"]]
        assert cloud.get("/OS-TRUST/trusts", as_user="demo").status_code == 403
        assert len(cloud.get("/OS-TRUST/trusts").json()["trusts"]) == 1

    def test_its_tokens_cannot_be_exchanged_or_create_credentials(self, cloud: Cloud) -> None:
        trust = entrust(cloud)
        token = use(cloud, trust).headers[SUBJECT]
        assert cloud.authenticate(by_token(token)).status_code == 403
        user = f"/users/{trust['trustor_user_id']}"
        body = {"application_credential": {"name": "x"}}
        assert cloud.post(f"{user}/application_credentials", body, token=token).status_code == 403
        assert cloud.post(f"{user}/credentials/OS-EC2", {}, token=token).status_code == 403
        assert cloud.get("/credentials", token=token).status_code == 403

    def test_redelegation_must_be_allowed(self, cloud: Cloud) -> None:
        token = use(cloud, entrust(cloud)).headers[SUBJECT]
        assert cloud.post("/OS-TRUST/trusts", trust_body(cloud), token=token).status_code == 403

    def test_a_redelegated_trust_is_limited_and_deleted_with_the_first(self, cloud: Cloud) -> None:
        first = entrust(cloud, allow_redelegation=True, roles=[{"name": "reader"}])
        assert first["redelegation_count"] == 3
        token = use(cloud, first).headers[SUBJECT]
        more = trust_body(cloud, roles=[{"name": "member"}])
        assert cloud.post("/OS-TRUST/trusts", more, token=token).status_code == 403
        second = entrust(cloud, token, roles=[{"name": "reader"}], allow_redelegation=True)
        assert second["redelegated_trust_id"] == first["id"]
        assert second["redelegation_count"] == 2
        assert use(cloud, second).status_code == 201
        cloud.request("DELETE", f"/OS-TRUST/trusts/{first['id']}", as_user="demo")
        assert use(cloud, second).status_code == 401


class TestApplicationCredentials:
    def path(self, cloud: Cloud) -> str:
        return f"/users/{cloud.id_of('users', 'demo')}/application_credentials"

    def make(self, cloud: Cloud, **members: Any) -> dict[str, Any]:
        body = {"application_credential": {"name": "robot", **members}}
        answer = cloud.post(self.path(cloud), body, as_user="demo")
        assert answer.status_code == 201, answer.text
        made: dict[str, Any] = answer.json()["application_credential"]
        return made

    def log_in(self, cloud: Cloud, scope: Any = None, **members: Any) -> Any:
        identity = {"methods": ["application_credential"], "application_credential": members}
        return cloud.authenticate(identity, scope)

    def test_the_secret_is_shown_once(self, cloud: Cloud) -> None:
        made = self.make(cloud)
        assert len(made["secret"]) > 40
        shown = cloud.get(f"{self.path(cloud)}/{made['id']}", as_user="demo").json()["application_credential"]
        assert shown == {name: value for name, value in made.items() if name != "secret"}
        assert shown["project_id"] == cloud.id_of("projects", "demo")
        assert [role["name"] for role in shown["roles"]] == ["member", "reader"]
        [listed] = cloud.get(self.path(cloud), as_user="demo").json()["application_credentials"]
        assert listed == shown

    def test_it_logs_in_by_id_or_by_name_and_user(self, cloud: Cloud) -> None:
        made = self.make(cloud, secret="mine")
        user = {"name": "demo", "domain": {"name": "Default"}}
        for answer in (
            self.log_in(cloud, id=made["id"], secret="mine"),
            self.log_in(cloud, name="robot", user=user, secret="mine"),
        ):
            assert answer.status_code == 201
            token = answer.json()["token"]
            assert token["project"]["name"] == "demo"
            assert token["methods"] == ["application_credential"]
            assert token["application_credential"] == {"id": made["id"], "name": "robot", "restricted": True}

    def test_it_is_refused_with_a_wrong_secret_or_another_scope(self, cloud: Cloud) -> None:
        made = self.make(cloud, secret="mine")
        assert self.log_in(cloud, id=made["id"], secret="wrong").status_code == 401
        assert self.log_in(cloud, id="none", secret="mine").status_code == 401
        assert self.log_in(cloud, project_scope("demo"), id=made["id"], secret="mine").status_code == 401
        assert self.log_in(cloud, secret="mine").status_code == 400

    def test_it_has_only_the_roles_it_was_made_with(self, cloud: Cloud) -> None:
        made = self.make(cloud, roles=[{"name": "reader"}])
        token = self.log_in(cloud, id=made["id"], secret=made["secret"])
        assert [role["name"] for role in token.json()["token"]["roles"]] == ["reader"]
        again = cloud.authenticate(by_token(token.headers[SUBJECT])).json()["token"]
        assert [role["name"] for role in again["roles"]] == ["reader"]
        body = {"application_credential": {"name": "king", "roles": [{"name": "admin"}]}}
        assert cloud.post(self.path(cloud), body, as_user="demo").status_code == 400

    def test_names_are_unique_to_a_user(self, cloud: Cloud) -> None:
        self.make(cloud)
        body = {"application_credential": {"name": "robot"}}
        assert cloud.post(self.path(cloud), body, as_user="demo").status_code == 409

    def test_not_even_admins_create_one_for_another_user(self, cloud: Cloud) -> None:
        body = {"application_credential": {"name": "robot"}}
        assert cloud.post(self.path(cloud), body, as_user="admin").status_code == 403

    def test_access_rules_are_rejected(self, cloud: Cloud) -> None:
        rules = [{"path": "/v1", "method": "GET", "service": "orchestration"}]
        body = {"application_credential": {"name": "robot", "access_rules": rules}}
        assert cloud.post(self.path(cloud), body, as_user="demo").status_code == 400

    def test_only_unrestricted_ones_create_credentials_and_trusts(self, cloud: Cloud) -> None:
        for unrestricted, status in ((False, 403), (True, 201)):
            made = self.make(cloud, name=f"robot {unrestricted}", unrestricted=unrestricted)
            token = self.log_in(cloud, id=made["id"], secret=made["secret"]).headers[SUBJECT]
            body = {"application_credential": {"name": f"child {unrestricted}"}}
            assert cloud.post(self.path(cloud), body, token=token).status_code == status
            assert cloud.post("/OS-TRUST/trusts", trust_body(cloud), token=token).status_code == status

    def test_trusts_of_an_unrestricted_one_have_only_its_roles(self, cloud: Cloud) -> None:
        made = self.make(cloud, unrestricted=True, roles=[{"name": "reader"}])
        token = self.log_in(cloud, id=made["id"], secret=made["secret"]).headers[SUBJECT]
        assert cloud.post("/OS-TRUST/trusts", trust_body(cloud), token=token).status_code == 404

    def test_it_expires_or_is_deleted(self, cloud: Cloud) -> None:
        end = cloud.clock().replace(microsecond=0)
        cloud.clock.advance(hours=-1)
        made = self.make(cloud, expires_at=end.isoformat())
        token = self.log_in(cloud, id=made["id"], secret=made["secret"])
        assert token.json()["token"]["expires_at"] == made["expires_at"]
        other = self.make(cloud, name="other")
        second = self.log_in(cloud, id=other["id"], secret=other["secret"]).headers[SUBJECT]
        path = f"{self.path(cloud)}/{other['id']}"
        assert cloud.request("DELETE", path, as_user="demo").status_code == 204
        assert not cloud.is_valid(second)
        assert self.log_in(cloud, id=other["id"], secret=other["secret"]).status_code == 401
        cloud.clock.advance(hours=1)
        assert self.log_in(cloud, id=made["id"], secret=made["secret"]).status_code == 401

    def test_it_survives_a_change_of_the_password(self, cloud: Cloud) -> None:
        made, user = self.make(cloud), cloud.id_of("users", "demo")
        cloud.request("PATCH", f"/users/{user}", {"user": {"password": "new"}})
        assert cloud.authenticate(by_password("demo", cloud.passwords["demo"])).status_code == 401
        assert self.log_in(cloud, id=made["id"], secret=made["secret"]).status_code == 201
