"""What no client should send gets an answer of the 4xx kind, in the shape of all errors."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.cloud import Cloud

ODD_VALUES: list[Any] = [
    None,
    True,
    0,
    -1,
    2**70,
    1.5,
    "",
    " ",
    "\0",
    "a\0b",
    "x" * 300,
    "x" * 70_000,
    [],
    ["a"],
    [[]],
    [None],
    {},
    {"id": []},
    {"a": {"b": []}},
]

CREATIONS = {
    "/projects": ("project", ["name", "domain_id", "parent_id", "enabled", "description", "tags", "options"]),
    "/domains": ("domain", ["name", "enabled", "description"]),
    "/users": (
        "user",
        ["name", "domain_id", "password", "enabled", "default_project_id", "email", "options"],
    ),
    "/groups": ("group", ["name", "domain_id", "description"]),
    "/roles": ("role", ["name", "domain_id", "description"]),
    "/regions": ("region", ["id", "parent_region_id", "description"]),
    "/services": ("service", ["type", "name", "enabled"]),
    "/endpoints": ("endpoint", ["service_id", "interface", "url", "region_id", "region"]),
    "/credentials": ("credential", ["blob", "type", "user_id", "project_id"]),
    "/OS-TRUST/trusts": (
        "trust",
        [
            "trustor_user_id",
            "trustee_user_id",
            "impersonation",
            "roles",
            "expires_at",
            "remaining_uses",
            "project_id",
        ],
    ),
}


def assert_refused_or_done(answer: Any) -> None:
    assert answer.status_code < 500
    if answer.status_code >= 400:
        assert set(answer.json()["error"]) == {"code", "title", "message"}


def post_raw(cloud: Cloud, path: str, content: bytes) -> Any:
    headers = {"X-Auth-Token": cloud.token_of("admin"), "Content-Type": "application/json"}
    return cloud.client.post(f"/identity/v3{path}", content=content, headers=headers)


@pytest.mark.parametrize("path", CREATIONS)
def test_wrong_types_are_rejected(cloud: Cloud, path: str) -> None:
    kind, members = CREATIONS[path]
    me = cloud.id_of("users", "admin")
    usual = {
        "name": "x",
        "type": "x",
        "blob": "{}",
        "service_id": "x",
        "interface": "public",
        "url": "http://x",
    }
    usual |= {"trustor_user_id": me, "trustee_user_id": me, "impersonation": False}  # type: ignore[dict-item]
    for member in members:
        for value in ODD_VALUES:
            body = {name: content for name, content in usual.items() if name in members}
            assert_refused_or_done(cloud.post(path, {kind: {**body, member: value}}))
    for value in ODD_VALUES:
        assert cloud.post(path, {kind: value}).status_code in (400, 201)
        assert cloud.post(path, value).status_code == 400


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"nonsense",
        b"\xff\xfe",
        b'{"project": {"name": NaN}}',
        b'{"project": {"name": "x", "size": NaN}}',
        b'{"project": {"name": "x", "size": 1e999}}',
        b'{"project": {"name": "\\ud800"}}',
        b'{"project": {"name": "x", "\\udc00": 1}}',
        b'{"project": {"name": "x", "size": ' + b"9" * 5000 + b"}}",
        b'{"project": {"name": "x", "deep": ' + b"[" * 100_000 + b"]" * 100_000 + b"}}",
        b'{"project": {"name": "x", "deep": ' + b'{"a":' * 50_000 + b"1" + b"}" * 50_000 + b"}}",
        b'{"project": {"name": "' + b"x" * 256 + b'"}}',
    ],
    ids=range(13),
)
def test_invalid_json_is_rejected(cloud: Cloud, content: bytes) -> None:
    assert post_raw(cloud, "/projects", content).status_code == 400


def test_json_up_to_the_maximum_depth_is_stored(cloud: Cloud) -> None:
    for depth, status in ((60, 201), (70, 400), (900, 400), (990, 400)):
        content = f'{{"project": {{"name": "deep {depth}", "deep": {"[" * depth}{"]" * depth}}}}}'
        assert post_raw(cloud, "/projects", content.encode()).status_code == status
    assert cloud.get("/projects").status_code == 200


def test_huge_bodies_are_rejected(cloud: Cloud) -> None:
    assert post_raw(cloud, "/projects", b" " * 2_000_000).status_code == 413


@pytest.mark.parametrize("value", [None, 3, [], {}, "x"])
def test_invalid_login_requests_are_rejected(cloud: Cloud, value: Any) -> None:
    good = {"name": "demo", "domain": {"id": "default"}, "password": "x"}
    for auth in (
        value,
        {"identity": value},
        {"identity": {"methods": value}},
        {"identity": {"methods": [value]}},
        {"identity": {"methods": ["password"], "password": value}},
        {"identity": {"methods": ["password"], "password": {"user": value}}},
        {"identity": {"methods": ["password"], "password": {"user": {**good, "password": value}}}},
        {"identity": {"methods": ["password"], "password": {"user": {**good, "domain": value}}}},
        {"identity": {"methods": ["token"], "token": value}},
        {"identity": {"methods": ["token"], "token": {"id": value}}},
        {"identity": {"methods": ["application_credential"], "application_credential": value}},
    ):
        answer = cloud.client.post("/identity/v3/auth/tokens", json={"auth": auth})
        assert answer.status_code in (400, 401), auth
    identity = {"methods": ["token"], "token": {"id": cloud.token_of("demo")}}
    for scope in (value, {"project": value}, {"domain": value}, {"system": value}, {"OS-TRUST:trust": value}):
        assert_refused_or_done(cloud.authenticate(identity, scope))


@pytest.mark.parametrize("value", ODD_VALUES)
def test_invalid_signature_requests_are_rejected(cloud: Cloud, value: Any) -> None:
    good = {"access": "a", "signature": "s", "params": {}, "headers": {}}
    for body in (
        value,
        {"ec2Credentials": value},
        *({"ec2Credentials": {**good, name: value}} for name in good),
    ):
        assert cloud.post("/ec2tokens", body, as_user="heat").status_code in (400, 401)


@pytest.mark.parametrize(
    "identifier", ["%00", "%FF", "..%2f..", "x" * 10_000, "'; DROP TABLE identity_users", "%F0%9F%92%A9"]
)
def test_odd_ids_are_not_found(cloud: Cloud, identifier: str) -> None:
    for plural in ("projects", "users", "roles", "domains", "groups", "services", "endpoints", "regions"):
        assert cloud.get(f"/{plural}/{identifier}").status_code == 404


@pytest.mark.parametrize("query", ["limit=0", "limit=-1", "limit=x", "limit=9999999999", "limit=²"])
def test_invalid_limits_are_rejected(cloud: Cloud, query: str) -> None:
    assert cloud.get(f"/users?{query}").status_code == 400


def test_strange_filters_match_nothing(cloud: Cloud) -> None:
    for query in ("name=%00", "name=%FF", "name[]=x", "name__nonsense=x&x", "=&&=", "enabled=%00"):
        assert cloud.get(f"/users?{query}").status_code == 200
    assert cloud.get("/users?marker=none").status_code == 404


def test_unknown_paths_and_methods_are_refused_in_the_same_shape(cloud: Cloud) -> None:
    assert cloud.get("/nothing").json()["error"]["code"] == 404
    assert cloud.request("PUT", "/users", {}).json()["error"]["code"] == 405
    assert cloud.client.get("/identity/v2.0").json()["error"]["code"] == 404


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["id", "name", "domain", "enabled", "roles", "tags", "x"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(path=st.sampled_from(sorted(CREATIONS)), content=JSON)
def test_random_requests_never_fail_with_500(cloud: Cloud, path: str, content: Any) -> None:
    body = json.dumps({CREATIONS[path][0]: content}).encode()
    assert_refused_or_done(post_raw(cloud, path, body))
