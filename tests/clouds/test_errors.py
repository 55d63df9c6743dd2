"""Classification and messages of cloud errors."""

from __future__ import annotations

import json
from typing import Any

import pytest
from keystoneauth1 import exceptions
from requests import Response

from calor.clouds import errors
from calor.clouds.errors import CloudError, classify, translated


def answered(status: int, body: Any = None) -> Exception:
    response = Response()
    response.status_code = status
    response.headers["Content-Type"] = "application/json"
    response.headers["x-openstack-request-id"] = "req-1"
    response._content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return exceptions.from_response(response, "GET", "http://cloud/")


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, errors.Permanent),
        (401, errors.Unauthorized),
        (403, errors.Forbidden),
        (404, errors.NotFound),
        (408, errors.Transient),
        (409, errors.Conflict),
        (410, errors.NotFound),
        (413, errors.OverLimit),
        (418, errors.Permanent),
        (429, errors.Transient),
        (500, errors.Transient),
        (501, errors.Permanent),
        (502, errors.Transient),
        (503, errors.Transient),
        (504, errors.Transient),
    ],
)
def test_statuses_are_classified(status: int, kind: type[CloudError]) -> None:
    error = classify(answered(status, {"error": {"message": "No."}}))
    assert type(error) is kind
    assert (error.message, error.request_id, error.status) == ("No.", "req-1", status)


@pytest.mark.parametrize(
    ("stated", "seconds"),
    [
        ("7", 7.0),
        ("0", 0.0),
        ("86400", 60.0),
        ("Wed, 21 Oct 2026 07:28:00 GMT", 0.0),
        ("-5", 0.0),
        (None, 0.0),
    ],
)
def test_a_service_may_set_the_pause_before_the_next_request(stated: str | None, seconds: float) -> None:
    response = Response()
    response.status_code = 429
    response._content = b"{}"
    if stated is not None:
        response.headers["Retry-After"] = stated
    error = classify(exceptions.from_response(response, "GET", "http://cloud/"))
    assert isinstance(error, errors.Transient)
    assert error.retry_after == seconds


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (403, {"forbidden": {"message": "Quota exceeded for cores: Requested 4", "code": 403}}),
        (409, {"NeutronError": {"type": "OverQuota", "message": "Quota exceeded for resources: ['port']."}}),
        (403, {"forbidden": {"message": "Resource servers is over limit of 10", "code": 403}}),
    ],
)
def test_quota_errors_are_distinguished_from_other_refusals(status: int, body: Any) -> None:
    assert type(classify(answered(status, body))) is errors.OverLimit


def test_a_forbidden_quota_change_is_not_an_exceeded_quota() -> None:
    words = "Policy doesn't allow os_compute_api:os-quota-sets:update to be performed."
    assert type(classify(answered(403, {"forbidden": {"message": words, "code": 403}}))) is errors.Forbidden


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "Not there.", "code": 404}},
        {"itemNotFound": {"message": "Not there.", "code": 404}},
        {"NeutronError": {"type": "NetworkNotFound", "message": "Not there.", "detail": ""}},
        {"faultcode": "Client", "faultstring": "Not there."},
        {"code": 404, "title": "Not Found", "error": {"type": "EntityNotFound", "message": "Not there."}},
        {"message": "Not there.", "code": "404 Not Found", "title": "Not Found"},
        {"message": "Not there.<br /><br />\n\n\n", "code": "404 Not Found", "title": "Not Found"},
        {"NeutronError": "Not there."},
    ],
)
def test_the_words_of_every_service_are_found(body: Any) -> None:
    assert classify(answered(404, body)).message == "Not there."


@pytest.mark.parametrize("body", [b"", b"<html>", [], "text", {}, {"error": None}])
def test_an_answer_without_words_has_some_nevertheless(body: Any) -> None:
    error = classify(answered(404, body))
    assert type(error) is errors.NotFound
    assert error.message


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (exceptions.ConnectFailure("x"), errors.Transient),
        (exceptions.ConnectTimeout("x"), errors.Transient),
        (exceptions.UnknownConnectionError("x", Exception()), errors.Transient),
        (exceptions.DiscoveryFailure("x"), errors.Transient),
        (exceptions.SSLError("x"), errors.Permanent),
        (exceptions.AuthorizationFailure("x"), errors.Unauthorized),
        (exceptions.EndpointNotFound("x"), errors.Permanent),
        (exceptions.MissingAuthPlugin("x"), errors.Permanent),
    ],
)
def test_what_never_reached_a_service_is_classified_too(raised: Exception, kind: type[CloudError]) -> None:
    error = classify(raised)
    assert type(error) is kind
    assert (error.message, error.request_id) == ("x", None)


def test_only_what_keystoneauth_raises_is_translated() -> None:
    with pytest.raises(errors.Conflict), translated():
        raise answered(409)
    with pytest.raises(KeyError), translated():
        raise KeyError


@pytest.mark.parametrize(
    "page",
    [
        b"<html><h1>It is not &quot;empty&quot;.</h1><hr><center>nginx/1.26.3</center></html>",
        b"<html><h1>Conflict</h1><p>It is not &quot;empty&quot;.</p></html>",
        b"<html>\n <body>\n  <h1>409 Conflict</h1>\n  It is not\n &quot;empty&quot;.<br /><br />\n </body></html>",
    ],
)
def test_a_page_is_read_below_its_heading(page: bytes) -> None:
    assert classify(answered(409, page)).message == 'It is not "empty".'


def test_only_the_beginning_of_a_large_page_is_read() -> None:
    """All of this one would take minutes."""
    message = classify(answered(502, b"<html><h1>Bad Gateway</h1>" + b"<" * 300_000)).message
    assert len(message) < 5000


def test_a_response_without_a_message_is_described_once() -> None:
    error = classify(answered(403, b""))

    assert error.traceable == "Forbidden (HTTP 403) (Request-ID: req-1)"
