"""Trusts to the service account."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from keystoneauth1.identity import v3
from keystoneauth1.identity.base import BaseIdentityPlugin
from keystoneauth1.session import Session

from calor.clouds import errors
from calor.clouds.plain_requests import PlainSession
from calor.clouds.sessions import Cloud, access_of
from calor.clouds.trusted import TrustLogin
from calor.clouds.trusts import create_trust, delete_trust, is_usable


def test_through_a_trust_the_service_account_is_the_user(cloud: Cloud, token: str) -> None:
    trust = create_trust(cloud, token)
    user, access = access_of(cloud.with_token(token)), access_of(cloud.through_trust(trust.id))
    assert (access.user_id, access.project_id) == (user.user_id, user.project_id)
    assert (trust.trustor_id, trust.project_id) == (user.user_id, user.project_id)
    assert set(trust.roles) == set(access.role_names) == set(user.role_names)


def test_only_the_roles_that_are_named_are_delegated(cloud: Cloud, token: str) -> None:
    trust = create_trust(cloud, token, ["reader"])
    assert trust.roles == ("reader",)
    assert access_of(cloud.through_trust(trust.id)).role_names == ["reader"]


def test_roles_that_the_user_does_not_have_are_refused(cloud: Cloud, token: str) -> None:
    with pytest.raises(errors.CloudError):
        create_trust(cloud, token, ["admin"])


def test_a_token_without_a_project_is_not_enough(cloud: Cloud, account_of: Callable[[str], Cloud]) -> None:
    of_domain = access_of(account_of("admin").in_domain("default")).auth_token
    with pytest.raises(errors.Permanent, match="project"):
        create_trust(cloud, of_domain)


def test_a_trust_is_of_use_to_its_trustee_alone(
    cloud: Cloud, account_of: Callable[[str], Cloud], token: str
) -> None:
    deputy = account_of("admin")
    for trustee, usable in ((cloud, True), (deputy, False)):
        lent = access_of(trustee.through_trust(create_trust(trustee, token).id)).auth_token
        assert is_usable(cloud, lent) is usable


def test_a_deleted_trust_is_worth_nothing(cloud: Cloud, token: str) -> None:
    trust = create_trust(cloud, token)
    delete_trust(cloud, trust.id)
    with pytest.raises(errors.CloudError):
        access_of(cloud.through_trust(trust.id))


def test_deleting_a_trust_that_is_gone_is_fine(cloud: Cloud, token: str) -> None:
    trust = create_trust(cloud, token)
    delete_trust(cloud, trust.id)
    delete_trust(cloud, trust.id)
    delete_trust(cloud, "never/was")


def test_a_service_account_that_may_not_delete_a_trust_does_so_as_the_trustor(
    account_of: Callable[[str], Cloud], token: str, cloud: Cloud
) -> None:
    """Here demo is the service account, who is no admin, and admin the user."""
    service = account_of("demo")
    trust = create_trust(service, str(access_of(account_of("admin").service).auth_token), ["member"])
    delete_trust(service, trust.id)
    with pytest.raises(errors.NotFound):
        cloud.identity(cloud.service).request("GET", "OS-TRUST", "trusts", trust.id)


class TestLoggingIn:
    """Checking a password takes an identity service a quarter of a second."""

    @pytest.fixture
    def own(self, cloud: Cloud) -> Cloud:
        """A cloud whose service account nobody else logs in."""
        return Cloud(cloud.account)

    @pytest.fixture
    def methods(self, own: Cloud, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """How logs-in were asked for, since the service account is logged in."""
        access_of(own.service)
        asked: list[str] = []
        send = PlainSession.request

        def noted(session: PlainSession, method: str, url: str, **options: Any) -> Any:
            if method == "POST" and url.endswith("/auth/tokens"):
                asked.extend(json.loads(options["data"])["auth"]["identity"]["methods"])
            return send(session, method, url, **options)

        monkeypatch.setattr(PlainSession, "request", noted)
        return asked

    def test_exchanges_the_token_of_the_service_account(
        self, own: Cloud, token: str, methods: list[str]
    ) -> None:
        for _ in range(2):
            access = access_of(own.through_trust(create_trust(own, token).id))
            assert access.user_id == access_of(own.with_token(token)).user_id
        assert methods == ["token", "token"]

    def test_falls_back_on_the_password(self, own: Cloud, token: str, methods: list[str]) -> None:
        trust = create_trust(own, token)
        worthless = str(access_of(own.service).auth_token)
        own.identity(own.service).send("DELETE", "/auth/tokens", headers={"X-Subject-Token": worthless})
        assert access_of(own.through_trust(trust.id)).trust_id == trust.id
        assert methods == ["token", "password"]

    @pytest.mark.parametrize(("part", "expected"), [(0.4, ["token"]), (0.6, ["password", "token"])])
    def test_replaces_a_token_first_that_would_not_last(
        self, own: Cloud, token: str, methods: list[str], part: float, expected: list[str]
    ) -> None:
        trust = create_trust(own, token)
        service = access_of(own.service)
        later = service.issued + part * (service.expires - service.issued)
        by_password = v3.Password(own.identity_url, username="heat", password="wrong", trust_id=trust.id)
        auth = TrustLogin(own.identity_url, trust.id, own.service, by_password, clock=lambda: later)
        assert access_of(Session(auth, session=own.service.session)).trust_id == trust.id
        assert methods == expected

    def test_of_the_service_account_may_be_done_ahead(self, own: Cloud) -> None:
        own.prefetch_token().join()
        known = own.service.auth
        assert isinstance(known, BaseIdentityPlugin)
        assert known.auth_ref is not None

    def test_prefetching_from_an_unavailable_identity_service_is_not_an_error(self, own: Cloud) -> None:
        away = Cloud(replace(own.account, auth_url="http://127.0.0.1:9/identity"))
        away.prefetch_token().join()
        with pytest.raises(errors.Transient):
            access_of(away.service)
