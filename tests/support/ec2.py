"""EC2 keys, and requests that are signed with them as the clients of old sign: version 2 and older."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import quote, urlencode

import httpx2 as httpx
import yaml

from tests.support.server import Place


@dataclass(frozen=True)
class Keys:
    access: str
    secret: str
    address: str = ""
    """Where the identity service has them."""

    def revoke(self, server: Place, cloud: str = "calor") -> None:
        answer = httpx.delete(self.address, headers={"X-Auth-Token": server.token_of(cloud)[0]})
        assert answer.status_code == 204, answer.text


def new_keys(server: Place, cloud: str = "calor") -> Keys:
    """Keys of a user of the server's cloud, as `openstack ec2 credentials create` makes them."""
    auth = yaml.safe_load((server.state_dir / "clouds.yaml").read_text())["clouds"][cloud]["auth"]
    headers = {"X-Auth-Token": server.token_of(cloud)[0]}
    shown = httpx.get(
        f"{auth['auth_url']}/auth/tokens", headers={**headers, "X-Subject-Token": headers["X-Auth-Token"]}
    )
    token = shown.json()["token"]
    address = f"{auth['auth_url']}/users/{token['user']['id']}/credentials/OS-EC2"
    made = httpx.post(address, headers=headers, json={"tenant_id": token["project"]["id"]})
    credential = made.json()["credential"]
    return Keys(credential["access"], credential["secret"], f"{address}/{credential['access']}")


def timestamp(**ago: float) -> str:
    return (datetime.now(UTC) - timedelta(**ago)).strftime("%Y-%m-%dT%H:%M:%SZ")


def sign(
    keys: Keys, verb: str, url: str, params: Mapping[str, str], version: str = "2", **changed: str
) -> dict[str, str]:
    """The parameters with a signature."""
    parts = httpx.URL(url)
    given = {
        "AWSAccessKeyId": keys.access,
        "SignatureVersion": version,
        "Timestamp": timestamp(),
        **params,
        **changed,
    }
    given = {name: value for name, value in given.items() if value}
    match version:
        case "0":
            text, digest = given["Action"] + given["Timestamp"], hashlib.sha1
        case "1":
            text = "".join(
                name + value for name, value in sorted(given.items(), key=lambda one: one[0].lower())
            )
            digest = hashlib.sha1
        case _:
            given["SignatureMethod"] = "HmacSHA256"
            query = "&".join(
                f"{quote(name, safe='')}={quote(given[name], safe='')}" for name in sorted(given)
            )
            text = "\n".join((verb, parts.netloc.decode().lower(), parts.path or "/", query))
            digest = hashlib.sha256
    made = hmac.new(keys.secret.encode(), text.encode(), digest).digest()
    return {**given, "Signature": base64.b64encode(made).decode()}


def get(keys: Keys, url: str, version: str = "2", **params: str) -> httpx.Response:
    return httpx.get(url, params=sign(keys, "GET", url, params, version))


def post(keys: Keys, url: str, version: str = "2", **params: str) -> httpx.Response:
    headers = {"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"}
    return httpx.post(url, content=urlencode(sign(keys, "POST", url, params, version)), headers=headers)


def sign_v4(
    keys: Keys, verb: str, url: str, body: bytes, headers: Mapping[str, str], at: datetime | None = None
) -> dict[str, str]:
    """The headers with a signature of version 4, which is computed as AWS's SDKs do."""
    parts = httpx.URL(url)
    date = (at or datetime.now(UTC)).strftime("%Y%m%dT%H%M%SZ")
    given = {**{name.lower(): value for name, value in headers.items()}, "x-amz-date": date}
    signed = {**given, "host": parts.netloc.decode()}
    path = url.partition("?")[0].partition("://")[2].partition("/")[2]
    canonical = "\n".join(
        (
            verb,
            quote(f"/{path}", safe="/~"),
            "&".join(sorted(url.partition("?")[2].split("&"))),
            *(f"{name}:{signed[name]}" for name in sorted(signed)),
            "",
            ";".join(sorted(signed)),
            hashlib.sha256(body).hexdigest(),
        )
    )
    scope = f"{date[:8]}/RegionOne/cloudformation/aws4_request"
    text = "\n".join(("AWS4-HMAC-SHA256", date, scope, hashlib.sha256(canonical.encode()).hexdigest()))
    key = f"AWS4{keys.secret}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    proof = hmac.new(key, text.encode(), "sha256").hexdigest()
    credential = (
        f"Credential={keys.access}/{scope}, SignedHeaders={';'.join(sorted(signed))}, Signature={proof}"
    )
    return {**given, "authorization": f"AWS4-HMAC-SHA256 {credential}"}
