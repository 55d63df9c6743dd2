"""Trusts: the service account acts for users who are no longer there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from calor.clouds import errors
from calor.clouds.sessions import Cloud, access_of
from calor.clouds.trusts import create_trust, delete_trust


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
        cloud.identity(cloud.service).ask("GET", "OS-TRUST", "trusts", trust.id)
