"""The CFN API as a client sees it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

import httpx2 as httpx
from starlette.testclient import TestClient

from tests.support.api import Stage, token


@dataclass
class Client:
    http: TestClient
    stage: Stage
    token: str = token()

    def __call__(self, action: str, **params: str) -> httpx.Response:
        """A request by a user with a token; dots in names of parameters are written as `__`."""
        given = {"Action": action, **{name.replace("__", "."): value for name, value in params.items()}}
        return self.http.post("/v1/", data=given, headers={"X-Auth-Token": self.token})

    def by(self, token: str) -> Client:
        return Client(self.http, self.stage, token)

    def result(self, action: str, **params: str) -> Any:
        """The result of an action, read from JSON."""
        answer = self(action, ContentType="JSON", **params)
        assert answer.status_code == 200, answer.text
        return answer.json()[f"{action}Response"][f"{action}Result"]

    def xml(self, action: str, **params: str) -> ElementTree.Element:
        answer = self(action, **params)
        assert answer.status_code == 200, answer.text
        return ElementTree.fromstring(answer.content)

    def settled(self, name: str, seconds: float = 20.0) -> Any:
        """A stack when its action has ended."""
        end = time.monotonic() + seconds
        while True:
            (stack,) = self.result("DescribeStacks", StackName=name)["Stacks"]
            if not stack["StackStatus"].endswith("IN_PROGRESS"):
                return stack
            assert time.monotonic() < end, stack
            time.sleep(0.01)


def refused(answer: httpx.Response, status: int, code: str) -> str:
    """The message of a refusal."""
    assert answer.status_code == status, answer.text
    error = ElementTree.fromstring(answer.content)
    assert [part.tag for part in error.iter()] == ["ErrorResponse", "Error", "Type", "Code", "Message"]
    assert error.findtext("Error/Code") == code, answer.text
    assert error.findtext("Error/Type") == ("Sender" if status < 500 else "Server")
    return error.findtext("Error/Message") or ""
