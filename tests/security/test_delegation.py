"""Who acts for somebody, or audits them, gets no further than that, and no longer."""

from __future__ import annotations

from typing import Any

import pytest

from clouds import Cloud


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
        path = f"/users/{cloud.id_of('users', 'demo')}/application_credentials"
        made = cloud.post(path, {"application_credential": {"name": "a"}}, as_user="demo").json()
        known = {name: made["application_credential"][name] for name in ("id", "secret")}
        proof = {"methods": ["application_credential"], "application_credential": known}
        token = cloud.authenticate(proof).headers["X-Subject-Token"]

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
