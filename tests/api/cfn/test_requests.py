"""What all requests for actions have in common: who sends them, how, and how they are answered."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree

import pytest
from starlette.testclient import TestClient
from starlette.types import Message, Scope

from calor.api.cfn import endpoint
from calor.clouds.ec2 import ReceivedRequest, Signer
from calor.clouds.errors import Transient, Unauthorized
from calor.observe import fields
from calor.service.queries.services import Services
from tests.api.cfn.client import Client, refused
from tests.support.api import PROJECT, Stage, token
from tests.support.cfn import cfn_app, signer

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
SIGNED = {"AWSAccessKeyId": "key", "Signature": "s", "SignatureVersion": "2"}
DATED = {**SIGNED, "Timestamp": "2026-05-01T12:00:00Z"}
HEADER = "AWS4-HMAC-SHA256 Credential=key/20260501/r/s/aws4_request, SignedHeaders=host, Signature=s"


class Signatures:
    """Stands in for the identity service: an access key is the role of its user."""

    def __init__(self, stage: Stage) -> None:
        self.seen: list[ReceivedRequest] = []
        self._stage = stage

    def verify(self, received: ReceivedRequest) -> Signer:
        self.seen.append(received)
        key = received.params.get("AWSAccessKeyId", "key")
        if key == "wrong":
            raise Unauthorized("wrong")
        if key == "broken":
            raise Transient("no answer")
        return signer("u", PROJECT, "reader" if key == "key" else key)

    def client(self, **options: Any) -> TestClient:
        app = cfn_app(self._stage, self.verify, clock=lambda: NOW, **options)
        return TestClient(app, base_url="http://cfn.test:8000", follow_redirects=False)


@pytest.fixture
def signatures(stage: Stage) -> Signatures:
    return Signatures(stage)


class TestSignatures:
    def test_they_are_in_the_query(self, signatures: Signatures) -> None:
        answer = signatures.client().get("/v1/", params={"Action": "ListStacks", **DATED})
        assert answer.status_code == 200
        assert answer.text == (
            "<ListStacksResponse><ListStacksResult><StackSummaries></StackSummaries>"
            "</ListStacksResult></ListStacksResponse>"
        )

    def test_or_in_a_form_which_they_cover(self, signatures: Signatures) -> None:
        given = {"Action": "ListStacks", **DATED}
        assert signatures.client().post("/v1", data=given).status_code == 200
        (seen,) = signatures.seen
        assert (seen.verb, seen.path, seen.form, seen.query) == ("POST", "/v1", given, {})

    def test_or_in_a_header_and_cover_the_body(self, signatures: Signatures) -> None:
        body = urlencode({"Action": "ListStacks"})
        headers = {
            "Authorization": HEADER,
            "X-Amz-Date": "20260501T120000Z",
            "Content-Type": "application/x-www-form-urlencoded; charset=utf-8",
        }
        assert signatures.client().post("/v1/", content=body, headers=headers).status_code == 200
        (seen,) = signatures.seen
        assert seen.body == body.encode()

    @pytest.mark.parametrize(
        ("given", "status", "code"),
        [
            ({}, 400, "IncompleteSignature"),
            ({"AWSAccessKeyId": "key"}, 400, "IncompleteSignature"),
            ({**DATED, "AWSAccessKeyId": ""}, 403, "MissingAuthenticationToken"),
            ({**DATED, "AWSAccessKeyId": "wrong"}, 403, "AccessDenied"),
            ({**DATED, "AWSAccessKeyId": "broken"}, 503, "ServiceUnavailable"),
            (SIGNED, 400, "MissingParameter"),
            ({**SIGNED, "Expires": "2026-05-01T11:59:59Z"}, 400, "RequestExpired"),
            ({**SIGNED, "Expires": "1777600000"}, 400, "RequestExpired"),
            ({**SIGNED, "Expires": "tomorrow"}, 400, "InvalidParameterValue"),
            ({**SIGNED, "Expires": "9" * 400}, 400, "InvalidParameterValue"),
            ({**DATED, "X-Amz-Date": "20260501T115900Z", "X-Amz-Expires": "60"}, 400, "RequestExpired"),
            (
                {**DATED, "X-Amz-Date": "20260501T115900Z", "X-Amz-Expires": "-1"},
                400,
                "InvalidParameterValue",
            ),
            ({**DATED, "X-Amz-Expires": "604801"}, 400, "InvalidParameterValue"),
        ],
        ids=lambda one: str(one)[:70],
    )
    def test_refusals(self, signatures: Signatures, given: dict[str, str], status: int, code: str) -> None:
        refused(signatures.client().get("/v1/", params={"Action": "ListStacks", **given}), status, code)

    @pytest.mark.parametrize(
        "given",
        [
            {**SIGNED, "Expires": "2026-05-01T12:00:01Z"},
            {**SIGNED, "Expires": "1790000000"},
            {**DATED, "X-Amz-Date": "20260501T115900Z", "X-Amz-Expires": "61"},
        ],
    )
    def test_until_they_expire_they_are_valid(self, signatures: Signatures, given: dict[str, str]) -> None:
        assert signatures.client().get("/v1/", params={"Action": "ListStacks", **given}).status_code == 200

    def test_the_policy_decides_what_signers_may_do(self, signatures: Signatures) -> None:
        given = {**DATED, "StackName": "s", "TemplateBody": "{}"}
        client = signatures.client()
        refused(client.get("/v1/", params={"Action": "CreateStack", **given}), 403, "AccessDenied")
        given["AWSAccessKeyId"] = "heat_stack_user"
        refused(client.get("/v1/", params={"Action": "ListStacks", **given}), 403, "AccessDenied")

    def test_they_take_precedence_over_tokens(self, signatures: Signatures) -> None:
        given = {"Action": "ListStacks", **DATED, "AWSAccessKeyId": "wrong"}
        answer = signatures.client().get("/v1/", params=given, headers={"X-Auth-Token": token()})
        refused(answer, 403, "AccessDenied")


class TestTokens:
    def test_they_do_instead_of_signatures(self, signatures: Signatures) -> None:
        headers = {"X-Auth-Token": token()}
        answer = signatures.client().get("/v1/", params={"Action": "ListStacks"}, headers=headers)
        assert (answer.status_code, signatures.seen) == (200, [])

    def test_unknown_ones_are_refused_before_the_body_is_read(self, signatures: Signatures) -> None:
        answer = signatures.client().post("/v1/", content=b"x" * 5_000_000, headers={"X-Auth-Token": "x"})
        refused(answer, 401, "AccessDenied")
        assert answer.headers["WWW-Authenticate"].startswith("Keystone")

    def test_not_where_only_signatures_count(self, signatures: Signatures) -> None:
        """With the flavor standalone."""
        client = signatures.client(tokens=False)
        headers = {"X-Auth-Token": token()}
        refused(client.get("/v1/?Action=ListStacks", headers=headers), 400, "IncompleteSignature")
        assert client.get("/v1/", params={"Action": "ListStacks", **DATED}).status_code == 200


class TestParameters:
    @pytest.mark.parametrize(
        "action", [{}, {"Action": ""}, {"Action": "ListExports"}, {"Action": "listStacks"}]
    )
    def test_actions_that_there_are_not(self, cfn: Client, action: dict[str, str]) -> None:
        answer = cfn.http.post("/v1/", data=action, headers={"X-Auth-Token": cfn.token})
        refused(answer, 400, "InvalidAction")

    def test_nuls_are_refused(self, cfn: Client) -> None:
        refused(cfn("DescribeStacks", StackName="a\0b"), 404, "MalformedQueryString")

    def test_there_are_only_so_many(self, cfn: Client) -> None:
        refused(
            cfn("ListStacks", **{f"p{number}": "x" for number in range(5_000)}), 404, "MalformedQueryString"
        )

    def test_bodies_have_a_limit(self, cfn: Client) -> None:
        refused(cfn("ListStacks", a="x" * endpoint.LARGEST_FORM), 400, "RequestLimitExceeded")

    def test_large_ones_of_one_client_wait_for_each_other(self, stage: Stage) -> None:
        """A body is read before it is known who sends it: that must not fill the memory."""
        app = cfn_app(stage, Signatures(stage).verify)
        begun, most = 0, 0

        async def send_many() -> list[int]:
            nonlocal begun, most
            enough, statuses = asyncio.Event(), []

            async def receive() -> Message:
                nonlocal begun, most
                begun += 1
                most = max(most, begun)
                if begun == endpoint.LARGE_FORMS_OF_A_CLIENT:
                    enough.set()
                await enough.wait()
                begun -= 1
                return {"type": "http.request", "body": b"x" * (endpoint.SMALL_FORM + 1), "more_body": False}

            async def send(message: Message) -> None:
                if message["type"] == "http.response.start":
                    statuses.append(message["status"])

            requests = [
                app(_large_post(), receive, send) for _ in range(endpoint.LARGE_FORMS_OF_A_CLIENT + 4)
            ]
            await asyncio.gather(*requests)
            return statuses

        statuses = asyncio.run(send_many())

        assert most == endpoint.LARGE_FORMS_OF_A_CLIENT
        assert statuses == [400] * (endpoint.LARGE_FORMS_OF_A_CLIENT + 4)

    def test_other_bodies_are_not_parameters(self, cfn: Client) -> None:
        headers = {"X-Auth-Token": cfn.token, "Content-Type": "application/json"}
        answer = cfn.http.post("/v1/", content=b'{"Action": "ListStacks"}', headers=headers)
        refused(answer, 400, "InvalidAction")


class TestAnswers:
    def test_json(self, cfn: Client) -> None:
        cfn.stage.add_stack("s")
        answer = cfn("ListStacks", ContentType="JSON")
        assert answer.headers["Content-Type"] == "application/json"
        body = answer.json()["ListStacksResponse"]["ListStacksResult"]
        assert [one["StackName"] for one in body["StackSummaries"]] == ["s"]

    def test_errors_in_json_have_their_status(self, cfn: Client) -> None:
        answer = cfn("DescribeStacks", StackName="s", ContentType="JSON")
        assert answer.status_code == 400
        error = answer.json()["ErrorResponse"]["Error"]
        assert (error["Type"], error["Code"]) == ("Sender", "InvalidParameterValue")

    def test_lists_have_members(self, cfn: Client) -> None:
        cfn.stage.add_stack("a")
        cfn.stage.add_stack("b")
        found = cfn.xml("ListStacks")
        names = [one.text for one in found.findall("ListStacksResult/StackSummaries/member/StackName")]
        assert sorted(name or "" for name in names) == ["a", "b"]

    def test_booleans_are_written_as_aws_writes_them(self, cfn: Client) -> None:
        cfn.stage.add_stack("s")
        (stack,) = cfn.xml("DescribeStacks").findall("DescribeStacksResult/Stacks/member")
        assert stack.findtext("DisableRollback") == "true"
        assert stack.find("TimeoutInMinutes") is None

    @pytest.mark.parametrize(
        ("value", "shown"),
        [
            ("a < b & c\r\n", "a < b & c\r\n"),
            ("\x1b[0m\ud800\x00", "\ufffd[0m\ufffd\ufffd"),
            ({"a:b": [1, None]}, '{"a:b": [1, null]}'),
            (True, "true"),
            (1.5, "1.5"),
            (None, None),
        ],
    )
    def test_any_output_is_text(self, cfn: Client, value: object, shown: str | None) -> None:
        template = {"heat_template_version": "2021-04-16", "outputs": {"o": {"value": "x"}}}
        cfn.stage.add_stack("s", template=template, outputs={"o": {"value": value}})
        assert cfn.xml("DescribeStacks").findtext(".//OutputValue") == shown

    @pytest.mark.parametrize("verb", ["GET", "POST"])
    def test_unexpected_errors_disclose_nothing(
        self, cfn: Client, monkeypatch: pytest.MonkeyPatch, verb: str
    ) -> None:
        """Not even to those who read the log: parameters may be secret."""
        confidential: list[bool] = []

        def fail(*given: object) -> None:
            confidential.append(fields.is_confidential())
            raise ValueError("internals")

        monkeypatch.setattr(cfn.stage.queries.stacks, "find", fail)
        given = {"Action": "DescribeStacks", "StackName": "s"}
        sent = {"params": given} if verb == "GET" else {"data": given}
        answer = cfn.http.request(verb, "/v1/", headers={"X-Auth-Token": cfn.token}, **sent)
        assert "internals" not in refused(answer, 500, "InternalFailure")
        assert confidential == [True]


def _large_post() -> Scope:
    return {
        "type": "http",
        "method": "POST",
        "path": "/v1/",
        "raw_path": b"/v1/",
        "query_string": b"",
        "scheme": "http",
        "headers": [(b"host", b"cfn.test"), (b"content-length", str(endpoint.SMALL_FORM + 1).encode())],
        "client": ("192.0.2.1", 1),
        "server": ("cfn.test", 80),
    }


def test_load_balancers_ask_whether_it_works(cfn: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cfn.http.get("/healthcheck").text == "OK"
    monkeypatch.setattr(Services, "ping", lambda services: 1 / 0)
    assert cfn.http.get("/healthcheck").status_code == 503


def test_versions(cfn: Client) -> None:
    for path in ("/", "/versions"):
        answer = cfn.http.get(path)
        assert answer.status_code == 300
        (version,) = answer.json()["versions"]
        assert (version["id"], version["links"][0]["href"]) == ("v1.0", "http://cfn.test:8000/v1/")


def test_what_is_served_is_parsed_by_any_parser(cfn: Client) -> None:
    answer = cfn("DescribeStacks", StackName="<&>\u2603")
    assert "<&>\u2603" in (ElementTree.fromstring(answer.content).findtext("Error/Message") or "")
