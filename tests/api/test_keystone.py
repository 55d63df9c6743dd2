"""Callers known to a Keystone, here a small one that answers over HTTP as Keystone does."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from calor.api.auth import MultiCloud, load_backend
from calor.api.auth.keystone import KeystoneAuthenticator, PasswordAuthenticator
from calor.api.auth.memory import Memory
from calor.api.errors import BadRequest, Unauthorized, Unavailable
from calor.clouds.sessions import Cloud, ServiceAccount, versioned
from calor.service.caller import Caller
from calor.service.errors import Forbidden
from tests.support.api import OTHER, PROJECT


class Keystone:
    """Knows the tokens `member` and `admin`, and the user alice with the password `pass`."""

    def __init__(self) -> None:
        self.validations = 0
        self.broken = False
        self.slow = threading.Event()
        self.slow.set()
        keystone = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["auth"]
                user = sent["identity"]["password"]["user"]
                if user["password"] != "pass":
                    self.answer(401, {"error": {"code": 401, "message": "no", "title": "Unauthorized"}})
                    return
                project = sent["scope"]["project"].get("id", "service")
                self.answer(201, token_body("member", project), {"X-Subject-Token": "made"})

            def do_GET(self) -> None:
                keystone.slow.wait(10)
                keystone.validations += 1
                subject = self.headers["X-Subject-Token"]
                if keystone.broken:
                    self.answer(500, {})
                elif subject in ("member", "admin"):
                    self.answer(200, token_body(subject, PROJECT))
                else:
                    self.answer(404, {"error": {"code": 404, "message": "no", "title": "Not Found"}})

            def answer(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
                content = json.dumps(body).encode()
                self.send_response(status)
                for name, value in {"Content-Length": str(len(content)), **(headers or {})}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"


def token_body(role: str, project: str) -> dict[str, Any]:
    return {
        "token": {
            "user": {"id": "uid", "name": "alice", "domain": {"id": "default", "name": "Default"}},
            "project": {"id": project, "name": "demo", "domain": {"id": "default", "name": "Default"}},
            "roles": [{"id": "r", "name": role}],
            "methods": ["password"],
            "issued_at": "2020-01-01T00:00:00.000000Z",
            "expires_at": "2099-01-01T00:00:00.000000Z",
        }
    }


@pytest.fixture
def keystone() -> Iterator[Keystone]:
    made = Keystone()
    thread = threading.Thread(target=made.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


def is_admin(roles: Any, admin_project: bool) -> bool:
    return "admin" in roles


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def authenticator(keystone: Keystone, clock: Clock) -> KeystoneAuthenticator:
    memory = Memory(seconds=10, size=2, clock=clock)
    return KeystoneAuthenticator(
        Cloud(ServiceAccount(keystone.url, "calor", "pass")),
        is_admin,
        memory=memory,
        public_url="https://keystone.example",
    )


class TestTokens:
    def test_a_valid_one(self, authenticator: KeystoneAuthenticator) -> None:
        caller = authenticator.authenticate({"x-auth-token": "member"}, PROJECT)

        assert caller == Caller(
            user_id="uid",
            username="alice",
            project=PROJECT,
            project_name="demo",
            roles=("member",),
            user_domain="default",
            is_admin=False,
            token="member",
        )

    @pytest.mark.parametrize("headers", [{}, {"x-auth-token": ""}, {"x-auth-token": "stale"}])
    def test_none_or_an_unknown_one(
        self, authenticator: KeystoneAuthenticator, headers: dict[str, str]
    ) -> None:
        with pytest.raises(Unauthorized):
            authenticator.authenticate(headers, PROJECT)
        assert authenticator.challenge == 'Keystone uri="https://keystone.example"'

    def test_another_project_is_for_admins(self, authenticator: KeystoneAuthenticator) -> None:
        with pytest.raises(Forbidden):
            authenticator.authenticate({"x-auth-token": "member"}, OTHER)
        caller = authenticator.authenticate({"x-auth-token": "admin"}, OTHER)
        assert (caller.project, caller.is_admin) == (OTHER, True)

    def test_a_keystone_that_fails(self, keystone: Keystone, authenticator: KeystoneAuthenticator) -> None:
        keystone.broken = True

        with pytest.raises(Unavailable):
            authenticator.authenticate({"x-auth-token": "member"}, PROJECT)

    def test_a_keystone_that_is_not_there(self) -> None:
        authenticator = KeystoneAuthenticator(
            Cloud(ServiceAccount("http://127.0.0.1:9", "calor", "pass")), is_admin
        )

        with pytest.raises(Unavailable):
            authenticator.authenticate({"x-auth-token": "member"}, PROJECT)


class TestMemory:
    def test_what_was_valid_is_so_for_a_while(
        self, keystone: Keystone, authenticator: KeystoneAuthenticator, clock: Clock
    ) -> None:
        for moment in (0.0, 9.0, 11.0):
            clock.now = moment
            authenticator.authenticate({"x-auth-token": "member"}, PROJECT)

        assert keystone.validations == 2

    def test_what_was_not_is_asked_again(
        self, keystone: Keystone, authenticator: KeystoneAuthenticator
    ) -> None:
        for _ in range(2):
            with pytest.raises(Unauthorized):
                authenticator.authenticate({"x-auth-token": "stale"}, PROJECT)

        assert keystone.validations == 2

    def test_many_at_once_ask_once(self, keystone: Keystone, authenticator: KeystoneAuthenticator) -> None:
        authenticator.authenticate({"x-auth-token": "admin"}, PROJECT)
        keystone.slow.clear()
        with ThreadPoolExecutor(8) as threads:
            asked = [
                threads.submit(authenticator.authenticate, {"x-auth-token": "member"}, PROJECT)
                for _ in range(8)
            ]
            keystone.slow.set()

        assert {one.result().token for one in asked} == {"member"}
        assert keystone.validations == 2

    def test_it_does_not_grow_without_end(self) -> None:
        memory = Memory(size=2)
        identity: Any = type("Known", (), {"expires_at": float("inf")})()
        asked = []
        for proof in ("a", "b", "c", "c", "a"):
            memory.identity(proof, lambda proof=proof: asked.append(proof) or identity)  # type: ignore[misc]

        assert asked == ["a", "b", "c", "a"]


class TestPasswords:
    HEADERS = {"x-auth-user": "alice", "x-auth-key": "pass"}

    def test_a_name_and_a_password(self, keystone: Keystone) -> None:
        caller = PasswordAuthenticator(keystone.url, is_admin).authenticate(self.HEADERS, PROJECT)

        assert (caller.username, caller.project, caller.token) == ("alice", PROJECT, "made")

    @pytest.mark.parametrize("change", [{"x-auth-key": "wrong"}, {"x-auth-key": ""}, {"x-auth-user": ""}])
    def test_wrong_or_missing_ones(self, keystone: Keystone, change: dict[str, str]) -> None:
        with pytest.raises(Unauthorized):
            PasswordAuthenticator(keystone.url, is_admin).authenticate({**self.HEADERS, **change}, PROJECT)


class TestSeveralClouds:
    def test_the_header_chooses(self, keystone: Keystone, authenticator: KeystoneAuthenticator) -> None:
        clouds = MultiCloud({f"{keystone.url}/": authenticator})
        headers = {"x-auth-token": "member"}

        caller = clouds.authenticate({**headers, "x-auth-url": keystone.url}, PROJECT)
        assert caller.username == "alice"
        with pytest.raises(BadRequest):
            clouds.authenticate(headers, PROJECT)
        with pytest.raises(Unauthorized):
            clouds.authenticate({**headers, "x-auth-url": "http://elsewhere"}, PROJECT)


def test_an_unknown_backend() -> None:
    with pytest.raises(LookupError, match="nobody"):
        load_backend("nobody", {})


@pytest.mark.parametrize("url", ["http://k:5000", "http://k:5000/", "http://k:5000/v3", "http://k:5000/v2.0"])
def test_addresses_with_and_without_a_version(url: str) -> None:
    assert versioned(url) == "http://k:5000/v3"
