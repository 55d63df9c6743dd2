"""Injected faults of the embedded cloud."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from calor.clouds.calls import Api
from calor.clouds.errors import Conflict, Forbidden, NotFound, OverLimit, Transient
from calor.clouds.sessions import Cloud

PROJECTS = "/identity/v3/projects"


@pytest.fixture
def admin(account_of: Callable[[str], Cloud]) -> Cloud:
    return account_of("admin")


@pytest.fixture
def switch(admin: Cloud) -> Iterator[Callable[..., str]]:
    """Switches a fault on; all are off again afterwards."""
    faults = Api(admin.service, admin.identity_url.removesuffix("/identity/v3") + "/faults", "faults")

    def on(**fault: Any) -> str:
        return str(faults.request("POST", "", body={"fault": fault})["fault"]["id"])

    yield on
    faults.send("DELETE", "/")


def make_project(admin: Cloud, name: str) -> Any:
    return admin.identity(admin.service).request("POST", "projects", body={"project": {"name": name}})


def is_there(admin: Cloud, name: str) -> bool:
    found = admin.identity(admin.service).request("GET", "projects", params={"name": name})
    return bool(found["projects"])


def test_a_request_is_answered_with_an_error_and_not_carried_out(
    admin: Cloud, switch: Callable[..., str]
) -> None:
    switch(method="POST", path=PROJECTS, status=409, message="Not today.")
    with pytest.raises(Conflict, match="Not today"):
        make_project(admin, "refused")
    assert not is_there(admin, "refused")


def test_the_nth_request_fails_and_no_other(admin: Cloud, switch: Callable[..., str]) -> None:
    switch(method="POST", path=PROJECTS, skip=1, times=1, status=500)
    make_project(admin, "before the fault")
    with pytest.raises(Transient):
        make_project(admin, "hit by the fault")
    make_project(admin, "after the fault")


def test_a_request_may_be_carried_out_although_its_answer_is_lost(
    admin: Cloud, switch: Callable[..., str]
) -> None:
    switch(method="POST", path=PROJECTS, times=1, drop=True, carried_out=True)
    with pytest.raises(Transient):
        make_project(admin, "unheard of")
    assert is_there(admin, "unheard of")


def test_a_quota_error_is_raised_as_over_limit(admin: Cloud, switch: Callable[..., str]) -> None:
    switch(method="POST", path=PROJECTS, times=1, status=403, message="Quota exceeded for projects.")
    with pytest.raises(OverLimit):
        make_project(admin, "one too many")


def test_what_is_switched_off_fails_no_more(admin: Cloud, switch: Callable[..., str]) -> None:
    faults = Api(admin.service, admin.identity_url.removesuffix("/identity/v3") + "/faults", "faults")
    id = switch(method="POST", path=PROJECTS, status=500)
    faults.request("DELETE", id)
    make_project(admin, "spared")
    with pytest.raises(NotFound):
        faults.request("DELETE", id)


def test_only_admins_switch_faults(account_of: Callable[[str], Cloud]) -> None:
    demo = account_of("demo")
    faults = Api(demo.service, demo.identity_url.removesuffix("/identity/v3") + "/faults", "faults")
    with pytest.raises(Forbidden):
        faults.request("POST", "", body={"fault": {"status": 500}})
