"""Signatures that several clouds may verify."""

from __future__ import annotations

from typing import Any, cast

import pytest

from calor.clouds import ec2
from calor.clouds.ec2 import ReceivedRequest, Signer
from calor.clouds.errors import CloudError, Transient, Unauthorized
from calor.server.apps import _signer_of

REQUEST = ReceivedRequest(
    verb="GET",
    host="h",
    path="/v1",
    query={"AWSAccessKeyId": "a", "Signature": "s"},
    form={},
    headers={},
    body=b"",
)


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> dict[str, CloudError | Signer]:
    said: dict[str, CloudError | Signer] = {}

    def signer_of(cloud: str, request: Any, claim: Any) -> Signer:
        answer = said[cloud]
        if isinstance(answer, CloudError):
            raise answer
        return answer

    monkeypatch.setattr(ec2, "signer_of", signer_of)
    return said


def asked(*clouds: str) -> Signer:
    return _signer_of(cast(Any, clouds), REQUEST)


def test_the_first_that_knows_it_decides(answers: dict[str, Any]) -> None:
    known = Signer("token", {})
    answers.update(a=Unauthorized("no"), b=Transient("away"), c=known, d=Unauthorized("never asked"))

    assert asked("a", "b", "c", "d") is known


def test_what_none_knows_is_refused(answers: dict[str, Any]) -> None:
    answers.update(a=Transient("away"), b=Unauthorized("no"))

    with pytest.raises(Unauthorized):
        asked("a", "b")
