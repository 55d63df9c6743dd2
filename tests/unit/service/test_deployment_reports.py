"""Reports of deployments in the object store."""

from __future__ import annotations

from typing import Any, cast

import pytest

from calor.clouds.errors import CloudError, NotFound, Transient
from calor.clouds.services import Services
from calor.service.deployment_reports import LARGEST, read_report, report_object

URL = "https://swift.example/v1/AUTH_p/my%20box/abc?temp_url_sig=x&temp_url_expires=1"


def config(**inputs: Any) -> dict[str, Any]:
    known = {"deploy_signal_transport": "TEMP_URL_SIGNAL", "deploy_signal_id": URL, **inputs}
    return {"inputs": [{"name": name, "value": value} for name, value in known.items()]}


def test_a_report_is_where_its_url_leads() -> None:
    assert report_object(config()) == ("my box", "abc")


@pytest.mark.parametrize(
    "inputs",
    [
        {"deploy_signal_transport": "NO_SIGNAL"},
        {"deploy_signal_transport": None},
        {"deploy_stack_id": "s/1"},
        {"deploy_signal_id": None},
        {"deploy_signal_id": 7},
        {"deploy_signal_id": ""},
        {"deploy_signal_id": "abc"},
        {"deploy_signal_id": "http://["},
        {"deploy_signal_id": "http://swift/v1/AUTH_p/box/"},
        {"deploy_signal_id": "http://swift/v1/AUTH_p/box/.."},
        {"deploy_signal_id": "http://swift/v1/AUTH_p/%2e/abc"},
    ],
)
def test_without_such_a_url_there_is_none(inputs: dict[str, Any]) -> None:
    assert report_object(config(**inputs)) is None


def test_a_configuration_may_have_no_inputs() -> None:
    assert report_object({"inputs": None}) is None
    assert report_object({"inputs": [{"name": "deploy_signal_transport"}]}) is None


class Store:
    def __init__(self, content: bytes | CloudError) -> None:
        self.content = content

    def send(self, service: str, method: str, *path: str, headers: dict[str, str]) -> Store:
        assert (service, method, path) == ("object", "GET", ("box", "abc"))
        assert headers == {"Range": f"bytes=0-{LARGEST - 1}"}
        if isinstance(self.content, CloudError):
            raise self.content
        return self


@pytest.mark.parametrize(
    ("content", "reported"),
    [
        (b'{"deploy_status_code": 0}', {"deploy_status_code": 0}),
        (b"{}", {}),
        (b"", None),
        (b" ", None),
        (b"[]", None),
        (b'{"cut', None),
        (b"\xff\xfe", None),
        (b'{"a":' * 100_000, None),
        (NotFound("gone"), None),
        (Transient("away"), None),
    ],
    ids=lambda one: repr(one)[:30],
)
def test_a_report_is_a_map_as_json(content: bytes | CloudError, reported: Any) -> None:
    assert read_report(cast(Services, Store(content)), "box", "abc") == reported
