"""With the credentials that a stack has put on its server, every route of the embedded cloud is tried: they are for
signals and metadata, not for anything that the cloud has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.routing import Mount, Route

from calor.localcloud.identity import limits
from tests.support.cloud import Cloud, project_scope

_REFUSED = (401, 403)
_UNKNOWN = 404
_ABOUT_ITSELF = re.compile(
    r"/identity/v3/(auth/(tokens|catalog|projects|domains|system)|OS-TRUST/trusts.*|credentials.*|regions.*"
    r"|projects/\{project_id\}(/tags.*)?|groups/\{group_id\}/users/\{user_id\}"
    r"|users/\{user_id\}(/password|/projects|/groups|/application_credentials.*|/credentials/OS-EC2.*)?)\Z"
)
"""What the identity service lets every user do with what belongs to that user, as Keystone does."""
_ABOUT_THE_API = re.compile(
    r"/(identity|compute|volume|network|image|placement)?/?|/(identity|compute|volume|network|image)/v[\d.]+/?|/image/(versions|v2/info/\w+|v2/schemas/.*)"
    r"|/network/v2.0/extensions.*|/(object-store|v1)/info|/compute/console"
)
"""Versions and the like, which are the same for everybody, and consoles, which have tokens of their own."""


def routes_of(app: Any, before: str = "") -> Iterator[tuple[str, str]]:
    while not hasattr(app, "routes"):
        app = app._app
    for route in app.routes:
        if isinstance(route, Mount):
            yield from routes_of(route.app, before + route.path)
        elif isinstance(route, Route):
            yield from ((method, before + route.path) for method in sorted(route.methods or ()))


@pytest.fixture
def agent(cloud: Cloud) -> dict[str, str]:
    """The user of a server, in a project for such users, and the project of the stack."""
    cloud.make("/projects", "project", name="users")
    cloud.user("agent", "heat_stack_user", project="users")
    ids = {name: cloud.id_of("projects", name) for name in ("users", "demo")}
    return {"user_id": cloud.id_of("users", "agent"), **ids}


@pytest.mark.parametrize("project", ["users", "demo"])
def test_every_route(cloud: Cloud, agent: dict[str, str], project: str) -> None:
    given = {"project_id": agent[project], "account": f"AUTH_{agent[project]}", "user_id": agent["user_id"]}
    headers = {
        "X-Auth-Token": cloud.token_of("agent", project_scope("users")),
        "OpenStack-API-Version": "compute 2.90, volume 3.70",
    }
    tried = 0
    for method, route in routes_of(cloud.client.app):
        if _ABOUT_ITSELF.match(route) or _ABOUT_THE_API.fullmatch(route):
            continue
        path = re.sub(r"\{(\w+)(?::\w+)?\}", lambda found: given.get(found[1], "x"), route)
        body = {} if method in ("POST", "PUT", "PATCH") else None
        status = cloud.client.request(method, path, headers=headers, json=body).status_code
        if status == _UNKNOWN:
            # Such a route exists in other versions of an API only, or not below this address.
            status = cloud.client.request(method, path, headers={"X-Auth-Token": "x"}, json=body).status_code
            assert status in (*_REFUSED, _UNKNOWN), (method, route)
            continue
        assert status in _REFUSED, (method, route, status)
        tried += 1
    assert tried > 500


class TestWhatIsItsOwn:
    """A server does not fill the cloud with what its user may make."""

    def made(self, cloud: Cloud, path: str, body: Any) -> int:
        token = cloud.token_of("agent", project_scope("users"))
        return int(cloud.request("POST", path, body, token=token).status_code)

    def test_credentials_are_limited(
        self, cloud: Cloud, agent: dict[str, str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(limits, "MOST_CREDENTIALS", 3)
        ec2 = f"/users/{agent['user_id']}/credentials/OS-EC2"
        blob = {"credential": {"type": "cert", "blob": "x" * 1000}}
        assert [self.made(cloud, ec2, {}) for _ in range(2)] == [201, 201]
        assert [self.made(cloud, "/credentials", blob) for _ in range(2)] == [201, 403]
        assert self.made(cloud, ec2, {}) == 403

    def test_application_credentials_are_limited(
        self, cloud: Cloud, agent: dict[str, str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(limits, "MOST_CREDENTIALS", 2)
        path = f"/users/{agent['user_id']}/application_credentials"
        statuses = [self.made(cloud, path, {"application_credential": {"name": f"{n}"}}) for n in range(3)]
        assert statuses == [201, 201, 403]

    def test_trusts_are_limited(
        self, cloud: Cloud, agent: dict[str, str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(limits, "MOST_TRUSTS", 2)
        trust = {
            "trustor_user_id": agent["user_id"],
            "trustee_user_id": cloud.id_of("users", "heat"),
            "project_id": agent["users"],
            "impersonation": True,
            "roles": [{"name": "heat_stack_user"}],
        }
        statuses = [self.made(cloud, "/OS-TRUST/trusts", {"trust": trust}) for _ in range(3)]
        assert statuses == [201, 201, 403]
