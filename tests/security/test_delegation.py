"""Who acts for somebody, or audits them, gets no further than that, and no longer."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.cloud import Cloud


def entrust(cloud: Cloud, **changes: Any) -> dict[str, Any]:
    """A trust from demo to the user deputy."""
    wanted = {
        "trustor_user_id": cloud.id_of("users", "demo"),
        "trustee_user_id": cloud.id_of("users", "deputy"),
        "project_id": cloud.id_of("projects", "demo"),
        "impersonation": True,
        "roles": [{"name": "member"}],
        **changes,
    }
    answer = cloud.post("/OS-TRUST/trusts", {"trust": wanted}, as_user="demo")
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()["trust"]
    return made


def token_by(cloud: Cloud, trust: dict[str, Any]) -> str:
    answer = cloud.log_in("deputy", {"OS-TRUST:trust": {"id": trust["id"]}})
    assert answer.status_code == 201, answer.text
    return str(answer.headers["X-Subject-Token"])


def credential_token(cloud: Cloud, *roles: str, **more: Any) -> str:
    """A token of an application credential of demo's."""
    path = f"/users/{cloud.id_of('users', 'demo')}/application_credentials"
    wanted = {"name": "a", "roles": [{"name": role} for role in roles], **more}
    made = cloud.post(path, {"application_credential": wanted}, as_user="demo").json()
    known = {name: made["application_credential"][name] for name in ("id", "secret")}
    proof = {"methods": ["application_credential"], "application_credential": known}
    return str(cloud.authenticate(proof).headers["X-Subject-Token"])


@pytest.fixture(autouse=True)
def deputy(cloud: Cloud) -> str:
    return str(cloud.user("deputy", "reader")["id"])


class TestTrusts:
    @pytest.mark.parametrize("scope", [{}, {"project_id": None, "roles": []}], ids=["project", "unscoped"])
    def test_a_trustee_ends_only_the_trust_they_use(self, cloud: Cloud, scope: dict[str, Any]) -> None:
        mine, another = entrust(cloud, **scope), entrust(cloud)
        token = token_by(cloud, mine)

        refused = cloud.request("DELETE", f"/OS-TRUST/trusts/{another['id']}", token=token)
        ended = cloud.request("DELETE", f"/OS-TRUST/trusts/{mine['id']}", token=token)

        assert (refused.status_code, ended.status_code) == (403, 204)
        assert token_by(cloud, another)

    def test_a_restricted_application_credential_ends_none(self, cloud: Cloud) -> None:
        trust = entrust(cloud)
        token = credential_token(cloud, "member")

        assert cloud.request("DELETE", f"/OS-TRUST/trusts/{trust['id']}", token=token).status_code == 403

    @pytest.mark.parametrize("impersonation", [True, False])
    @pytest.mark.parametrize("name", ["demo", "deputy"])
    @pytest.mark.parametrize("changes", [({"password": "new"},), ({"enabled": False}, {"enabled": True})])
    def test_its_tokens_end_when_either_side_is_locked_out(
        self, cloud: Cloud, name: str, impersonation: bool, changes: tuple[dict[str, Any], ...]
    ) -> None:
        token = token_by(cloud, entrust(cloud, impersonation=impersonation))
        assert cloud.is_valid(token)

        for change in changes:
            answer = cloud.request("PATCH", f"/users/{cloud.id_of('users', name)}", {"user": change})
            assert answer.status_code == 200

        assert not cloud.is_valid(token)


class TestKeyPairs:
    """They are a user's in all projects, where a delegation is for one."""

    KEY = "/compute/v2.1/os-keypairs"

    def changed(self, cloud: Cloud, token: str) -> tuple[int, int]:
        """What making a key pair and deleting one of the user's is answered."""
        own = {"X-Auth-Token": cloud.token_of("demo")}
        cloud.client.post(self.KEY, json={"keypair": {"name": "mine"}}, headers=own)
        headers = {"X-Auth-Token": token}
        made = cloud.client.post(self.KEY, json={"keypair": {"name": "new"}}, headers=headers)
        deleted = cloud.client.delete(f"{self.KEY}/mine", headers=headers)
        return made.status_code, deleted.status_code

    @pytest.mark.parametrize("role", ["reader", "member"])
    def test_deputies_do_not_change_them(self, cloud: Cloud, role: str) -> None:
        token = token_by(cloud, entrust(cloud, roles=[{"name": role}]))

        assert self.changed(cloud, token) == (403, 403)
        headers = {"X-Auth-Token": token}
        assert cloud.client.get(f"{self.KEY}/mine", headers=headers).status_code == 200

    @pytest.mark.parametrize("unrestricted", [False, True])
    def test_application_credentials_need_the_role_member(self, cloud: Cloud, unrestricted: bool) -> None:
        able = credential_token(cloud, "member", unrestricted=unrestricted, name="b")
        unable = credential_token(cloud, "reader", unrestricted=unrestricted)

        assert self.changed(cloud, unable) == (403, 403)
        assert self.changed(cloud, able) == (200, 202)

    def test_readers_do_not(self, cloud: Cloud) -> None:
        headers = {"X-Auth-Token": cloud.token_of("deputy")}
        made = cloud.client.post(self.KEY, json={"keypair": {"name": "new"}}, headers=headers)

        assert made.status_code == 403

    def test_the_orchestration_service_does_for_stacks(self, cloud: Cloud) -> None:
        trust = entrust(cloud, trustee_user_id=cloud.id_of("users", "heat"))
        token = cloud.log_in("heat", {"OS-TRUST:trust": {"id": trust["id"]}}).headers["X-Subject-Token"]

        assert self.changed(cloud, token) == (200, 202)

    def test_the_orchestration_service_needs_the_role_member(self, cloud: Cloud) -> None:
        trust = entrust(cloud, trustee_user_id=cloud.id_of("users", "heat"), roles=[{"name": "reader"}])
        token = cloud.log_in("heat", {"OS-TRUST:trust": {"id": trust["id"]}}).headers["X-Subject-Token"]

        assert self.changed(cloud, token) == (403, 403)


class TestAuditors:
    def test_they_see_no_secrets(self, cloud: Cloud, deputy: str) -> None:
        """The keys of an admin would make them one."""
        path = f"/system/users/{deputy}/roles/{cloud.id_of('roles', 'reader')}"
        assert cloud.request("PUT", path).status_code == 204
        auditor = cloud.token_of("deputy", {"system": {"all": True}})
        kept = cloud.make("/credentials", "credential", type="cert", blob="secret")

        listed = cloud.get("/credentials", token=auditor)
        shown = cloud.get(f"/credentials/{kept['id']}", token=auditor)

        assert listed.json()["credentials"] == []
        assert shown.status_code == 403
        assert cloud.get(f"/credentials/{kept['id']}").json()["credential"]["blob"] == "secret"
