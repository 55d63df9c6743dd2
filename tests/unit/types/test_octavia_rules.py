"""What load balancing resources refuse before anything is created."""

from typing import Any

import pytest

from calor.language.values import Secret, Unknown
from calor.resources.contract import ResourceType
from calor.types.octavia.l7_policy import L7Policy
from calor.types.octavia.l7_rule import L7Rule
from calor.types.octavia.listener import Listener
from calor.types.octavia.pool import Pool
from calor.types.octavia.quota import Quota

ATTRIBUTE = Unknown()
REFERENCE = Unknown("some_resource")

FAILED = "StackValidationFailed"
UNSPECIFIED = "PropertyUnspecifiedError"
WRONG_VALUE = "ResourcePropertyValueDependency"


def refusals(kind: type[ResourceType], **given: Any) -> list[str]:
    values = {name: prop.default for name, prop in kind.properties.items()} | given
    return [problem.kind for rule in kind.rules for problem in rule.problems(values)]


def test_pool_belongs_somewhere() -> None:
    assert refusals(Pool) == [UNSPECIFIED]


@pytest.mark.parametrize(
    "given", [{"listener": "l"}, {"loadbalancer": ATTRIBUTE}, {"listener": "l", "loadbalancer": "b"}]
)
def test_pool_of_a_listener_or_a_load_balancer(given: dict[str, Any]) -> None:
    assert refusals(Pool, **given) == []


@pytest.mark.parametrize(
    "persistence",
    [
        {"type": "APP_COOKIE", "cookie_name": None},
        {"type": "APP_COOKIE", "cookie_name": ""},
        {"type": "SOURCE_IP", "cookie_name": "c"},
        {"type": "SOURCE_IP", "cookie_name": REFERENCE},
    ],
)
def test_cookie_that_does_not_fit(persistence: dict[str, Any]) -> None:
    assert refusals(Pool, listener="l", session_persistence=persistence) == [FAILED]


@pytest.mark.parametrize(
    "persistence",
    [
        None,
        ATTRIBUTE,
        {"type": "APP_COOKIE", "cookie_name": "c"},
        {"type": "APP_COOKIE", "cookie_name": ATTRIBUTE},
        {"type": "APP_COOKIE", "cookie_name": Secret("c")},
        {"type": "SOURCE_IP", "cookie_name": ""},
        {"type": "SOURCE_IP", "cookie_name": ATTRIBUTE},
        {"type": "HTTP_COOKIE", "cookie_name": "c"},
        {"type": ATTRIBUTE, "cookie_name": None},
    ],
)
def test_session_persistence(persistence: Any) -> None:
    assert refusals(Pool, listener="l", session_persistence=persistence) == []


@pytest.mark.parametrize("protocol", ["TERMINATED_HTTPS", Secret("TERMINATED_HTTPS")])
def test_who_ends_tls_needs_a_certificate(protocol: Any) -> None:
    assert refusals(Listener, protocol=protocol, sni_container_refs=["c"]) == [FAILED]


@pytest.mark.parametrize(
    ("protocol", "certificate"),
    [("TERMINATED_HTTPS", "c"), ("TERMINATED_HTTPS", ATTRIBUTE), ("HTTPS", None), (ATTRIBUTE, None)],
)
def test_listener(protocol: Any, certificate: Any) -> None:
    assert refusals(Listener, protocol=protocol, default_tls_container_ref=certificate) == []


@pytest.mark.parametrize("kind", ["HEADER", "COOKIE"])
def test_rule_about_a_named_thing_needs_its_name(kind: str) -> None:
    assert refusals(L7Rule, type=kind) == [FAILED]


@pytest.mark.parametrize(
    ("kind", "key"),
    [("HEADER", "k"), ("COOKIE", ATTRIBUTE), ("PATH", None), ("PATH", "k"), (ATTRIBUTE, None)],
)
def test_rule(kind: Any, key: Any) -> None:
    assert refusals(L7Rule, type=kind, key=key) == []


@pytest.mark.parametrize("target", ["redirect_pool", "redirect_url"])
def test_who_rejects_does_not_redirect(target: str) -> None:
    assert refusals(L7Policy, action="REJECT", **{target: ""}) == [FAILED]


@pytest.mark.parametrize("action", ["REDIRECT_TO_POOL", "REDIRECT_TO_URL"])
def test_redirection_needs_a_target(action: str) -> None:
    assert refusals(L7Policy, action=action) == [FAILED]


@pytest.mark.parametrize("action", ["REDIRECT_TO_POOL", "REDIRECT_TO_URL"])
def test_redirection_has_one_target(action: str) -> None:
    assert refusals(L7Policy, action=action, redirect_pool="p", redirect_url="u") == [WRONG_VALUE]


@pytest.mark.parametrize(
    "given",
    [
        {"action": "REJECT"},
        {"action": "REDIRECT_TO_POOL", "redirect_pool": ATTRIBUTE},
        {"action": "REDIRECT_TO_URL", "redirect_url": "u"},
        {"action": ATTRIBUTE, "redirect_pool": "p", "redirect_url": "u"},
    ],
)
def test_policy(given: dict[str, Any]) -> None:
    assert refusals(L7Policy, **given) == []


def test_quota_of_nothing() -> None:
    assert refusals(Quota, project="p") == [UNSPECIFIED]


def test_quota() -> None:
    assert refusals(Quota, project="p", pool=ATTRIBUTE) == []
