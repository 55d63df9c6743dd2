"""A cloud within the process, and someone who talks to it over HTTP."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from calor.localcloud.app import cloud_app
from calor.localcloud.backend import Backend
from calor.localcloud.store import Store

SUBJECT = "X-Subject-Token"


@dataclass
class Clock:
    offset: timedelta = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.offset

    def advance(self, **amount: float) -> None:
        self.offset += timedelta(**amount)


@dataclass
class Cloud:
    """A running cloud and someone who talks to it; `as_user` is the user whose token goes along."""

    database: Path
    passwords: dict[str, str]
    clock: Clock = field(default_factory=Clock)
    backend: Backend | None = None
    homes: dict[str, str] = field(default_factory=lambda: {"admin": "admin", "heat": "service"})
    """The project of each user who works in another than demo."""

    def __post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        self.store = Store(self.database)
        app = cloud_app(self.store, self.database.with_suffix(""), self.clock, self.backend)
        self.client = TestClient(app, base_url="http://cloud:5000")
        # Begins the life of the cloud, in which transitions happen.
        self.client.__enter__()
        self._tokens: dict[str, str] = {}

    def stop(self) -> None:
        self.client.__exit__(None, None, None)
        self.store.close()

    def restart(self) -> None:
        self.stop()
        self.start()

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        token: str | None = None,
        as_user: str = "admin",
        **more: Any,
    ) -> Any:
        headers = {"X-Auth-Token": token or self.token_of(as_user), **more.pop("headers", {})}
        return self.client.request(method, f"/identity/v3{path}", json=body, headers=headers, **more)

    def get(self, path: str, **more: Any) -> Any:
        return self.request("GET", path, **more)

    def post(self, path: str, body: Any, **more: Any) -> Any:
        return self.request("POST", path, body, **more)

    def make(self, path: str, kind: str, **members: Any) -> dict[str, Any]:
        """What the admin created, as it was shown."""
        answer = self.post(path, {kind: members})
        assert answer.status_code == 201, answer.text
        made: dict[str, Any] = answer.json()[kind]
        return made

    def user(
        self, name: str, *roles: str, project: str = "demo", password: str = "open sesame"
    ) -> dict[str, Any]:
        """A new user with these roles on the project."""
        user = self.make("/users", "user", name=name, password=password)
        self.passwords[name] = password
        self.homes[name] = project
        for role in roles:
            path = f"/projects/{self.id_of('projects', project)}/users/{user['id']}/roles/"
            assert self.request("PUT", path + self.id_of("roles", role)).status_code == 204
        return user

    def id_of(self, plural: str, name: str) -> str:
        [found] = self.get(f"/{plural}?name={name}").json()[plural]
        return str(found["id"])

    def authenticate(self, identity: dict[str, Any], scope: Any = None, query: str = "") -> Any:
        auth = {"identity": identity} if scope is None else {"identity": identity, "scope": scope}
        return self.client.post(f"/identity/v3/auth/tokens{query}", json={"auth": auth})

    def log_in(self, user: str, scope: Any = None, password: str | None = None, query: str = "") -> Any:
        return self.authenticate(by_password(user, password or self.passwords[user]), scope, query)

    def token_of(self, user: str, scope: Any = None) -> str:
        """A token of the user: for the scope, or for the project they work in."""
        key = f"{user} {scope}"
        if key not in self._tokens:
            answer = self.log_in(user, scope or project_scope(self.homes.get(user, "demo")))
            assert answer.status_code == 201, answer.text
            self._tokens[key] = answer.headers["X-Subject-Token"]
        return self._tokens[key]

    def is_valid(self, token: str) -> bool:
        return bool(
            self.request("HEAD", "/auth/tokens", headers={"X-Subject-Token": token}).status_code == 200
        )


def by_password(user: str, password: str) -> dict[str, Any]:
    named = {"name": user, "domain": {"id": "default"}, "password": password}
    return {"methods": ["password"], "password": {"user": named}}


def project_scope(name: str) -> dict[str, Any]:
    return {"project": {"name": name, "domain": {"name": "Default"}}}


def by_token(token: str) -> dict[str, Any]:
    return {"methods": ["token"], "token": {"id": token}}


def error_of(answer: Any) -> tuple[int, int, str]:
    error = answer.json()["error"]
    return answer.status_code, error["code"], error["title"]
