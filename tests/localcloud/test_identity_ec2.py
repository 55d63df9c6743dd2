"""EC2 credentials, and tokens for requests signed with them."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import Any
from urllib.parse import quote

import pytest

from calor.localcloud.identity.signatures import SignedRequest, is_genuine
from tests.support.cloud import SUBJECT, Cloud

HOST = "heat.example.org:8000"


@pytest.fixture
def keys(cloud: Cloud) -> dict[str, Any]:
    path = f"/users/{cloud.id_of('users', 'demo')}/credentials/OS-EC2"
    answer = cloud.post(path, {"tenant_id": cloud.id_of("projects", "demo")}, as_user="demo")
    assert answer.status_code == 201
    made: dict[str, Any] = answer.json()["credential"]
    return made


def exchange(cloud: Cloud, signed: dict[str, Any]) -> Any:
    return cloud.post("/ec2tokens", {"ec2Credentials": signed}, as_user="heat")


def mac(secret: str, text: str, digest: str) -> str:
    return base64.b64encode(hmac.digest(secret.encode(), text.encode(), digest)).decode()


def signed_v2(
    keys: dict[str, Any], host: str = HOST, digest: str = "sha256", **params: str
) -> dict[str, Any]:
    params |= {
        "AWSAccessKeyId": keys["access"],
        "Action": "ListStacks",
        "Version": "2010-05-15",
        "SignatureVersion": "2",
        "SignatureMethod": f"Hmac{digest.upper()}",
    }
    query = "&".join(f"{quote(key, safe='-_.~')}={quote(params[key], safe='-_.~')}" for key in sorted(params))
    return {
        "access": keys["access"],
        "signature": mac(keys["secret"], f"GET\n{host}\n/v1\n{query}", digest),
        "host": HOST,
        "verb": "GET",
        "path": "/v1",
        "params": params,
        "headers": {},
        "body_hash": hashlib.sha256(b"").hexdigest(),
    }


def signed_v4(keys: dict[str, Any], date: str, host: str = HOST) -> dict[str, Any]:
    body_hash = hashlib.sha256(b"Action=ListStacks").hexdigest()
    headers = {"Host": HOST, "X-Amz-Date": date, "Content-Type": "text/plain"}
    names = "content-type;host;x-amz-date"
    canonical = (
        f"POST\n/v1\n\ncontent-type:text/plain\nhost:{host}\nx-amz-date:{date}\n\n{names}\n{body_hash}"
    )
    scope = f"{date[:8]}/RegionOne/cloudformation/aws4_request"
    to_sign = f"AWS4-HMAC-SHA256\n{date}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    key = f"AWS4{keys['secret']}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.digest(key, to_sign.encode(), "sha256").hex()
    headers["Authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={keys['access']}/{scope}, SignedHeaders={names}, Signature={signature}"
    )
    return {
        "access": keys["access"],
        "signature": signature,
        "host": HOST,
        "verb": "POST",
        "path": "/v1",
        "params": {},
        "headers": headers,
        "body_hash": body_hash,
    }


@pytest.mark.parametrize("digest", ["sha1", "sha256"])
@pytest.mark.parametrize("host", [HOST, "heat.example.org"])
def test_a_version_2_signature_gets_a_token_of_its_user(
    cloud: Cloud, keys: dict[str, Any], host: str, digest: str
) -> None:
    answer = exchange(cloud, signed_v2(keys, host, digest))
    assert answer.status_code == 200, answer.text
    token = answer.json()["token"]
    assert (token["user"]["name"], token["project"]["name"]) == ("demo", "demo")
    assert token["methods"] == ["ec2credential"]
    assert cloud.is_valid(answer.headers[SUBJECT])


def test_a_version_0_signature_gets_a_token(cloud: Cloud, keys: dict[str, Any]) -> None:
    """It covers the action and the time, as in Keystone."""
    date = cloud.clock().strftime("%Y-%m-%dT%H:%M:%SZ")
    params = {"Action": "ListStacks", "Timestamp": date, "SignatureVersion": "0"}
    signature = mac(keys["secret"], f"ListStacks{date}", "sha1")
    signed = {"access": keys["access"], "signature": signature, "params": params}
    assert exchange(cloud, signed).status_code == 200
    assert exchange(cloud, {**signed, "params": {**params, "Action": "DeleteStack"}}).status_code == 401


def test_a_version_1_signature_gets_a_token(cloud: Cloud, keys: dict[str, Any]) -> None:
    params = {"AWSAccessKeyId": keys["access"], "action": "ListStacks", "SignatureVersion": "1"}
    text = f"actionListStacksAWSAccessKeyId{keys['access']}SignatureVersion1"
    signed = {"access": keys["access"], "signature": mac(keys["secret"], text, "sha1"), "params": params}
    assert exchange(cloud, signed).status_code == 200


@pytest.mark.parametrize("host", [HOST, "heat.example.org"])
def test_a_version_4_signature_gets_a_token(cloud: Cloud, keys: dict[str, Any], host: str) -> None:
    date = cloud.clock().strftime("%Y%m%dT%H%M%SZ")
    signed = signed_v4(keys, date, host)
    assert exchange(cloud, signed).status_code == 200
    assert exchange(cloud, {**signed, "body_hash": "0" * 64}).status_code == 401


def test_the_published_example_of_version_4() -> None:
    """The example in the description of the algorithm: a request to list users."""
    request = SignedRequest(
        signature="5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7",
        verb="GET",
        host="iam.amazonaws.com",
        path="/",
        params={"Action": "ListUsers", "Version": "2010-05-08"},
        headers={
            "Authorization": "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, "
            "SignedHeaders=content-type;host;x-amz-date, Signature=x",
            "Content-Type": "application/x-www-form-urlencoded; charset=utf-8",
            "X-Amz-Date": "20150830T123600Z",
        },
    )
    assert is_genuine(request, "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")


def test_tampered_requests_are_rejected(cloud: Cloud, keys: dict[str, Any]) -> None:
    signed = signed_v2(keys)
    changes: tuple[dict[str, Any], ...] = (
        {"signature": "AAAA"},
        {"verb": "POST"},
        {"path": "/v2"},
        {"host": "elsewhere"},
        {"access": "unknown"},
        {"params": {**signed["params"], "Action": "DeleteStack"}},
        {"params": {}},
    )
    for change in changes:
        assert exchange(cloud, {**signed, **change}).status_code == 401


def test_signatures_expire(cloud: Cloud, keys: dict[str, Any]) -> None:
    now = cloud.clock().strftime("%Y-%m-%dT%H:%M:%SZ")
    signed = signed_v2(keys, Timestamp=now)
    assert exchange(cloud, signed).status_code == 200
    cloud.clock.advance(minutes=16)
    assert exchange(cloud, signed).status_code == 401


@pytest.mark.parametrize("written", ["soon", "2030-13-01T00:00:00Z", "0"])
def test_signatures_with_an_invalid_time_are_rejected(
    cloud: Cloud, keys: dict[str, Any], written: str
) -> None:
    assert exchange(cloud, signed_v2(keys, Timestamp=written)).status_code == 401
    assert exchange(cloud, {**signed_v2(keys), "headers": {"X-Amz-Date": written}}).status_code == 401
    assert exchange(cloud, {**signed_v2(keys), "headers": {"Date": written}}).status_code == 200


def test_only_services_exchange_signatures(cloud: Cloud, keys: dict[str, Any]) -> None:
    body = {"ec2Credentials": signed_v2(keys)}
    assert cloud.post("/ec2tokens", body, as_user="demo").status_code == 403
    assert cloud.client.post("/identity/v3/ec2tokens", json=body).status_code == 401


def test_keys_are_listed_shown_and_deleted(cloud: Cloud, keys: dict[str, Any]) -> None:
    path = f"/users/{keys['user_id']}/credentials/OS-EC2"
    assert cloud.get(path, as_user="demo").json()["credentials"] == [keys]
    assert cloud.get(f"{path}/{keys['access']}", as_user="demo").json()["credential"] == keys
    assert cloud.request("DELETE", f"{path}/{keys['access']}", as_user="demo").status_code == 204
    assert cloud.get(f"{path}/{keys['access']}", as_user="demo").status_code == 404
    assert exchange(cloud, signed_v2(keys)).status_code == 401


def test_users_create_keys_for_themselves_and_admins_for_all(cloud: Cloud) -> None:
    demo, admin = cloud.id_of("users", "demo"), cloud.id_of("users", "admin")
    elsewhere = {"tenant_id": cloud.id_of("projects", "admin")}
    assert cloud.post(f"/users/{admin}/credentials/OS-EC2", {}, as_user="demo").status_code == 403
    assert cloud.post(f"/users/{demo}/credentials/OS-EC2", elsewhere, as_user="demo").status_code == 403
    assert cloud.post(f"/users/{demo}/credentials/OS-EC2", elsewhere).status_code == 201


def test_a_key_needs_a_role_in_its_project(cloud: Cloud) -> None:
    demo = cloud.id_of("users", "demo")
    made = cloud.post(f"/users/{demo}/credentials/OS-EC2", {"tenant_id": cloud.id_of("projects", "admin")})
    assert exchange(cloud, signed_v2(made.json()["credential"])).status_code == 401


def test_credentials_of_type_ec2_work_as_keys(cloud: Cloud) -> None:
    project, user = cloud.id_of("projects", "demo"), cloud.id_of("users", "demo")
    keys = {"access": "my access", "secret": "my secret"}
    body = {"type": "ec2", "blob": json.dumps(keys), "project_id": project, "user_id": user}
    made = cloud.make("/credentials", "credential", **body)
    assert made["id"] == hashlib.sha256(b"my access").hexdigest()
    assert exchange(cloud, signed_v2(keys)).status_code == 200
    assert cloud.post("/credentials", {"credential": body}).status_code == 409
    for broken in ({"project_id": None}, {"blob": "no json"}, {"blob": "[]"}, {"blob": '{"access": 3}'}):
        assert cloud.post("/credentials", {"credential": {**body, **broken}}).status_code == 400
    changed = cloud.request(
        "PATCH", f"/credentials/{made['id']}", {"credential": {"blob": json.dumps({**keys, "secret": "new"})}}
    )
    assert changed.status_code == 200
    assert exchange(cloud, signed_v2(keys)).status_code == 401
    assert exchange(cloud, signed_v2({**keys, "secret": "new"})).status_code == 200


def test_credentials_of_other_types(cloud: Cloud) -> None:
    body = {"credential": {"type": "cert", "blob": "anything"}}
    made = cloud.post("/credentials", body, as_user="demo").json()["credential"]
    assert made["user_id"] == cloud.id_of("users", "demo")
    cloud.user("eve", "member")
    path = f"/credentials/{made['id']}"
    assert cloud.get(path, as_user="demo").json()["credential"] == made
    assert cloud.get(path, as_user="eve").status_code == 403
    assert cloud.get("/credentials?type=cert", as_user="eve").json()["credentials"] == []
    assert cloud.get("/credentials?type=cert", as_user="demo").json()["credentials"] == [made]
    assert cloud.request("DELETE", path, as_user="eve").status_code == 403
    assert cloud.request("DELETE", path, as_user="demo").status_code == 204
    assert cloud.get(path, as_user="demo").status_code == 404
