"""EC2 signatures: claims, and verification by the identity service."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from uuid import uuid4

import pytest

from calor.clouds import errors
from calor.clouds.ec2 import Claim, ReceivedRequest, Signer, claim_of, signed_paths, signer_of, token_request
from calor.clouds.sessions import Cloud, access_of
from calor.clouds.signing import KeyPair, presigned_url, signature, string_to_sign
from calor.clouds.stack_users import StackUser, StackUsers

HOST = "CFN.example.org:8000"
ARN = "arn:openstack:heat::abc:stacks/web/1234/resources/handle"
AUTHORIZATION = (
    "AWS4-HMAC-SHA256 Credential=key/20240506/r/s/aws4_request, SignedHeaders=host, Signature=proof"
)


def received(url: str, verb: str) -> ReceivedRequest:
    parts = urlsplit(url)
    return ReceivedRequest(verb, parts.netloc, parts.path, dict(parse_qsl(parts.query)))


def ask(cloud: Cloud, request: ReceivedRequest) -> Signer:
    claim = claim_of(request)
    assert claim
    return signer_of(cloud, request, claim)


@pytest.fixture(scope="module")
def user(cloud: Cloud) -> StackUser:
    users = StackUsers(cloud)
    return users.create_user(uuid4().hex, users.create_project("abc", uuid4().hex))


@pytest.fixture(scope="module")
def keys(cloud: Cloud, user: StackUser) -> KeyPair:
    return StackUsers(cloud).create_keys(user.id, user.password, user.project_id)


class TestClaims:
    @pytest.mark.parametrize(
        ("parts", "claim"),
        [
            ({"query": {"AWSAccessKeyId": "key", "Signature": "proof"}}, Claim("key", "proof", False)),
            ({"form": {"AWSAccessKeyId": "key", "Signature": "proof"}}, Claim("key", "proof", False)),
            (
                {"query": {"X-Amz-Credential": "key/20240506/r/s/aws4_request", "X-Amz-Signature": "proof"}},
                Claim("key", "proof", True),
            ),
            ({"headers": {"authorization": AUTHORIZATION}}, Claim("key", "proof", True)),
            ({"headers": {"Authorization": AUTHORIZATION}}, Claim("key", "proof", True)),
            ({}, None),
            ({"query": {"AWSAccessKeyId": "key"}}, None),
            ({"query": {"Signature": "proof"}}, None),
            ({"headers": {"Authorization": "Basic Credential=a, Signature=b"}}, None),
            ({"headers": {"Authorization": "AWS4-HMAC-SHA256 nonsense"}}, None),
        ],
    )
    def test_they_are_found_wherever_they_are_put(
        self, parts: dict[str, dict[str, str]], claim: Claim | None
    ) -> None:
        assert claim_of(ReceivedRequest("GET", HOST, "/v1", **parts)) == claim  # type: ignore[arg-type]


class TestWhatTheIdentityServiceIsTold:
    def test_the_request_without_its_signature(self) -> None:
        request = ReceivedRequest(
            "post",
            HOST,
            "/v1/a%3Ab",
            {"AWSAccessKeyId": "key", "Signature": "proof"},
            {"Action": "ListStacks"},
            {"x-amz-date": "now"},
            b"Action=ListStacks",
        )
        claim = claim_of(request)
        assert claim
        assert token_request(request, claim) == {
            "ec2Credentials": {
                "access": "key",
                "signature": "proof",
                "host": "cfn.example.org:8000",
                "verb": "POST",
                "path": "/v1/a:b",
                "params": {"AWSAccessKeyId": "key", "Action": "ListStacks"},
                "headers": {"X-Amz-Date": "now"},
                "body_hash": hashlib.sha256(b"Action=ListStacks").hexdigest(),
            }
        }

    def test_in_version_4_a_form_is_but_a_body(self) -> None:
        request = ReceivedRequest(
            "POST",
            HOST,
            "/v1",
            {"X-Amz-Signature": "proof", "X-Amz-Credential": "key/x", "a": "b"},
            {"Action": "ListStacks"},
        )
        claim = claim_of(request)
        assert claim
        reported = token_request(request, claim)["ec2Credentials"]
        assert reported["params"] == {"X-Amz-Credential": "key/x", "a": "b"}

    @pytest.mark.parametrize(
        ("path", "version_4", "paths"),
        [
            ("/v1/", True, ("/v1/",)),
            ("/v1/a%3Ab", False, ("/v1/a:b",)),
            ("/v1/a%3Ab", True, ("/v1/a:b", "/v1/a%253Ab")),
            ("/v1/a:b", True, ("/v1/a:b", "/v1/a%3Ab")),
        ],
    )
    def test_in_version_4_the_path_may_be_quoted_once_more(
        self, path: str, version_4: bool, paths: tuple[str, ...]
    ) -> None:
        claim = Claim("key", "proof", version_4)
        assert signed_paths(ReceivedRequest("PUT", HOST, path), claim) == paths


class TestSigners:
    def test_a_presigned_url_authenticates_its_user(
        self, cloud: Cloud, user: StackUser, keys: KeyPair
    ) -> None:
        url = presigned_url(f"http://{HOST}/v1", ARN, "waitcondition", keys)
        signer = ask(cloud, received(url, "PUT"))
        assert signer.details["user"]["id"] == user.id
        assert signer.details["project"]["id"] == user.project_id
        assert access_of(cloud.with_token(signer.token)).user_id == user.id

    def test_a_presigned_url_is_for_one_verb_and_one_resource(self, cloud: Cloud, keys: KeyPair) -> None:
        request = received(presigned_url(f"http://{HOST}/v1", ARN, "signal", keys), "POST")
        ask(cloud, request)
        for changed in (
            replace(request, verb="PUT"),
            replace(request, path=request.path + "2"),
            replace(request, host="elsewhere"),
            replace(request, query={**request.query, "AWSAccessKeyId": "unknown"}),
            replace(request, query={**request.query, "Signature": "guessed"}),
        ):
            with pytest.raises(errors.Unauthorized):
                ask(cloud, changed)

    def test_a_presigned_url_with_a_time_expires(self, cloud: Cloud, keys: KeyPair) -> None:
        now = datetime.now(UTC)
        ask(cloud, received(presigned_url(f"http://{HOST}/v1", ARN, "signal", keys, now), "POST"))
        old = presigned_url(f"http://{HOST}/v1", ARN, "signal", keys, now - timedelta(hours=1))
        with pytest.raises(errors.Unauthorized):
            ask(cloud, received(old, "POST"))

    def test_a_form_signed_with_version_2(self, cloud: Cloud, user: StackUser, keys: KeyPair) -> None:
        form = {"Action": "ListStacks", "AWSAccessKeyId": keys.access, "SignatureVersion": "2"}
        form["SignatureMethod"] = "HmacSHA256"
        form["Signature"] = signature(keys.secret, string_to_sign("POST", HOST, "/v1", form))
        signer = ask(cloud, ReceivedRequest("POST", HOST, "/v1", form=form, body=b"what the form was"))
        assert signer.details["user"]["id"] == user.id

    @pytest.mark.parametrize("in_header", [True, False])
    def test_version_4(self, cloud: Cloud, user: StackUser, keys: KeyPair, in_header: bool) -> None:
        signer = ask(cloud, signed_v4(keys, in_header))
        assert signer.details["user"]["id"] == user.id
        with pytest.raises(errors.Unauthorized):
            ask(cloud, signed_v4(KeyPair(keys.access, "guessed"), in_header))

    def test_a_disabled_user_cannot_sign(self, cloud: Cloud) -> None:
        users = StackUsers(cloud)
        user = users.create_user(uuid4().hex, users.create_project("abc", uuid4().hex))
        keys = users.create_keys(user.id, user.password, user.project_id)
        request = received(presigned_url(f"http://{HOST}/v1", ARN, "signal", keys), "POST")
        ask(cloud, request)
        users.enable_user(user.id, False)
        with pytest.raises(errors.Unauthorized):
            ask(cloud, request)

    def test_that_the_service_account_may_not_ask_is_not_the_fault_of_the_signer(
        self, keys: KeyPair, account_of: Callable[[str], Cloud]
    ) -> None:
        request = received(presigned_url(f"http://{HOST}/v1", ARN, "signal", keys), "POST")
        with pytest.raises(errors.Permanent):
            ask(account_of("demo"), request)

    def test_that_the_service_account_is_refused_is_not_either(self, cloud: Cloud, keys: KeyPair) -> None:
        request = received(presigned_url(f"http://{HOST}/v1", ARN, "signal", keys), "POST")
        with pytest.raises(errors.Permanent):
            ask(Cloud(replace(cloud.account, password="forgotten")), request)

    def test_a_bad_signature_does_not_make_the_service_account_log_in(
        self, running: Any, keys: KeyPair
    ) -> None:
        cloud = Cloud(running.account)
        before = cloud.service.get_token()
        bad = presigned_url(f"http://{HOST}/v1", ARN, "signal", KeyPair(keys.access, "guessed"))
        with pytest.raises(errors.Unauthorized):
            ask(cloud, received(bad, "POST"))
        assert cloud.service.get_token() == before

    def test_a_revoked_token_of_the_service_account_is_replaced(
        self, running: Any, user: StackUser, keys: KeyPair
    ) -> None:
        cloud = Cloud(running.account)
        token = cloud.service.get_token()
        assert token
        revoking = cloud.identity(Cloud(running.account).service)
        revoking.send("DELETE", "/auth/tokens", headers={"X-Subject-Token": token})
        request = received(presigned_url(f"http://{HOST}/v1", ARN, "signal", keys), "POST")
        assert ask(cloud, request).details["user"]["id"] == user.id

    def test_tokens_are_not_shown(self) -> None:
        assert "a token" not in repr(Signer("a token", {}))


def signed_v4(keys: KeyPair, in_header: bool) -> ReceivedRequest:
    """A list of stacks, asked for with a signature of version 4."""
    date = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    scope = f"{date[:8]}/RegionOne/cloudformation/aws4_request"
    query, headers = {"Action": "ListStacks"}, {"host": HOST.lower()}
    if in_header:
        headers["x-amz-date"] = date
    else:
        query |= {
            "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
            "X-Amz-Credential": f"{keys.access}/{scope}",
            "X-Amz-Date": date,
            "X-Amz-SignedHeaders": "host",
        }
    written = "&".join(f"{key}={query[key].replace('/', '%2F')}" for key in sorted(query))
    signed = ";".join(sorted(headers))
    lines = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
    canonical = f"GET\n/v1\n{written}\n{lines}\n{signed}\n{hashlib.sha256(b'').hexdigest()}"
    to_sign = f"AWS4-HMAC-SHA256\n{date}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    key = f"AWS4{keys.secret}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    proof = hmac.digest(key, to_sign.encode(), "sha256").hex()
    if in_header:
        credential = f"Credential={keys.access}/{scope}"
        headers["authorization"] = f"AWS4-HMAC-SHA256 {credential}, SignedHeaders={signed}, Signature={proof}"
    else:
        query["X-Amz-Signature"] = proof
    return ReceivedRequest("GET", HOST, "/v1", query, headers=headers)
