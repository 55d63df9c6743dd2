"""The CFN API tells nobody whether a stack of somebody else is there."""

from __future__ import annotations

from uuid import uuid4

import pytest
from starlette.testclient import TestClient

from calor.clouds.ec2 import ReceivedRequest, Signer
from calor.clouds.errors import Unauthorized
from calor.store import tables
from tests.security.tenants import rows
from tests.support.api import OTHER, PROJECT, Stage
from tests.support.cfn import cfn_app, signer

SMALL, LARGE = b"{}", b'{"a": "' + b"x" * 20_000 + b'"}'


def verify(received: ReceivedRequest) -> Signer:
    """The access key says in whose project the signer is, if anybody's."""
    key = received.query["AWSAccessKeyId"]
    if key == "nobody":
        raise Unauthorized("wrong")
    return signer("m", key, "member", name="mallory")


@pytest.mark.parametrize("key", ["nobody", OTHER])
@pytest.mark.parametrize("version", ["2", "4"])
@pytest.mark.parametrize("body", [SMALL, LARGE], ids=["small", "large"])
def test_strangers_get_the_same_answers(stage: Stage, key: str, version: str, body: bytes) -> None:
    client = TestClient(cfn_app(stage, verify))
    alive, deleted = stage.add_stack("s"), stage.add_stack("s", deleted_at=1.0)
    for id in (alive, deleted):
        stage.add_resource(id, "h", type="OS::Heat::WaitConditionHandle")

    def answer(project: str = PROJECT, name: str = "s", id: str = alive, resource: str = "h") -> object:
        signed = {"AWSAccessKeyId": key, "Signature": "s", "SignatureVersion": version}
        path = f"/v1/signal/arn:openstack:heat::{project}:stacks/{name}/{id}/resources/{resource}"
        answered = client.post(path, params=signed, content=body)
        return answered.status_code, answered.text

    assert {
        answer(),
        answer(resource="missing"),
        answer(name="another"),
        answer(id=deleted),
        answer(id=str(uuid4())),
        answer(project=OTHER),
        answer(project="nobody"),
    } == {answer()}
    assert rows(stage, tables.inbox) == []
