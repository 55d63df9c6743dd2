"""Pre-signed URLs at the CFN API: who signed is made up, everything else is real."""

from __future__ import annotations

from collections import Counter
from typing import Any
from urllib.parse import quote

import httpx2 as httpx
import pytest
from starlette.testclient import TestClient

from calor.api.cfn import signals
from calor.clouds.ec2 import ReceivedRequest, Signer
from calor.clouds.errors import Transient, Unauthorized
from calor.service.quotas import Limits
from calor.store import tables
from tests.support.api import OTHER, PROJECT, Stage
from tests.support.cfn import cfn_app, signer

USERS = "9" * 32
SIGNED = {"AWSAccessKeyId": USERS, "Signature": "s", "SignatureVersion": "2"}


def verify(received: ReceivedRequest) -> Signer:
    """The access key says in whose project the signer is."""
    key = received.query["AWSAccessKeyId"]
    if key == "wrong":
        raise Unauthorized("wrong")
    if key == "broken":
        raise Transient("no answer")
    return signer("u", key, "heat_stack_user")


class Cfn:
    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.stack = stage.add_stack("s", user_project=USERS)
        stage.add_resource(self.stack, "h", type="OS::Heat::WaitConditionHandle", data={"user_id": "u"})
        stage.add_resource(self.stack, "t", data={"user_id": "u"})
        self._client = TestClient(cfn_app(stage, verify), base_url="http://cfn.test")

    def arn(self, resource: str = "h", project: str = PROJECT, name: str = "s") -> str:
        return f"arn:openstack:heat::{project}:stacks/{name}/{self.stack}/resources/{resource}"

    def signal(self, arn: str | None = None, content: bytes = b"{}", **query: str) -> httpx.Response:
        path = f"/v1/signal/{quote(self.arn() if arn is None else arn, safe='')}"
        return self._client.post(path, params={**SIGNED, **query}, content=content)

    def put(self, content: bytes = b"{}") -> httpx.Response:
        """A signal to a wait condition."""
        path = f"/v1/waitcondition/{quote(self.arn(), safe='')}"
        return self._client.put(path, params=SIGNED, content=content)

    @property
    def inbox(self) -> list[Any]:
        with self.stage.database.connect() as connection:
            return list(connection.execute(tables.inbox.select()))


@pytest.fixture
def cfn(stage: Stage) -> Cfn:
    return Cfn(stage)


def refused(answer: httpx.Response, status: int, code: str) -> None:
    assert answer.status_code == status, answer.text
    assert f"<Code>{code}</Code>" in answer.text
    assert answer.text.startswith("<ErrorResponse><Error><Type>")


@pytest.mark.parametrize(
    ("content", "details"),
    [(b"", None), (b" \n", None), (b"{}", {}), (b' {"Status": "SUCCESS"}\n', {"Status": "SUCCESS"})],
)
def test_a_signal_is_written_down(cfn: Cfn, content: bytes, details: Any) -> None:
    answer = cfn.signal(content=content)

    assert (answer.status_code, answer.text) == (200, "")
    [signal] = cfn.inbox
    assert (signal.resource, signal.details) == ("h", details)


def test_too_many_that_wait_are_throttled(cfn: Cfn) -> None:
    cfn.stage.commands.quotas.limits = Limits(signals_per_resource=1)
    assert cfn.signal().status_code == 200
    refused(cfn.signal(), 409, "Throttling")


def test_the_owner_of_the_stack_may_sign(cfn: Cfn) -> None:
    assert cfn.signal(AWSAccessKeyId=PROJECT).status_code == 200


class TestWaitConditions:
    """Who signals one is answered when the signal is handled."""

    @pytest.fixture
    def handled(self, cfn: Cfn, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """The ids of the signals that an engine has handled: each new one, when it is looked for the second time."""
        looks: Counter[str] = Counter()
        handled: list[str] = []
        is_waiting = signals.SignalHandler._is_waiting

        def looked(door: signals.SignalHandler, signal: str) -> bool:
            looks[signal] += 1
            if looks[signal] == 2:
                cfn.stage.remove(tables.inbox, signal)
                handled.append(signal)
            return is_waiting(door, signal)

        monkeypatch.setattr(signals.SignalHandler, "_is_waiting", looked)
        return handled

    def test_the_own_signal_is_waited_for(self, cfn: Cfn, handled: list[str]) -> None:
        assert cfn.put().status_code == 200

        assert len(handled) == 1
        assert cfn.inbox == []

    def test_those_of_others_are_not(self, cfn: Cfn, handled: list[str]) -> None:
        assert cfn.signal().status_code == 200
        [other] = cfn.inbox

        assert cfn.put().status_code == 200

        assert len(handled) == 1
        assert [signal.id for signal in cfn.inbox] == [other.id]

    def test_not_for_ever(self, cfn: Cfn, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(signals, "PATIENCE", 0.05)

        assert cfn.put().status_code == 200

        assert len(cfn.inbox) == 1


class TestRefusals:
    @pytest.fixture(autouse=True)
    def nothing_is_written_down(self, cfn: Cfn) -> Any:
        yield
        assert cfn.inbox == []

    def test_no_signature(self, cfn: Cfn) -> None:
        refused(cfn.signal(Signature=""), 400, "IncompleteSignature")

    def test_a_wrong_signature(self, cfn: Cfn) -> None:
        refused(cfn.signal(AWSAccessKeyId="wrong"), 403, "AccessDenied")

    def test_a_signer_from_elsewhere(self, cfn: Cfn) -> None:
        """Is told what others are told of a resource that is not there, as by Heat."""
        refused(cfn.signal(AWSAccessKeyId=OTHER), 400, "InvalidParameterValue")

    def test_nobody_who_knows_signatures(self, cfn: Cfn) -> None:
        refused(cfn.signal(AWSAccessKeyId="broken"), 503, "ServiceUnavailable")

    @pytest.mark.parametrize(
        "content",
        [
            b"x",
            b"[]",
            b"{",
            b'{"a": NaN}',
            b'{"a": "\\u0000"}',
            b'{"\\ud800": 1}',
            b'{"a": \xff}',
            b'{"a":' * 10_000,
            b'{"a": ' + b"1" * 5000 + b"}",
        ],
        ids=lambda one: ascii(one)[:30],
    )
    def test_bodies_that_are_none(self, cfn: Cfn, content: bytes) -> None:
        refused(cfn.signal(content=content), 400, "InvalidParameterValue")

    def test_too_much(self, cfn: Cfn) -> None:
        body = b'{"a": "' + b"x" * 2_000_000 + b'"}'
        refused(cfn.signal(content=body), 400, "RequestLimitExceeded")

    def test_too_much_under_a_signature_over_the_body(self, cfn: Cfn) -> None:
        body = b'{"a": "' + b"x" * 20_000 + b'"}'
        refused(cfn.signal(content=body, SignatureVersion="4"), 400, "RequestLimitExceeded")

    def test_what_there_is_not(self, cfn: Cfn) -> None:
        for arn in (
            cfn.arn("nobody"),
            cfn.arn(name="other"),
            cfn.arn(project=OTHER),
            cfn.arn("h/../../x"),
            "arn:",
            "x",
            "\0",
            "\u2603",
            "../..",
            "x" * 10_000,
            "arn:openstack:heat::a:stacks/b/c/resources/",
        ):
            refused(cfn.signal(arn), 400, "InvalidParameterValue")

    def test_what_takes_no_signals(self, cfn: Cfn) -> None:
        refused(cfn.signal(cfn.arn("t")), 400, "InvalidParameterValue")

    def test_a_stack_that_is_gone(self, cfn: Cfn) -> None:
        cfn.stage.change(tables.stack, cfn.stack, deleted_at=1.0)

        refused(cfn.signal(), 400, "InvalidParameterValue")
