"""A large object gives nobody more rights over its segments than they have anyway."""

from __future__ import annotations

import hmac
import json
from typing import Any

import pytest

from tests.support.cloud import Cloud
from tests.support.storage import Speaker, add_other, object_speaker

SECRET = b"top secret"
SEGMENTS = json.dumps([{"path": "/private/secret"}]).encode()
PUT = "?multipart-manifest=put"
DELETE = "?multipart-manifest=delete"
DYNAMIC = {"X-Object-Manifest": "private/s"}


@pytest.fixture
def owner(cloud: Cloud) -> Speaker:
    speaker = object_speaker(cloud)
    add_other(cloud)
    others = f"{cloud.id_of('projects', 'other')}:*"
    allow(speaker, "private")
    allow(speaker, "drop", X_Container_Write=others)
    allow(speaker, "share", X_Container_Write=others, X_Container_Read=others)
    assert speaker("PUT", "/private/secret", content=SECRET).status_code == 201
    return speaker


@pytest.fixture
def guest(owner: Speaker) -> Speaker:
    """Somebody of another project, whom the owner lets write to two of the three containers."""
    return Speaker(owner.cloud, owner.root, "other", "other")


def allow(owner: Speaker, name: str, **headers: str) -> None:
    sent = {header.replace("_", "-"): value for header, value in headers.items()}
    assert owner("PUT", f"/{name}", headers=sent).status_code in (201, 202)


def secret_of(owner: Speaker) -> bytes:
    content: bytes = owner("GET", "/private/secret").content
    return content


class TestGuests:
    def test_they_make_no_large_object_of_what_they_may_not_read(
        self, owner: Speaker, guest: Speaker
    ) -> None:
        assert guest("PUT", f"/drop/s{PUT}", content=SEGMENTS).status_code == 400
        missing = guest("PUT", f"/drop/s{PUT}", content=SEGMENTS.replace(b"secret", b"missing"))
        assert "404" not in missing.text
        assert guest("PUT", "/drop/d", content=b"", headers=DYNAMIC).status_code == 403
        assert guest("PUT", "/drop/n", content=b"", headers={"X-Object-Manifest": "new/s"}).status_code == 403
        assert guest("PUT", "/drop/o", content=b"").status_code == 201
        assert guest("POST", "/drop/o", headers=DYNAMIC).status_code == 403
        assert owner("GET", "/drop").text == "o\n"

    def test_they_do_not_read_private_segments(self, owner: Speaker, guest: Speaker) -> None:
        assert owner("PUT", f"/share/s{PUT}", content=SEGMENTS).status_code == 201
        assert owner("PUT", "/share/d", content=b"", headers=DYNAMIC).status_code == 201
        for path in ("/share/s", "/share/d"):
            assert owner("GET", path).content == SECRET
            for method in ("GET", "HEAD"):
                answer = guest(method, path)
                assert (answer.status_code, SECRET in answer.content) == (403, False)

    def test_the_public_does_not_read_private_segments(self, cloud: Cloud, owner: Speaker) -> None:
        allow(owner, "public", X_Container_Read=".r:*,.rlistings")
        owner("PUT", f"/public/s{PUT}", content=SEGMENTS)
        owner("PUT", "/public/d", content=b"", headers=DYNAMIC)
        for path in ("/public/s", "/public/d"):
            assert cloud.client.get(f"{owner.root}{path}").status_code == 401

    def test_they_do_not_delete_segments_they_may_only_read(self, owner: Speaker, guest: Speaker) -> None:
        allow(owner, "private", X_Container_Read=f"{guest.project_id}:*")
        assert guest("PUT", f"/drop/s{PUT}", content=SEGMENTS).status_code == 201
        assert guest("DELETE", f"/drop/s{DELETE}").status_code == 403
        assert secret_of(owner) == SECRET
        assert guest("DELETE", "/drop/s").status_code == 204
        assert secret_of(owner) == SECRET

    def test_they_use_what_is_shared_with_them(self, owner: Speaker, guest: Speaker) -> None:
        assert guest("PUT", "/share/part", content=b"shared").status_code == 201
        segments = json.dumps([{"path": "/share/part"}]).encode()
        assert guest("PUT", f"/share/s{PUT}", content=segments).status_code == 201
        assert (
            guest("PUT", "/share/d", content=b"", headers={"X-Object-Manifest": "share/p"}).status_code == 201
        )
        assert [guest("GET", f"/share/{name}").content for name in "sd"] == [b"shared", b"shared"]
        assert guest("DELETE", f"/share/s{DELETE}").status_code == 204
        assert owner("GET", "/share").text == "d\n"


class TestSignedUrls:
    @pytest.fixture(autouse=True)
    def _keys(self, owner: Speaker) -> None:
        owner("POST", "", headers={"X-Account-Meta-Temp-URL-Key": "account"})
        owner("POST", "/share", headers={"X-Container-Meta-Temp-URL-Key": "container"})

    def signed(self, owner: Speaker, method: str, path: str, key: str = "account") -> str:
        text = f"{method}\n4000000000\n{owner.root}{path}"
        signature = hmac.new(key.encode(), text.encode(), "sha256").hexdigest()
        return f"{owner.root}{path}?temp_url_sig={signature}&temp_url_expires=4000000000"

    def test_they_make_no_large_object(self, cloud: Cloud, owner: Speaker) -> None:
        url = self.signed(owner, "PUT", "/drop/s")
        assert cloud.client.put(f"{url}&multipart-manifest=put", content=SEGMENTS).status_code == 400
        assert cloud.client.put(url, content=b"", headers=DYNAMIC).status_code == 400
        assert cloud.client.head(url).status_code == 404
        assert cloud.client.put(url, content=b"plain").status_code == 201
        post = self.signed(owner, "POST", "/drop/s")
        assert cloud.client.post(post, headers=DYNAMIC).status_code == 400
        assert owner("GET", "/drop/s").content == b"plain"

    @pytest.mark.parametrize(("key", "status"), [("account", 200), ("container", 401)])
    def test_segments_are_read_as_far_as_the_key_reaches(
        self, cloud: Cloud, owner: Speaker, key: str, status: int
    ) -> None:
        owner("PUT", f"/share/s{PUT}", content=SEGMENTS)
        owner("PUT", "/share/d", content=b"", headers=DYNAMIC)
        for path in ("/share/s", "/share/d"):
            answer: Any = cloud.client.get(self.signed(owner, "GET", path, key))
            assert (answer.status_code, answer.content == SECRET) == (status, status == 200)

    def test_segments_outlive_an_object_that_is_deleted(self, cloud: Cloud, owner: Speaker) -> None:
        owner("PUT", f"/share/s{PUT}", content=SEGMENTS)
        url = self.signed(owner, "DELETE", "/share/s")
        assert cloud.client.delete(f"{url}&multipart-manifest=delete").status_code == 401
        assert secret_of(owner) == SECRET
        assert cloud.client.delete(url).status_code == 204
        assert secret_of(owner) == SECRET


def test_names_in_access_lists_are_those_of_the_default_domain(cloud: Cloud, owner: Speaker) -> None:
    """A project and a user of another domain may have the same names."""
    domain = cloud.make("/domains", "domain", name="elsewhere")["id"]
    project = cloud.make("/projects", "project", name="other", domain_id=domain)["id"]
    user = cloud.make("/users", "user", name="other", password="open sesame", domain_id=domain)["id"]
    role = cloud.request("GET", "/roles?name=member").json()["roles"][0]["id"]
    assert cloud.request("PUT", f"/projects/{project}/users/{user}/roles/{role}").status_code == 204
    identity = {"methods": ["password"], "password": {"user": {"id": user, "password": "open sesame"}}}
    token = cloud.authenticate(identity, {"project": {"id": project}}).headers["X-Subject-Token"]
    allow(owner, "private", X_Container_Read="other:other")

    def status(token: str) -> int:
        url = f"{owner.root}/private/secret"
        return int(cloud.client.get(url, headers={"X-Auth-Token": token}).status_code)

    assert status(cloud.token_of("other")) == 200
    assert status(token) == 403
