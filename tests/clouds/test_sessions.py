"""Sessions and endpoints."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from calor.clouds import errors
from calor.clouds.calls import Api
from calor.clouds.plain_requests import PlainSession
from calor.clouds.services import Services
from calor.clouds.sessions import Cloud, ServiceAccount, access_of, versioned
from calor.clouds.trusts import create_trust, delete_trust


def project_of(session: Any) -> tuple[str, str]:
    access = access_of(session)
    return access.username, access.project_name


def test_the_service_account_logs_in_to_its_project(cloud: Cloud) -> None:
    assert project_of(cloud.service) == ("heat", "service")


def test_a_token_is_used_as_it_is(cloud: Cloud, token: str) -> None:
    session = cloud.with_token(token)
    assert project_of(session) == ("demo", "demo")
    assert session.get_token() == token


def test_the_service_account_asks_what_a_token_is_worth(
    running: Any, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked_by: list[str] = []
    send = Api.send

    def noted(api: Api, method: str, path: str, **more: Any) -> Any:
        answer = send(api, method, path, **more)
        if path.startswith("/auth/tokens"):
            asked_by.append(answer.request.headers["X-Auth-Token"])
        return answer

    monkeypatch.setattr(Api, "send", noted)
    cloud = Cloud(running.account)
    cloud.with_token(token)
    assert asked_by == [access_of(cloud.service).auth_token]


def test_a_token_that_is_none_is_refused(cloud: Cloud) -> None:
    with pytest.raises(errors.Unauthorized):
        cloud.with_token("nonsense")


def test_a_user_logs_in_to_a_project(cloud: Cloud, token: str, running: Any) -> None:
    demo = access_of(cloud.with_token(token))
    session = cloud.as_user(demo.user_id, running.passwords["demo"], demo.project_id)
    assert project_of(session) == ("demo", "demo")
    with pytest.raises(errors.Unauthorized):
        access_of(cloud.as_user(demo.user_id, "guessed", demo.project_id))


def test_endpoints_are_those_of_the_project_of_the_session(cloud: Cloud, token: str) -> None:
    session = cloud.with_token(token)
    project = access_of(session).project_id
    expected = f"http://127.0.0.1:8004/v1/{project}"
    assert cloud.endpoint(session, "orchestration") == expected
    assert cloud.endpoint(session, "orchestration", "internal", "RegionOne") == expected
    assert cloud.endpoint(cloud.service, "orchestration") != expected


@pytest.mark.parametrize(
    ("service_type", "interface", "region"),
    [("database", "public", None), ("orchestration", "other", None), ("orchestration", "public", "Nowhere")],
)
def test_a_service_that_is_not_in_the_catalog_is_said_to_be_missing(
    cloud: Cloud, service_type: str, interface: str, region: str | None
) -> None:
    with pytest.raises(errors.Permanent, match="endpoint"):
        cloud.endpoint(cloud.service, service_type, interface, region)


def test_refusals_have_the_words_of_the_cloud_and_its_request_id(cloud: Cloud, token: str) -> None:
    with pytest.raises(errors.Forbidden) as refused:
        cloud.identity(cloud.with_token(token)).request("POST", "domains", body={"domain": {"name": "mine"}})
    assert refused.value.request_id
    assert refused.value.request_id.startswith("req-")
    assert refused.value.status == 403


def test_a_cloud_that_does_not_listen_is_a_passing_trouble(cloud: Cloud) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        elsewhere = Cloud(replace(cloud.account, auth_url=f"http://127.0.0.1:{unused.getsockname()[1]}"))
        with pytest.raises(errors.Transient):
            access_of(elsewhere.service)


def test_a_cloud_that_never_answers_is_not_waited_for_for_ever(cloud: Cloud) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(errors.Transient):
            access_of(Cloud(replace(cloud.account, auth_url=url), timeout=0.05).service)


def test_a_response_that_is_not_json_is_a_cloud_error(cloud: Cloud) -> None:
    page = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\nConnection: close\r\n\r\n<html>"
    )
    with socket.create_server(("127.0.0.1", 0)) as proxy:

        def answer() -> None:
            connection, _ = proxy.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(page)

        answering = threading.Thread(target=answer)
        answering.start()
        broken = Api(cloud.service, f"http://127.0.0.1:{proxy.getsockname()[1]}", "identity")
        with pytest.raises(errors.Permanent, match="not a JSON object"):
            broken.request("GET", "users")
        answering.join()


def test_threads_share_a_session(cloud: Cloud, account_of: Callable[[str], Cloud]) -> None:
    identity = cloud.identity(account_of("admin").service)
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: identity.request("GET", "roles")["roles"], range(40)))
    assert all(answer == answers[0] for answer in answers)


class TestCertificates:
    """The identity service is believed by a rule of its own, whoever asks it and on the way to whatever."""

    @pytest.fixture
    def verified(self, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any]]:
        """The addresses that were asked, and how their certificates were to be checked."""
        for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
            monkeypatch.delenv(name, raising=False)
        asked: list[tuple[str, Any]] = []
        send = PlainSession.request

        def noted(session: PlainSession, method: str, url: str, **options: Any) -> Any:
            asked.append((url, options["verify"]))
            return send(session, method, url, **options)

        monkeypatch.setattr(PlainSession, "request", noted)
        return asked

    @pytest.mark.parametrize(("verify", "verify_services"), [(True, False), (False, True), ("a", "b")])
    def test_of_the_identity_service_and_of_others(
        self, cloud: Cloud, token: str, verified: list[Any], verify: bool | str, verify_services: bool | str
    ) -> None:
        divided = Cloud(cloud.account, verify=verify, verify_services=verify_services)

        trust = create_trust(divided, token)
        Services(divided, divided.through_trust(trust.id)).request("compute", "GET", "flavors")
        Services(divided, divided.with_token(token)).request("compute", "GET", "flavors")
        delete_trust(divided, trust.id)

        identity = [how for url, how in verified if "/identity/" in url]
        # The token, the log-in of the service account, the trust, the log-in with it, and its end.
        assert identity == [verify] * 5
        assert [how for url, how in verified if "/compute/" in url] == [verify_services] * 2

    def test_connections_are_not_shared_with_the_identity_service(self) -> None:
        cloud = Cloud(ServiceAccount("https://cloud.test/identity", "heat", "secret"))
        connections = cloud.service.session

        identity = connections.get_adapter("https://cloud.test/identity/v3/auth/tokens")

        assert identity is not connections.get_adapter("https://cloud.test/compute/v2.1/servers")


@pytest.mark.parametrize("written", ["http://h/id", "http://h/id/", "http://h/id/v3", "http://h/id/v2.0/"])
def test_the_version_may_be_left_out(written: str) -> None:
    assert versioned(written) == "http://h/id/v3"


def test_passwords_are_not_shown(cloud: Cloud) -> None:
    assert cloud.account.password not in repr(cloud.account)
