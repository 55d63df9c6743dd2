"""The CFN API of a server: every signature that EC2 clients make, checked by the embedded identity service."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlencode

import httpx2 as httpx
import pytest
import yaml

from tests.support.ec2 import Keys, get, new_keys, post, sign, sign_v4, timestamp
from tests.support.server import Server, free_port, until

TEMPLATE = json.dumps(
    {"heat_template_version": "2021-04-16", "resources": {"a": {"type": "OS::Heat::RandomString"}}}
)


@pytest.fixture(scope="module")
def keys(server: Server) -> Keys:
    return new_keys(server)


@pytest.fixture(scope="module")
def url(server: Server) -> str:
    return f"http://127.0.0.1:{server.port + 1}/v1/"


@pytest.mark.parametrize("send", [get, post])
def test_signatures_of_version_2(keys: Keys, url: str, send: Any) -> None:
    answer = send(keys, url, "2", Action="ListStacks")
    assert (answer.status_code, answer.text[:20]) == (200, "<ListStacksResponse>"), answer.text


def test_version_3_is_none_that_identity_services_know(keys: Keys, url: str) -> None:
    assert get(keys, url, "3", Action="ListStacks").status_code == 403


@pytest.mark.parametrize("verb", ["GET", "POST"])
def test_signatures_of_version_4(keys: Keys, url: str, verb: str) -> None:
    fields = urlencode({"Action": "ListStacks"})
    address, body = (f"{url}?{fields}", b"") if verb == "GET" else (url, fields.encode())
    headers = {"Content-Type": "application/x-www-form-urlencoded"} if body else {}
    signed = sign_v4(keys, verb, address, body, headers)
    answer = httpx.request(verb, address, content=body, headers=signed)
    assert answer.status_code == 200, answer.text
    forged = httpx.request(
        verb, address.replace("ListStacks", "DescribeStacks"), content=body + b"&x=1", headers=signed
    )
    assert forged.status_code == 403


def test_a_token_does_as_well(server: Server, url: str) -> None:
    headers = {"X-Auth-Token": server.token()[0]}
    assert httpx.get(f"{url}?Action=ListStacks", headers=headers).status_code == 200


def test_a_stack_is_created_with_a_signature(keys: Keys, url: str) -> None:
    """The engine acts for the signer, whose token comes from the signature."""
    made = post(keys, url, Action="CreateStack", StackName="signed", TemplateBody=TEMPLATE)
    assert made.status_code == 200, made.text
    until(lambda: "CREATE_COMPLETE" in get(keys, url, Action="DescribeStacks", StackName="signed").text)
    assert post(keys, url, Action="DeleteStack", StackName="signed").status_code == 200


def test_the_catalog_knows_the_api(server: Server, url: str) -> None:
    auth = yaml.safe_load((server.state_dir / "clouds.yaml").read_text())["clouds"]["calor"]["auth"]
    headers = {"X-Auth-Token": server.token()[0]}
    catalog = httpx.get(f"{auth['auth_url']}/auth/catalog", headers=headers).json()["catalog"]
    (entry,) = [one for one in catalog if one["type"] == "cloudformation"]
    assert {one["url"] for one in entry["endpoints"]} == {url.rstrip("/")}


class TestStandalone:
    """With this flavour, signatures are the only way in."""

    @pytest.fixture(scope="class")
    @classmethod
    def standalone(cls, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
        folder = tmp_path_factory.mktemp("standalone")
        (folder / "calor.conf").write_text("[paste_deploy]\nflavor = standalone\n")
        made = Server(folder / "state", free_port(), folder / "calor.conf")
        made.ready()
        yield made
        made.stop()

    def test_signatures_only(self, standalone: Server) -> None:
        url = f"http://127.0.0.1:{standalone.port + 1}/v1/"
        assert get(new_keys(standalone), url, Action="ListStacks").status_code == 200
        headers = {"X-Auth-Token": standalone.token()[0]}
        answer = httpx.get(f"{url}?Action=ListStacks", headers=headers)
        assert (answer.status_code, "IncompleteSignature" in answer.text) == (400, True)


def test_a_price_list_has_to_be_valid(tmp_path: Path) -> None:
    (tmp_path / "prices.yaml").write_text("servers: {a: cheap}\n")
    (tmp_path / "calor.conf").write_text("[calor]\nprice_list = prices.yaml\n")
    server = Server(tmp_path / "state", free_port(), tmp_path / "calor.conf")
    assert server.process.wait(60) != 0
    assert "the price of a must be a number of at least 0" in server.output()


class TestSignals:
    """Of a wait condition, with URLs that its own user signs and in the forms that old scripts have."""

    @pytest.fixture
    def handle(self, server: Server) -> Iterator[Handle]:
        made = Handle(server)
        yield made
        made.api.delete(made.path)

    def test_signed_like_the_urls_of_old(self, handle: Handle) -> None:
        """With an ARN that is not quoted, a timestamp, and parameters in any order."""
        for purpose, verb in (("waitcondition", "PUT"), ("signal", "POST")):
            url = f"{handle.base}/{purpose}/{handle.arn}"
            given = sign(handle.keys, verb, url, {"SignatureMethod": "HmacSHA256"})
            order = ("Timestamp", "SignatureMethod", "AWSAccessKeyId", "SignatureVersion", "Signature")
            query = "&".join(f"{name}={quote(given[name], safe=':')}" for name in order)
            answer = httpx.request(verb, f"{url}?{query}", content=handle.success(purpose))
            assert answer.status_code == 200, answer.text
        until(handle.complete)

    @pytest.mark.parametrize("quoted", [True, False])
    def test_signed_with_version_4(self, handle: Handle, quoted: bool) -> None:
        arn = quote(handle.arn, safe="") if quoted else handle.arn
        for purpose, verb in (("waitcondition", "PUT"), ("signal", "POST")):
            url, body = f"{handle.base}/{purpose}/{arn}", handle.success(purpose)
            answer = httpx.request(verb, url, content=body, headers=sign_v4(handle.keys, verb, url, body, {}))
            assert answer.status_code == 200, answer.text
        until(handle.complete)

    def test_in_a_url_that_has_expired(self, handle: Handle) -> None:
        url = f"{handle.base}/waitcondition/{handle.arn}"
        old = sign(handle.keys, "PUT", url, {}, Timestamp=timestamp(minutes=20))
        answer = httpx.put(url, params=old, content=handle.success("x"))
        assert (answer.status_code, "AccessDenied" in answer.text) == (403, True)
        ended = sign(handle.keys, "PUT", url, {}, Expires=timestamp(seconds=5))
        answer = httpx.put(url, params=ended, content=handle.success("x"))
        assert (answer.status_code, "RequestExpired" in answer.text) == (400, True)

    def test_the_server_reads_its_metadata_with_the_same_keys(self, handle: Handle) -> None:
        httpx.put(handle.url, content=handle.success("1"))
        answer = get(
            handle.keys,
            f"{handle.base}/",
            Action="DescribeStackResource",
            StackName=handle.path.split("/")[2],
            LogicalResourceId="handle",
            ContentType="JSON",
        )
        assert answer.status_code == 200, answer.text
        detail = answer.json()["DescribeStackResourceResponse"]["DescribeStackResourceResult"]
        assert set(detail["StackResourceDetail"]["Metadata"]) == {"1"}


class Handle:
    """The handle of a wait condition that waits for two signals, and the keys of its user."""

    def __init__(self, server: Server) -> None:
        self.api = server.api()
        name = f"waits-{free_port()}"
        body = {"stack_name": name, "template": WAITING}
        self.path = f"/stacks/{name}/" + self.api.post("/stacks", json=body).json()["stack"]["id"]
        self.url = str(until(self._found_url))
        address, _, given = self.url.partition("?")
        self.base, _, arn = address.rpartition("/waitcondition/")
        self.arn = unquote(arn)
        access = dict(pair.split("=", 1) for pair in given.split("&"))["AWSAccessKeyId"]
        self.keys = Keys(access, secret_of(server, access))

    def _found_url(self) -> Any:
        shown = self.api.get(f"{self.path}/resources/url").json().get("resource", {})
        return (shown.get("attributes") or {}).get("value")

    @staticmethod
    def success(id: str) -> bytes:
        return json.dumps({"Status": "SUCCESS", "Reason": "done", "UniqueId": id, "Data": "d"}).encode()

    def complete(self) -> bool:
        return bool(self.api.get(self.path).json()["stack"]["stack_status"] == "CREATE_COMPLETE")


WAITING = {
    "HeatTemplateFormatVersion": "2012-12-12",
    "Resources": {
        "handle": {"Type": "AWS::CloudFormation::WaitConditionHandle"},
        "url": {"Type": "OS::Heat::Value", "Properties": {"value": {"Ref": "handle"}}},
        "wait": {
            "Type": "AWS::CloudFormation::WaitCondition",
            "Properties": {"Handle": {"Ref": "handle"}, "Count": "2", "Timeout": "120"},
        },
    },
}


def secret_of(server: Server, access: str) -> str:
    """The secret of the keys of a stack's user, of which only the administrator of the cloud knows."""
    auth = yaml.safe_load((server.state_dir / "clouds.yaml").read_text())["clouds"]["calor-admin"]["auth"]
    headers = {"X-Auth-Token": server.token_of("calor-admin")[0]}
    found = httpx.get(f"{auth['auth_url']}/credentials", headers=headers).json()["credentials"]
    blobs = [json.loads(one["blob"]) for one in found if one["type"] == "ec2"]
    return str(next(one["secret"] for one in blobs if one["access"] == access))
