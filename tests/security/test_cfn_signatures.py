"""Signatures at the CFN API of a server: forged, expired, replayed, of others; and signals that go nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

import httpx2 as httpx
import pytest

from tests.support.ec2 import Keys, get, new_keys, sign, sign_v4, timestamp
from tests.support.server import Server, free_port, until

TEMPLATE = {
    "heat_template_version": "2021-04-16",
    "resources": {
        "handle": {"type": "OS::Heat::WaitConditionHandle"},
        "value": {"type": "OS::Heat::Value", "properties": {"value": "x"}},
    },
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = Server(tmp_path_factory.mktemp("server") / "state", free_port())
    made.ready()
    yield made
    made.stop()


@pytest.fixture(scope="module")
def keys(server: Server) -> Keys:
    return new_keys(server)


@pytest.fixture(scope="module")
def others_keys(server: Server) -> Keys:
    return new_keys(server, "calor-admin")


@pytest.fixture(scope="module")
def url(server: Server) -> str:
    return f"http://127.0.0.1:{server.port + 1}/v1/"


@pytest.fixture(scope="module")
def stack(server: Server) -> str:
    """The ARN of a stack."""
    api = server.api()
    id = api.post("/stacks", json={"stack_name": "s", "template": TEMPLATE}).json()["stack"]["id"]
    until(lambda: api.get(f"/stacks/s/{id}").json()["stack"]["stack_status"] == "CREATE_COMPLETE")
    return f"arn:openstack:heat::{server.token()[1]}:stacks/s/{id}"


def code(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.text.partition("<Code>")[2].partition("</Code>")[0]


DENIED = (403, "AccessDenied")


class TestForged:
    @pytest.mark.parametrize("version", ["0", "1", "2", "3", "4"])
    def test_with_a_guessed_secret(self, keys: Keys, url: str, version: str) -> None:
        assert code(get(Keys(keys.access, "guess"), url, version, Action="ListStacks")) == DENIED

    def test_with_an_unknown_key(self, keys: Keys, url: str) -> None:
        assert code(get(Keys("nobody", keys.secret), url, Action="ListStacks")) == DENIED

    @pytest.mark.parametrize(
        "change",
        [
            {"Action": "DescribeStacks"},
            {"StackName": "another"},
            {"Extra": "1"},
            {"SignatureVersion": "1"},
            {"SignatureVersion": "4"},
            {"Timestamp": timestamp(seconds=-30)},
        ],
        ids=lambda change: next(iter(change)),
    )
    def test_by_changing_what_was_signed(self, keys: Keys, url: str, change: dict[str, str]) -> None:
        given = sign(keys, "GET", url, {"Action": "ListStacks"})
        assert httpx.get(url, params=given).status_code == 200
        assert code(httpx.get(url, params={**given, **change})) == DENIED

    @pytest.mark.parametrize("version", ["0", "1"])
    def test_by_changing_what_old_versions_do_not_cover(self, keys: Keys, url: str, version: str) -> None:
        """Version 0 covers the action and the time only; 1 does not tell names and values apart."""
        given = sign(keys, "GET", url, {"Action": "ListStacks"}, version)
        changed = (
            {**given, "StackName": "another"}
            if version == "0"
            else {**given, "Action": "", "ActionL": "istStacks"}
        )
        assert code(httpx.get(url, params=given)) == DENIED
        assert code(httpx.get(url, params=changed)) == DENIED

    def test_by_sending_it_elsewhere(self, keys: Keys, url: str) -> None:
        given = sign(keys, "GET", url, {"Action": "ListStacks"})
        assert code(httpx.post(url, data=given)) == DENIED
        assert code(httpx.get(url, params=given, headers={"Host": "heat.example"})) == DENIED
        assert code(httpx.get(url.rstrip("/"), params=given)) == DENIED

    def test_by_adding_a_form_to_a_signed_query(self, keys: Keys, url: str) -> None:
        given = sign(keys, "POST", url, {"Action": "ListStacks"})
        assert httpx.post(url, params=given).status_code == 200
        assert code(httpx.post(url, params=given, data={"Action": "DeleteStack", "StackName": "s"})) == DENIED

    def test_by_changing_a_body_that_was_signed(self, keys: Keys, url: str) -> None:
        headers = sign_v4(
            keys, "POST", url, b"Action=ListStacks", {"Content-Type": "application/x-www-form-urlencoded"}
        )
        assert httpx.post(url, content=b"Action=ListStacks", headers=headers).status_code == 200
        assert code(httpx.post(url, content=b"Action=DescribeStacks", headers=headers)) == DENIED
        assert (
            code(httpx.post(f"{url}?SignatureVersion=2", content=b"Action=ListStacks", headers=headers))
            == DENIED
        )


class TestExpired:
    @pytest.mark.parametrize("minutes", [16, -16])
    def test_long_ago_and_far_ahead(self, keys: Keys, url: str, minutes: int) -> None:
        given = sign(keys, "GET", url, {"Action": "ListStacks"}, Timestamp=timestamp(minutes=minutes))
        assert code(httpx.get(url, params=given)) == DENIED

    def test_by_its_own_word(self, keys: Keys, url: str) -> None:
        given = sign(
            keys, "GET", url, {"Action": "ListStacks", "Expires": timestamp(seconds=5)}, Timestamp=""
        )
        assert code(httpx.get(url, params=given)) == (400, "RequestExpired")
        given = sign(
            keys, "GET", url, {"Action": "ListStacks", "Expires": timestamp(minutes=-5)}, Timestamp=""
        )
        assert httpx.get(url, params=given).status_code == 200

    def test_never(self, keys: Keys, url: str) -> None:
        """Pre-signed URLs of signals may be valid for ever, actions not."""
        given = sign(keys, "GET", url, {"Action": "ListStacks"}, Timestamp="")
        assert code(httpx.get(url, params=given)) == (400, "MissingParameter")
        # This version covers no headers: whoever has recorded the request can add one.
        now = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        answer = httpx.get(url, params=given, headers={"X-Amz-Date": now})
        assert code(answer) == (400, "MissingParameter")

    @pytest.mark.parametrize(("version", "refusal"), [("2", (400, "InvalidParameterValue")), ("1", DENIED)])
    def test_never_is_right_for_what_agents_read(
        self, keys: Keys, url: str, version: str, refusal: tuple[int, str]
    ) -> None:
        """os-collect-config signs without a time. Older versions cover too little."""
        read = {"Action": "DescribeStackResource", "StackName": "s", "LogicalResourceId": "r"}
        given = sign(keys, "GET", url, read, version, Timestamp="")
        assert code(httpx.get(url, params=given)) == refusal

    def test_in_version_4(self, keys: Keys, url: str) -> None:
        old = datetime.now(UTC) - timedelta(minutes=20)
        headers = sign_v4(keys, "GET", f"{url}?Action=ListStacks", b"", {}, at=old)
        assert code(httpx.get(f"{url}?Action=ListStacks", headers=headers)) == DENIED


def test_replayed_within_its_time_a_request_is_repeated(keys: Keys, url: str) -> None:
    """As by AWS and Heat; what it does a second time is up to the action."""
    given = {"StackName": "twice", "TemplateBody": '{"heat_template_version": "2021-04-16"}'}
    request = sign(keys, "POST", url, {"Action": "CreateStack", **given})
    assert httpx.post(url, data=request).status_code == 200
    assert code(httpx.post(url, data=request)) == (400, "AlreadyExists")


class TestOthers:
    def test_their_keys_find_nothing(self, others_keys: Keys, url: str, stack: str) -> None:
        for name in ("s", stack):
            answer = get(others_keys, url, Action="DescribeStacks", StackName=name)
            assert code(answer) == (400, "InvalidParameterValue")
        assert "<StackName>s</StackName>" not in get(others_keys, url, Action="ListStacks").text

    def test_their_keys_signal_nothing(self, others_keys: Keys, url: str, stack: str) -> None:
        assert code(signal(others_keys, url, f"{stack}/resources/handle")) == (400, "InvalidParameterValue")

    def test_keys_that_are_revoked_are_worth_nothing(self, server: Server, url: str) -> None:
        gone = new_keys(server)
        assert get(gone, url, Action="ListStacks").status_code == 200
        gone.revoke(server)
        assert code(get(gone, url, Action="ListStacks")) == DENIED


def signal(keys: Keys, url: str, arn: str, content: bytes = b"{}", **params: str) -> httpx.Response:
    address = f"{url}signal/{arn}"
    given = sign(keys, "POST", address, params)
    return httpx.post(f"{url}signal/{quote(arn, safe='')}", params=given, content=content)


class TestSignalsThatGoNowhere:
    def test_one_of_10_megabytes(self, keys: Keys, url: str, stack: str) -> None:
        content = b'{"data": "' + b"x" * 10_000_000 + b'"}'
        assert code(signal(keys, url, f"{stack}/resources/handle", content)) == (400, "RequestLimitExceeded")

    def test_to_a_deleted_stack(self, keys: Keys, server: Server, url: str) -> None:
        api = server.api()
        id = api.post("/stacks", json={"stack_name": "gone", "template": TEMPLATE}).json()["stack"]["id"]
        path = f"/stacks/gone/{id}"
        until(lambda: api.get(path).json()["stack"]["stack_status"] == "CREATE_COMPLETE")
        arn = f"arn:openstack:heat::{server.token()[1]}:stacks/gone/{id}/resources/handle"
        assert signal(keys, url, arn).status_code == 200
        api.delete(path)
        until(lambda: api.get(path).json()["stack"]["stack_status"] == "DELETE_COMPLETE")

        answer = signal(keys, url, arn)

        assert code(answer) == (400, "InvalidParameterValue")
        assert "There is no such resource." in answer.text

    def test_to_an_unknown_deployment(self, keys: Keys, server: Server, url: str, stack: str) -> None:
        report: Any = {"deploy_status_code": 0}
        answer = signal(keys, url, f"{stack}/resources/deployment")
        assert code(answer) == (400, "InvalidParameterValue")
        assert "There is no such resource." in answer.text
        api, path = server.api(), stack.partition(":stacks/")[2]
        assert api.post(f"/stacks/{path}/resources/deployment/signal", json=report).status_code == 404
        answer = api.put(
            "/software_deployments/00000000-0000-4000-8000-000000000000", json={"status": "COMPLETE"}
        )
        assert (answer.status_code, answer.json()["error"]["type"]) == (404, "EntityNotFound")

    def test_to_a_resource_that_takes_none(self, keys: Keys, url: str, stack: str) -> None:
        answer = signal(keys, url, f"{stack}/resources/value")
        assert code(answer) == (400, "InvalidParameterValue")
        assert "does not accept signals" in answer.text
