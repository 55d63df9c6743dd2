"""Version 2 signatures and pre-signed URLs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest

from calor.clouds.signing import KeyPair, Purpose, presigned_url, signature, string_to_sign

KEYS = KeyPair("an access", "a secret")
ARN = "arn:openstack:heat::abc:stacks/web/1234/resources/scale up"
NOON = datetime(2024, 5, 6, 12, tzinfo=UTC)


def test_a_published_signature_is_computed_alike() -> None:
    """The example in the description of the algorithm: a request to list job flows."""
    params = {
        "AWSAccessKeyId": "AKIAIOSFODNN7EXAMPLE",
        "Action": "DescribeJobFlows",
        "SignatureMethod": "HmacSHA256",
        "SignatureVersion": "2",
        "Timestamp": "2011-10-03T15:19:30",
        "Version": "2009-03-31",
    }
    signed = string_to_sign("get", "elasticmapreduce.AMAZONAWS.com", "", params)
    assert signed.startswith("GET\nelasticmapreduce.amazonaws.com\n/\nAWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&")
    secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
    assert signature(secret, signed) == "i91nKc4PWAt0JJIdXwz9HxZCJDdiy6cf/Mj6vPxyYIs="


def test_parameters_are_sorted_by_byte_and_quoted() -> None:
    signed = string_to_sign("GET", "h", "/", {"b": "x y/z~", "a": "ü", "B": "*"})
    assert signed.splitlines()[-1] == "B=%2A&a=%C3%BC&b=x%20y%2Fz~"


@pytest.mark.parametrize(("purpose", "verb"), [("signal", "POST"), ("waitcondition", "PUT")])
def test_a_url_has_the_arn_quoted_and_is_signed_over_it_unquoted(purpose: Purpose, verb: str) -> None:
    url = urlsplit(presigned_url("http://CFN.example.org:8000/v1/", ARN, purpose, KEYS))
    assert url.netloc == "CFN.example.org:8000"
    quoted = "arn%3Aopenstack%3Aheat%3A%3Aabc%3Astacks%2Fweb%2F1234%2Fresources%2Fscale%20up"
    assert url.path == f"/v1/{purpose}/{quoted}"
    params = dict(parse_qsl(url.query, strict_parsing=True))
    given = params.pop("Signature")
    assert params == {
        "AWSAccessKeyId": "an access",
        "SignatureMethod": "HmacSHA256",
        "SignatureVersion": "2",
    }
    signed = string_to_sign(verb, "cfn.example.org:8000", unquote(url.path), params)
    assert f"\n/v1/{purpose}/{ARN}\n" in signed
    assert given == signature("a secret", signed)


def test_a_url_that_never_expires_is_always_the_same() -> None:
    assert presigned_url("http://h/v1", ARN, "signal", KEYS) == presigned_url(
        "http://h/v1", ARN, "signal", KEYS
    )


def test_a_time_is_formatted_in_utc_and_signed() -> None:
    local = NOON.astimezone(timezone(timedelta(hours=5)))
    url = presigned_url("http://h/v1", ARN, "signal", KEYS, local)
    assert "&Timestamp=2024-05-06T12%3A00%3A00Z&" in url
    later = presigned_url("http://h/v1", ARN, "signal", KEYS, NOON + timedelta(seconds=1))
    assert url.partition("&Signature=")[2] != later.partition("&Signature=")[2]


@pytest.mark.parametrize(
    ("written", "sent"),
    [("http://h:80", "http://h"), ("https://h:443", "https://h"), ("http://[::1]:80", "http://[::1]")],
)
def test_a_port_that_clients_leave_out_is_not_signed(written: str, sent: str) -> None:
    signatures = [
        presigned_url(base, ARN, "signal", KEYS).partition("&Signature=")[2] for base in (written, sent)
    ]
    assert signatures[0] == signatures[1]
    other = presigned_url("https://h:80", ARN, "signal", KEYS).partition("&Signature=")[2]
    assert other not in signatures


def test_secrets_are_not_shown() -> None:
    assert "a secret" not in repr(KEYS)
