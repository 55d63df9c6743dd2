from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from calor.clouds.ec2 import ReceivedRequest, Signer
from calor.clouds.errors import Unauthorized
from tests.api.cfn.client import Client
from tests.support.api import Stage
from tests.support.cfn import cfn_app


def nobody(received: ReceivedRequest) -> Signer:
    raise Unauthorized("nobody has signed")


def client_of(stage: Stage) -> Client:
    http = TestClient(cfn_app(stage, nobody), base_url="http://cfn.test:8000", follow_redirects=False)
    return Client(http, stage)


@pytest.fixture
def cfn(stage: Stage) -> Client:
    """A member's way in, with no engine behind it."""
    return client_of(stage)


@pytest.fixture
def live(running: Stage) -> Client:
    """A member's way in, with an engine behind it."""
    return client_of(running)
