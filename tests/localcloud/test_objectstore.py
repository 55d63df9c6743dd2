"""Accounts, containers and objects: written, read, listed, shared and deleted."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from typing import Any

import pytest

from tests.support.cloud import Cloud
from tests.support.storage import Speaker, add_other, object_speaker

TEXT = {"Content-Type": "text/plain"}


@pytest.fixture
def demo(cloud: Cloud) -> Speaker:
    return object_speaker(cloud)


@pytest.fixture
def other(cloud: Cloud) -> Speaker:
    """Someone of another project who looks into demo's account."""
    add_other(cloud)
    return Speaker(cloud, object_speaker(cloud).root, "other", "other")


def put(speaker: Speaker, path: str, data: bytes = b"data", **headers: str) -> Any:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = speaker("PUT", path, content=data, headers={**TEXT, **sent})
    assert answer.status_code == 201, answer.text
    return answer


def container(speaker: Speaker, name: str = "c", **headers: str) -> str:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    assert speaker("PUT", f"/{name}", headers=sent).status_code == 201
    return f"/{name}"


def names(speaker: Speaker, path: str) -> list[str]:
    answer = speaker("GET", path)
    assert answer.status_code in (200, 204), answer.text
    return answer.text.splitlines()


def files(cloud: Cloud) -> int:
    folder = cloud.database.with_suffix("") / "objects"
    return sum(1 for file in folder.rglob("*") if file.is_file())


class TestContainers:
    def test_put_is_idempotent(self, demo: Speaker) -> None:
        assert demo("PUT", "/c").status_code == 201
        assert demo("PUT", "/c").status_code == 202
        assert demo("HEAD", "/c").status_code == 204
        assert demo("HEAD", "/missing").status_code == 404

    def test_metadata_is_added_changed_and_removed(self, demo: Speaker) -> None:
        container(demo, X_Container_Meta_Colour="red", X_Container_Meta_Shape="round")
        changes = {
            "X-Container-Meta-Colour": "blue",
            "X-Remove-Container-Meta-Shape": "x",
            "X-Container-Meta-New": "n",
        }
        assert demo("POST", "/c", headers=changes).status_code == 204
        shown = demo("HEAD", "/c").headers
        assert (shown["X-Container-Meta-Colour"], shown["X-Container-Meta-New"]) == ("blue", "n")
        assert "X-Container-Meta-Shape" not in shown

    def test_only_empty_containers_can_be_deleted(self, demo: Speaker) -> None:
        container(demo)
        put(demo, "/c/o")
        assert demo("DELETE", "/c").status_code == 409
        assert demo("DELETE", "/c/o").status_code == 204
        assert demo("DELETE", "/c").status_code == 204
        assert demo("DELETE", "/c").status_code == 404

    def test_objects_are_counted(self, demo: Speaker) -> None:
        container(demo)
        put(demo, "/c/a", b"12345")
        put(demo, "/c/b", b"12345")
        put(demo, "/c/b", b"1")
        shown = demo("HEAD", "/c").headers
        assert (shown["X-Container-Object-Count"], shown["X-Container-Bytes-Used"]) == ("2", "6")
        account = demo("HEAD", "").headers
        assert account["X-Account-Container-Count"] == "1"
        assert (account["X-Account-Object-Count"], account["X-Account-Bytes-Used"]) == ("2", "6")
        demo("DELETE", "/c/a")
        assert demo("HEAD", "").headers["X-Account-Bytes-Used"] == "1"

    def test_names_that_are_too_long_are_refused(self, demo: Speaker) -> None:
        assert demo("PUT", f"/{'x' * 257}").status_code == 400

    def test_too_much_metadata_is_refused(self, demo: Speaker) -> None:
        assert demo("PUT", "/c", headers={"X-Container-Meta-A": "x" * 257}).status_code == 400

    def test_quotas(self, demo: Speaker) -> None:
        container(demo, X_Container_Meta_Quota_Bytes="10", X_Container_Meta_Quota_Count="2")
        put(demo, "/c/a", b"12345")
        assert demo("PUT", "/c/b", content=b"123456", headers=TEXT).status_code == 413
        put(demo, "/c/b", b"1")
        assert demo("PUT", "/c/c", content=b"1", headers=TEXT).status_code == 413
        put(demo, "/c/a", b"123456789")
        assert demo("PUT", "/d", headers={"X-Container-Meta-Quota-Bytes": "many"}).status_code == 400


class TestListing:
    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ("", ["a", "b/1", "b/2", "b/c/3", "d", "ü"]),
            ("limit=2", ["a", "b/1"]),
            ("marker=b/1", ["b/2", "b/c/3", "d", "ü"]),
            ("marker=b/1&end_marker=d", ["b/2", "b/c/3"]),
            ("prefix=b/", ["b/1", "b/2", "b/c/3"]),
            ("delimiter=/", ["a", "b/", "d", "ü"]),
            ("delimiter=/&marker=b/", ["d", "ü"]),
            ("delimiter=/&limit=2", ["a", "b/"]),
            ("prefix=b/&delimiter=/", ["b/1", "b/2", "b/c/"]),
            ("path=b", ["b/1", "b/2", "b/c/"]),
            ("reverse=true", ["ü", "d", "b/c/3", "b/2", "b/1", "a"]),
            ("reverse=true&marker=d&limit=2", ["b/c/3", "b/2"]),
            ("reverse=true&delimiter=/", ["ü", "d", "b/", "a"]),
            ("prefix=x", []),
        ],
    )
    def test_markers_and_limits(self, demo: Speaker, query: str, expected: list[str]) -> None:
        container(demo)
        for name in ("d", "b/2", "a", "b/c/3", "b/1", "ü"):
            put(demo, f"/c/{name}")
        assert names(demo, f"/c?{query}") == expected

    def test_as_json(self, demo: Speaker) -> None:
        container(demo)
        put(demo, "/c/o", b"data")
        put(demo, "/c/p/q", b"data")
        answer = demo("GET", "/c?format=json&delimiter=/")
        assert answer.headers["content-type"] == "application/json; charset=utf-8"
        first, second = answer.json()
        assert first == {
            "name": "o",
            "hash": hashlib.md5(b"data").hexdigest(),
            "bytes": 4,
            "content_type": "text/plain",
            "last_modified": first["last_modified"],
        }
        assert second == {"subdir": "p/"}
        assert demo("GET", "/c?prefix=x", headers={"Accept": "application/json"}).json() == []

    def test_as_xml(self, demo: Speaker) -> None:
        container(demo)
        put(demo, "/c/a<b")
        answer = demo("GET", "/c?format=xml")
        assert '<container name="c"><object><name>a&lt;b</name>' in answer.text

    def test_an_empty_list_of_names_is_not_content(self, demo: Speaker) -> None:
        container(demo)
        assert demo("GET", "/c").status_code == 204

    def test_containers(self, demo: Speaker) -> None:
        for name in ("b", "a", "c"):
            container(demo, name)
        assert names(demo, "?limit=2") == ["a", "b"]
        assert names(demo, "?marker=b") == ["c"]
        assert [each["name"] for each in demo("GET", "?format=json&prefix=a").json()] == ["a"]

    @pytest.mark.parametrize(("query", "status"), [("limit=x", 400), ("limit=10001", 412)])
    def test_invalid_requests_are_rejected(self, demo: Speaker, query: str, status: int) -> None:
        container(demo)
        assert demo("GET", f"/c?{query}").status_code == status

    @pytest.mark.extended
    def test_long_lists(self, cloud: Cloud, demo: Speaker) -> None:
        container(demo)
        expected = [f"{number:04}" for number in range(1201)]
        for name in expected:
            put(demo, f"/c/{name}", b"")
        assert names(demo, "/c") == expected
        assert names(demo, "/c?reverse=true&limit=1100") == expected[::-1][:1100]


class TestObjects:
    def test_objects_are_written_and_read(self, demo: Speaker) -> None:
        container(demo)
        data = bytes(range(256)) * 1000
        etag = hashlib.md5(data).hexdigest()
        assert put(demo, "/c/deep/name ü", data, X_Object_Meta_A="1").headers["ETag"] == etag
        answer = demo("GET", "/c/deep/name ü")
        assert answer.content == data
        assert (answer.headers["ETag"], answer.headers["X-Object-Meta-A"]) == (etag, "1")
        head = demo("HEAD", "/c/deep/name ü")
        assert (head.status_code, head.headers["Content-Length"], head.content) == (200, str(len(data)), b"")

    def test_the_content_type_is_guessed(self, demo: Speaker) -> None:
        container(demo)
        assert demo("PUT", "/c/page.html", content=b"x").status_code == 201
        assert demo("HEAD", "/c/page.html").headers["Content-Type"] == "text/html"

    def test_data_of_replaced_and_deleted_objects_is_removed(self, cloud: Cloud, demo: Speaker) -> None:
        container(demo)
        put(demo, "/c/o", b"first")
        put(demo, "/c/o", b"second")
        assert (demo("GET", "/c/o").content, files(cloud)) == (b"second", 1)
        assert demo("DELETE", "/c/o").status_code == 204
        assert (demo("GET", "/c/o").status_code, files(cloud)) == (404, 0)
        assert demo("DELETE", "/c/o").status_code == 404

    def test_a_wrong_etag_is_rejected(self, cloud: Cloud, demo: Speaker) -> None:
        container(demo)
        answer = demo("PUT", "/c/o", content=b"data", headers={"ETag": "0" * 32})
        assert (answer.status_code, files(cloud)) == (422, 0)
        assert demo("GET", "/c/o").status_code == 404
        put(demo, "/c/o", ETag=hashlib.md5(b"data").hexdigest())

    def test_the_container_must_exist(self, demo: Speaker) -> None:
        assert demo("PUT", "/missing/o", content=b"x").status_code == 404

    def test_metadata_is_replaced_as_a_whole(self, demo: Speaker) -> None:
        container(demo)
        put(demo, "/c/o", X_Object_Meta_A="1", X_Object_Meta_B="2", Content_Encoding="gzip")
        assert demo("POST", "/c/o", headers={"X-Object-Meta-C": "3"}).status_code == 202
        shown = demo("HEAD", "/c/o").headers
        assert shown["X-Object-Meta-C"] == "3"
        assert not {"x-object-meta-a", "x-object-meta-b", "content-encoding"} & set(shown)
        assert shown["Content-Type"] == "text/plain"

    @pytest.mark.parametrize(
        ("asked", "status", "data"),
        [
            ("bytes=2-4", 206, b"234"),
            ("bytes=8-20", 206, b"89"),
            ("bytes=-2", 206, b"89"),
            ("bytes=7-", 206, b"789"),
            ("bytes=10-", 416, None),
            ("bytes=4-2", 200, b"0123456789"),
            ("lines=1-2", 200, b"0123456789"),
        ],
    )
    def test_ranges(self, demo: Speaker, asked: str, status: int, data: bytes | None) -> None:
        container(demo)
        put(demo, "/c/o", b"0123456789")
        answer = demo("GET", "/c/o", headers={"Range": asked})
        assert answer.status_code == status
        assert data is None or answer.content == data

    def test_conditions(self, demo: Speaker) -> None:
        container(demo)
        etag = put(demo, "/c/o").headers["ETag"]
        changed = demo("HEAD", "/c/o").headers["Last-Modified"]
        for header, value, status in (
            ("If-Match", etag, 200),
            ("If-Match", "other", 412),
            ("If-None-Match", f'"{etag}"', 304),
            ("If-None-Match", "other", 200),
            ("If-Modified-Since", changed, 304),
            ("If-Modified-Since", "Mon, 01 Jan 2001 00:00:00 GMT", 200),
            ("If-Unmodified-Since", "Mon, 01 Jan 2001 00:00:00 GMT", 412),
            ("If-Unmodified-Since", changed, 200),
        ):
            assert demo("GET", "/c/o", headers={header: value}).status_code == status, header
        assert demo("PUT", "/c/o", content=b"x", headers={"If-None-Match": "*"}).status_code == 412

    def test_metadata_may_be_empty(self, demo: Speaker) -> None:
        container(demo)
        put(demo, "/c/o", X_Object_Meta_A="")
        assert demo("HEAD", "/c/o").headers["X-Object-Meta-A"] == ""

    def test_objects_expire(self, cloud: Cloud, demo: Speaker) -> None:
        container(demo)
        put(demo, "/c/o", X_Delete_After="60")
        assert int(demo("HEAD", "/c/o").headers["X-Delete-At"]) > 0
        cloud.clock.advance(seconds=61)
        assert names(demo, "/c") == []
        assert demo("GET", "/c/o").status_code == 404
        assert demo("DELETE", "/c").status_code == 204
        assert demo("PUT", "/c2/o", headers={"X-Delete-At": "1"}).status_code == 404

    def test_delete_at_in_the_past_is_rejected(self, demo: Speaker) -> None:
        container(demo)
        assert demo("PUT", "/c/o", content=b"x", headers={"X-Delete-At": "1"}).status_code == 400
        assert demo("PUT", "/c/o", content=b"x", headers={"X-Delete-After": "soon"}).status_code == 400

    def test_objects_survive_a_restart(self, cloud: Cloud, demo: Speaker) -> None:
        container(demo)
        put(demo, "/c/o", b"kept")
        cloud.restart()
        assert demo("GET", "/c/o").content == b"kept"


class TestCopying:
    def test_copy_and_put_with_copy_from(self, demo: Speaker) -> None:
        container(demo, "a")
        container(demo, "b")
        put(demo, "/a/o", b"data", X_Object_Meta_A="1")
        copy = demo("COPY", "/a/o", headers={"Destination": "/b/copy", "X-Object-Meta-B": "2"})
        assert (copy.status_code, copy.headers["X-Copied-From"]) == (201, "a/o")
        assert copy.headers["X-Object-Meta-A"] == "1"
        assert (
            demo("PUT", "/b/fresh", headers={"X-Copy-From": "a/o", "X-Fresh-Metadata": "true"}).status_code
            == 201
        )
        demo("DELETE", "/a/o")
        shown = demo("GET", "/b/copy")
        assert (shown.content, shown.headers["X-Object-Meta-A"], shown.headers["X-Object-Meta-B"]) == (
            b"data",
            "1",
            "2",
        )
        fresh = demo("GET", "/b/fresh")
        assert (fresh.content, "X-Object-Meta-A" in fresh.headers) == (b"data", False)

    def test_missing_sources_and_headers(self, demo: Speaker) -> None:
        container(demo)
        put(demo, "/c/o")
        assert demo("COPY", "/c/missing", headers={"Destination": "c/x"}).status_code == 404
        assert demo("COPY", "/c/o", headers={"Destination": "missing/x"}).status_code == 404
        assert demo("COPY", "/c/o", headers={"Destination": "c"}).status_code == 412


class TestVersions:
    def test_deleting_restores_the_previous_version(self, demo: Speaker) -> None:
        container(demo, "old")
        container(demo, X_Versions_Location="old")
        for data in (b"1", b"2", b"3"):
            put(demo, "/c/o", data)
        kept = names(demo, "/old")
        assert len(kept) == 2
        assert all(name.startswith("001o/") for name in kept)
        assert [demo("GET", f"/old/{name}").content for name in kept] == [b"1", b"2"]
        for expected in (b"3", b"2", b"1"):
            assert demo("GET", "/c/o").content == expected
            assert demo("DELETE", "/c/o").status_code == 204
        assert demo("GET", "/c/o").status_code == 404

    def test_history_keeps_deleted_versions(self, demo: Speaker) -> None:
        container(demo, "old")
        container(demo, X_History_Location="old")
        put(demo, "/c/o", b"1")
        put(demo, "/c/o", b"2")
        demo("DELETE", "/c/o")
        assert demo("GET", "/c/o").status_code == 404
        shown = demo("GET", "/old?format=json").json()
        assert [entry["bytes"] for entry in shown] == [1, 1, 0]
        assert "deleted" in shown[-1]["content_type"]

    def test_the_versions_container_must_exist(self, cloud: Cloud, demo: Speaker) -> None:
        container(demo, X_Versions_Location="missing")
        assert demo("PUT", "/c/o", content=b"x", headers=TEXT).status_code == 412
        assert files(cloud) == 0
        both = {"X-Versions-Location": "a", "X-History-Location": "b"}
        assert demo("POST", "/c", headers=both).status_code == 400
        assert demo("POST", "/c", headers={"X-Remove-Versions-Location": "x"}).status_code == 204
        put(demo, "/c/o")


class TestLargeObjects:
    def test_dynamic(self, demo: Speaker) -> None:
        container(demo, "parts")
        container(demo)
        for number in range(3):
            put(demo, f"/parts/big/{number}", str(number).encode() * 3)
        put(demo, "/c/big", b"", X_Object_Manifest="parts/big/")
        answer = demo("GET", "/c/big")
        assert (answer.content, answer.headers["X-Object-Manifest"]) == (b"000111222", "parts/big/")
        assert demo("GET", "/c/big", headers={"Range": "bytes=2-6"}).content == b"01112"
        assert demo("HEAD", "/c/big").headers["Content-Length"] == "9"
        assert demo("COPY", "/c/big", headers={"Destination": "c/whole"}).status_code == 201
        whole = demo("GET", "/c/whole")
        assert (whole.content, "X-Object-Manifest" in whole.headers) == (b"000111222", False)
        put(demo, "/c/later", b"")
        assert demo("POST", "/c/later", headers={"X-Object-Manifest": "parts/big/"}).status_code == 202
        assert demo("GET", "/c/later").content == b"000111222"
        wrong = {"X-Object-Manifest": "parts"}
        assert demo("PUT", "/c/wrong", content=b"", headers=wrong).status_code == 400

    def test_static(self, cloud: Cloud, demo: Speaker) -> None:
        container(demo, "parts")
        container(demo)
        etags = [put(demo, f"/parts/{n}", n.encode() * 4).headers["ETag"] for n in ("a", "b")]
        segments = [
            {"path": "/parts/a", "etag": etags[0], "size_bytes": 4},
            {"path": "/parts/b", "range": "1-2"},
        ]
        manifest = json.dumps(segments).encode()
        assert demo("PUT", "/c/big?multipart-manifest=put", content=manifest).status_code == 201
        answer = demo("GET", "/c/big")
        assert (answer.content, answer.headers["X-Static-Large-Object"]) == (b"aaaabb", "True")
        listed = demo("GET", "/c/big?multipart-manifest=get").json()
        assert [entry["name"] for entry in listed] == ["/parts/a", "/parts/b"]
        assert demo("DELETE", "/c/big?multipart-manifest=delete").status_code == 204
        assert (names(demo, "/parts"), files(cloud)) == ([], 0)

    @pytest.mark.parametrize(
        "wrong",
        [
            "no list",
            [],
            [{"path": "parts"}],
            [{"path": "/parts/missing"}],
            [{"path": "/parts/a", "etag": "0"}],
            [{"path": "/parts/a", "size_bytes": 5}],
            [{"path": "/parts/a", "range": "9-12"}],
        ],
    )
    def test_segments_must_match_the_manifest(self, demo: Speaker, wrong: Any) -> None:
        container(demo, "parts")
        put(demo, "/parts/a")
        answer = demo("PUT", "/parts/big?multipart-manifest=put", content=json.dumps(wrong).encode())
        assert answer.status_code == 400

    def test_bulk_delete(self, demo: Speaker) -> None:
        for name in ("c", "d", "e"):
            container(demo, name)
        put(demo, "/c/ü x")
        put(demo, "/e/o")
        reported = demo("POST", "?bulk-delete", content=b"c/%C3%BC%20x\n/c\nd\nmissing/o\ne\n").json()
        assert (reported["Number Deleted"], reported["Number Not Found"]) == (3, 1)
        assert reported["Errors"] == [["e", "409 Conflict"]]
        assert names(demo, "") == ["e"]


class TestAccess:
    def test_other_projects_have_no_access(self, cloud: Cloud, demo: Speaker, other: Speaker) -> None:
        container(demo)
        put(demo, "/c/o")
        for method, path in (
            ("GET", ""),
            ("GET", "/c"),
            ("GET", "/c/o"),
            ("PUT", "/c/o"),
            ("DELETE", "/c/o"),
        ):
            assert other(method, path).status_code == 403, path
            assert cloud.client.request(method, f"{demo.root}{path}").status_code == 401, path
        assert cloud.client.get("/object-store/v1/nonsense").status_code == 404

    def test_public_containers(self, cloud: Cloud, demo: Speaker) -> None:
        container(demo, X_Container_Read=".r:*")
        put(demo, "/c/o", b"for all")
        assert cloud.client.get(f"{demo.root}/c/o").content == b"for all"
        assert cloud.client.get(f"{demo.root}/c").status_code == 401
        assert cloud.client.put(f"{demo.root}/c/o", content=b"x").status_code == 401
        demo("POST", "/c", headers={"X-Container-Read": ".r:*,.rlistings"})
        listed = cloud.client.get(f"{demo.root}/c")
        assert listed.text == "o\n"
        assert "X-Container-Read" not in listed.headers
        assert demo("HEAD", "/c").headers["X-Container-Read"] == ".r:*,.rlistings"

    def test_acls_with_projects_and_users(self, cloud: Cloud, demo: Speaker, other: Speaker) -> None:
        container(demo, X_Container_Read=f"{other.project_id}:*")
        put(demo, "/c/o", b"shared")
        assert other("GET", "/c/o").content == b"shared"
        assert other("GET", "/c").status_code == 200
        assert other("PUT", "/c/o", content=b"x").status_code == 403
        user = cloud.id_of("users", "other")
        demo("POST", "/c", headers={"X-Container-Write": f"*:{user}"})
        assert put(other, "/c/new").status_code == 201
        assert other("DELETE", "/c").status_code == 403

    def test_write_acls_cannot_have_referrers(self, demo: Speaker) -> None:
        assert demo("PUT", "/c", headers={"X-Container-Write": ".r:*"}).status_code == 400
        assert demo("PUT", "/c", headers={"X-Container-Read": ".x"}).status_code == 400


def test_the_store_is_at_the_root_of_the_cloud_as_well(cloud: Cloud, demo: Speaker) -> None:
    root = Speaker(cloud, demo.root.removeprefix("/object-store"))
    container(root)
    assert put(root, "/c/dir/o", b"data").status_code == 201

    assert demo("GET", "/c/dir/o").content == b"data"
    assert root("GET", "/c/dir/o").content == b"data"
    assert root("GET", "/c?prefix=dir").text == "dir/o\n"
    assert root("DELETE", "/c/dir/o").status_code == 204
    assert demo("GET", "/c/dir/o").status_code == 404
    assert cloud.client.get(f"{root.root}/c").status_code == 401


class TestSignedUrls:
    def signed(self, demo: Speaker, method: str, path: str, **more: Any) -> str:
        digest, expires = more.get("digest", "sha256"), more.get("expires", 4_000_000_000)
        full = f"{more.get('root', demo.root)}{more.get('signed', path)}"
        text = f"{method}\n{expires}\n{more.get('kind', '')}{full}"
        signature = hmac.new(more.get("key", b"secret"), text.encode(), digest).hexdigest()
        return f"{demo.root}{path}?temp_url_sig={signature}&temp_url_expires={expires}"

    @pytest.fixture(autouse=True)
    def _key(self, demo: Speaker) -> None:
        assert demo("POST", "", headers={"X-Account-Meta-Temp-URL-Key": "secret"}).status_code == 204
        container(demo)
        put(demo, "/c/o", b"data")

    @pytest.mark.parametrize("digest", ["sha1", "sha256", "sha512"])
    @pytest.mark.parametrize("prefixed", [True, False])
    def test_get_with_a_signed_url(self, cloud: Cloud, demo: Speaker, digest: str, prefixed: bool) -> None:
        """Signed over the path in the catalog's URL, or over what Swift itself sees of it."""
        root = demo.root if prefixed else demo.root.removeprefix("/object-store")
        answer = cloud.client.get(self.signed(demo, "GET", "/c/o", digest=digest, root=root))
        assert (answer.status_code, answer.content) == (200, b"data")
        assert answer.headers["Content-Disposition"].startswith('attachment; filename="o"')

    @pytest.mark.parametrize("prefixed", [True, False])
    def test_signed_urls_at_the_root_of_the_cloud(self, cloud: Cloud, demo: Speaker, prefixed: bool) -> None:
        root = demo.root if prefixed else demo.root.removeprefix("/object-store")
        url = self.signed(demo, "GET", "/c/o", root=root).removeprefix("/object-store")

        assert url.startswith("/v1/AUTH_")
        assert cloud.client.get(url).content == b"data"
        assert cloud.client.get(url.replace("/c/o", "/c/p")).status_code == 401

    def test_put_and_head_with_a_signed_url(self, cloud: Cloud, demo: Speaker) -> None:
        url = self.signed(demo, "PUT", "/c/new")
        assert cloud.client.put(url, content=b"").status_code == 201
        assert cloud.client.head(url).status_code == 200
        assert cloud.client.get(url).status_code == 401
        assert cloud.client.delete(url).status_code == 401

    def test_keys_of_containers_and_second_keys(self, cloud: Cloud, demo: Speaker) -> None:
        demo("POST", "/c", headers={"X-Container-Meta-Temp-URL-Key-2": "inner"})
        assert cloud.client.get(self.signed(demo, "GET", "/c/o", key=b"inner")).content == b"data"

    def test_prefixes(self, cloud: Cloud, demo: Speaker) -> None:
        put(demo, "/c/dir/o", b"inner")
        url = self.signed(demo, "GET", "/c/dir/o", signed="/c/dir/", kind="prefix:")
        assert cloud.client.get(f"{url}&temp_url_prefix=dir/").content == b"inner"
        elsewhere = url.replace("/c/dir/o", "/c/o")
        assert cloud.client.get(f"{elsewhere}&temp_url_prefix=dir/").status_code == 401

    def test_content_disposition(self, cloud: Cloud, demo: Speaker) -> None:
        url = self.signed(demo, "GET", "/c/o")
        assert 'filename="x.txt"' in cloud.client.get(f"{url}&filename=x.txt").headers["Content-Disposition"]
        assert cloud.client.get(f"{url}&inline").headers["Content-Disposition"] == "inline"

    def test_invalid_and_expired_signatures_are_rejected(self, cloud: Cloud, demo: Speaker) -> None:
        good = self.signed(demo, "GET", "/c/o")
        for url in (
            self.signed(demo, "GET", "/c/o", key=b"wrong"),
            self.signed(demo, "GET", "/c/o", expires=1),
            self.signed(demo, "GET", "/c/o", digest="md5"),
            self.signed(demo, "GET", "/c/other").replace("/c/other", "/c/o"),
            good.replace("4000000000", "4000000001"),
            good.partition("&")[0],
            good.replace("temp_url_sig=", "temp_url_sig=zz"),
        ):
            assert cloud.client.get(url).status_code == 401, url

    def test_only_owners_see_the_key(self, cloud: Cloud, demo: Speaker) -> None:
        assert demo("HEAD", "").headers["X-Account-Meta-Temp-Url-Key"] == "secret"
        headers = {"X-Container-Meta-Temp-URL-Key": "k", "X-Container-Read": ".r:*,.rlistings"}
        demo("POST", "/c", headers=headers)
        assert "X-Container-Meta-Temp-Url-Key" not in cloud.client.get(f"{demo.root}/c").headers


class TestInfrastructure:
    def test_response_headers(self, demo: Speaker) -> None:
        for method, path in (("PUT", "/c"), ("HEAD", "/c"), ("POST", "/c"), ("GET", ""), ("DELETE", "/c")):
            headers = demo(method, path).headers
            assert re.fullmatch("tx[0-9a-f]{21}-[0-9a-f]{10}", headers["X-Trans-Id"])
            assert headers["Content-Type"]

    def test_usage_by_policy(self, demo: Speaker) -> None:
        container(demo)
        put(demo, "/c/o", b"1234")
        assert demo("HEAD", "").headers["X-Account-Storage-Policy-Policy-0-Bytes-Used"] == "4"

    def test_info(self, cloud: Cloud) -> None:
        reported = cloud.client.get("/object-store/info").json()
        assert reported["tempurl"]["allowed_digests"] == ["sha1", "sha256", "sha512"]
        assert reported["swift"]["container_listing_limit"] == 10_000
