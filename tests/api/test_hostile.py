"""Requests that nobody means well: the answer is an error of theirs, never one of the server."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import quote

import pytest

from calor.api.heat.routes import ROUTES
from calor.api.web import Route
from tests.support.api import EMPTY, OTHER, PROJECT, SMALL, Door, Stage, open_door, token

ODD_TEXTS = [
    "\0",
    "a\0b",
    "%00",
    "..",
    "../..",
    "'; DROP TABLE stack; --",
    "é☃𝄞",
    "\u202e",
    "x" * 5000,
    "arn:",
    "arn:openstack:heat::a:stacks/b",
    "[",
    "(?:",
    "{}",
    "*",
    "%",
    "\n",
    " ",
]
ODD_VALUES: list[Any] = [
    None,
    True,
    0,
    -1,
    10**30,
    1.5,
    "",
    "text",
    "../..",
    "\0",
    "\ud800",
    "\U0001f600",
    [],
    [[]],
    [None],
    {},
    {"": None},
    {"a": {"b": [1, {"c": None}]}},
    "x" * 10_000,
]
ODD_JSON = [
    *(json.dumps(value) for value in ODD_VALUES),
    "[" * 10_000 + "]" * 10_000,
    '{"a":' * 10_000 + "1" + "}" * 10_000,
    "[" * 90 + "]" * 90,
    "NaN",
    "-Infinity",
    "1e999",
    "1" * 5000,
    '{"a": 1, "a": 2}',
    '"\\u0000"',
]
SOME_EXTENDED = [*ODD_TEXTS[:4], *(pytest.param(text, marks=pytest.mark.extended) for text in ODD_TEXTS[4:])]
JSON = {"Content-Type": "application/json"}

STACK_KEYS = (
    "stack_name template template_url parameters environment files environment_files files_container timeout_mins "
    "disable_rollback tags adopt_stack_data converge clear_parameters existing"
)
BODIES = {
    "/actions": ("suspend resume check cancel_update cancel_without_rollback retry other", {}),
    "/snapshots": ("name other", {}),
    "/restore": ("other", {}),
    "/signal": ("unset_hook status id data other", {}),
    "/resources/{resource_name}": ("mark_unhealthy resource_status_reason other", {"mark_unhealthy": True}),
    "/software_configs": ("name group config inputs outputs options", {}),
    "/software_deployments": (
        "server_id config_id input_values output_values action status status_reason stack_user_project_id",
        {"server_id": "s", "config_id": "c"},
    ),
    "/software_deployments/{deployment_id}": ("config_id input_values output_values status", {}),
    "": (STACK_KEYS, {"stack_name": "new", "template": EMPTY}),
}
"""The keys of bodies, and what a body needs, by the end of the path."""

CHANGING = [
    route for route in ROUTES if route.method in ("POST", "PUT", "PATCH") and route.rule != "stacks:lookup"
]


def fine(answer: Any) -> None:
    """Not the server's error; and if it is one, in the form of one."""
    assert answer.status_code < 500, answer.text
    if answer.status_code >= 400:
        assert {"code", "title"} <= set(answer.json()), answer.text


@pytest.fixture
def stocked(stage: Stage) -> Door:
    stack = stage.add_stack("s", template=SMALL)
    stage.add_resource(stack, "first", type="OS::Heat::WaitConditionHandle")
    stage.add_event(stack, "first")
    return open_door(stage, enable_abandon=True, enable_adopt=True)


def real(door: Door) -> dict[str, str]:
    """What there is, by what routes call it."""
    stack = door.get("/stacks", show_deleted="true")["stacks"][0]["id"]
    return {
        "stack_name": "s",
        "stack_id": stack,
        "stack_name:arn": f"arn:openstack:heat::{PROJECT}:stacks/s/{stack}",
        "resource_name": "first",
        "output_key": "size",
        "type_name": "OS::Heat::Value",
        "version": "heat_template_version.2018-08-31",
    }


def filled(path: str, names: dict[str, str]) -> str:
    """A route's path with its names in it."""
    return re.sub(r"\{([^}]+)\}", lambda found: names.get(found[1], "x"), path)


def label(route: Route) -> str:
    return f"{route.method} {route.path}"


@pytest.mark.parametrize("text", SOME_EXTENDED, ids=ascii)
def test_odd_names_in_paths(stocked: Door, text: str) -> None:
    there, odd = real(stocked), quote(text, safe="")
    for route in ROUTES:
        for name in re.findall(r"\{([^}]+)\}", route.path):
            fine(stocked(route.method, filled(route.path, {**there, name: odd}), {}))
        fine(stocked(route.method, re.sub(r"\{[^}]+\}", odd, route.path), {}))


@pytest.mark.parametrize("odd", ["%", "%zz", "%ff%fe", "%C3%28", "%ED%A0%80", "%0d%0aX-Y:%201", "%2F..%2F"])
def test_broken_percent_signs(stocked: Door, odd: str) -> None:
    there = real(stocked)
    for route in ROUTES:
        for name in re.findall(r"\{([^}]+)\}", route.path):
            fine(stocked(route.method, filled(route.path, {**there, name: odd}), {}))
        if route.method == "GET" and not route.path.endswith("/stream"):
            fine(stocked("GET", f"{filled(route.path, there)}?{odd}={odd}&&==&;"))


@pytest.mark.extended
@pytest.mark.parametrize("text", ODD_TEXTS, ids=ascii)
def test_odd_values_in_queries(stocked: Door, text: str) -> None:
    stack = stocked.get("/stacks")["stacks"][0]
    path = f"/stacks/s/{stack['id']}"
    asked = {
        "/stacks": (
            "id status name action tenant username owner_id stack_status_reason disable_rollback timeout_mins "
            "limit marker sort_keys sort_dir show_deleted with_count tags tags_any not_tags not_tags_any"
        ),
        "/stacks/s": "resolve_outputs",
        path: "resolve_outputs",
        f"{path}/resources": "type status name action id physical_resource_id nested_depth with_detail",
        f"{path}/resources/first": "with_attr",
        f"{path}/events": (
            "limit marker sort_keys sort_dir nested_depth resource_status resource_name resource_type"
        ),
        f"{path}/events/stream": "since until",
        "/resource_types": "support_status name version with_description",
        "/resource_types/OS::Heat::Value/template": "template_type",
        "/software_configs": "limit marker",
        "/software_deployments": "server_id",
    }
    for address, names in asked.items():
        for name in names.split():
            fine(stocked("GET", f"{address}?{name}={quote(text, safe='')}"))


@pytest.mark.extended
@pytest.mark.parametrize("route", CHANGING, ids=label)
def test_odd_values_at_every_key_of_every_body(stocked: Door, route: Route) -> None:
    keys, needed = next(found for end, found in BODIES.items() if route.path.endswith(end))
    there = real(stocked)
    for key in keys.split():
        for odd in ODD_JSON:
            rest = {name: value for name, value in needed.items() if name != key}
            given = ", ".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in rest.items())
            body = f'{{{given}{", " if rest else ""}"{key}": {odd}}}'
            fine(stocked(route.method, filled(route.path, there), content=body, headers=JSON))


@pytest.mark.parametrize("route", CHANGING, ids=label)
def test_bodies_that_are_none(stocked: Door, route: Route) -> None:
    path = filled(route.path, real(stocked))
    for body in (
        b"",
        b"{",
        b"[]",
        b"null",
        b'"x"',
        b"\xff\xfe",
        b"\xef\xbb\xbf{}",
        b'{"a":\xff}',
        b"{}{}",
        b'{"\\ud800": 1}',
        b"{" * 10_000,
        b'{"a":' * 10_000,
    ):
        for kind in (
            "application/json",
            "text/plain",
            "application/xml",
            "",
            "application/json; charset=utf-16",
        ):
            fine(stocked(route.method, path, content=body, headers={"Content-Type": kind}))


@pytest.mark.parametrize("route", CHANGING, ids=label)
def test_large_values(stocked: Door, route: Route) -> None:
    keys, needed = next(found for end, found in BODIES.items() if route.path.endswith(end))
    for key in keys.split():
        body = {**needed, key: "x" * 1_000_000}
        fine(stocked(route.method, filled(route.path, real(stocked)), body))


@pytest.mark.parametrize("route", ROUTES, ids=label)
def test_odd_headers(stocked: Door, route: Route) -> None:
    if route.path.endswith("/stream"):
        return
    path = f"/v1/{PROJECT}{filled(route.path, real(stocked))}"
    for headers in (
        [("X-Auth-Token", stocked.token), ("X-Auth-Token", "another")],
        [("X-Auth-Token", "")],
        [("X-Auth-Token", b"\xff\xfe")],
        [("X-Auth-Token", "x" * 10_000)],
        [("X-Auth-Token", stocked.token), ("Host", "")],
        [("X-Auth-Token", stocked.token), ("Host", 'a b<>"')],
        [("X-Auth-Token", stocked.token), ("Accept", b"\xff")],
        [("X-Auth-Token", stocked.token), ("X-OpenStack-Request-ID", "x\ty")],
        [("X-Auth-Token", stocked.token), ("Content-Type", "application/json"), ("Content-Type", "text/xml")],
    ):
        fine(stocked.client.request(route.method, path, headers=headers))


@pytest.mark.parametrize("route", [one for one in ROUTES if one.method == "GET"], ids=label)
def test_unknown_query_keys(stocked: Door, route: Route) -> None:
    path = filled(route.path, real(stocked))
    query = "" if not path.endswith("/stream") else "until=complete&"
    for odd in ("unknown=1", "unknown", "a=b&" * 500, "=", "limit=1&limit=2", "limit=&marker=&sort_dir="):
        fine(stocked("GET", f"{path}?{query}{odd}"))


def test_nothing_is_lost_by_any_of_it(stocked: Door) -> None:
    """Whatever is refused has changed nothing."""
    path = filled("/stacks/{stack_name}/{stack_id}", real(stocked))
    before = stocked.get(path), stocked.get(f"{path}/events")
    for route in CHANGING:
        for body in (b"{", b"[]", b'{"a": "\\u0000"}', b'{"a":' * 10_000):
            where = filled(route.path, real(stocked))
            if stocked(route.method, where, content=body, headers=JSON).status_code < 400:
                assert route.path.endswith(("/signal", "/restore")), route

    assert (stocked.get(path), stocked.get(f"{path}/events")) == before


@pytest.mark.parametrize("levels", [50, 90, 150, 500, 900, 5000])
def test_deep_nesting(door: Door, levels: int) -> None:
    value = "[" * levels + "1" + "]" * levels
    version = '"heat_template_version": "2021-04-16"'
    for part in (
        f'"template": {{{version}, "outputs": {value}}}',
        f'"template": {{{version}}}, "parameters": {{"a": {value}}}',
        f'"template": {{{version}}}, "environment": {{"parameter_defaults": {{"a": {value}}}}}',
        f'"template": {json.dumps("a: " + value)}',
    ):
        body = f'{{"stack_name": "s", {part}}}'
        fine(door("POST", "/stacks", content=body, headers={"Content-Type": "application/json"}))


def test_stacks_of_other_projects_cannot_be_touched(door: Door) -> None:
    stack = door.stage.add_stack("theirs", project=OTHER)
    door.stage.add_resource(stack, "r")
    base = f"/stacks/theirs/{stack}"
    for route in ROUTES:
        if not route.path.startswith("/stacks/{stack_name}"):
            continue
        path = route.path.replace("/stacks/{stack_name}/{stack_id}", base).replace("{stack_name}", "theirs")
        path = path.replace("{resource_name}", "r").replace("{output_key}", "o").replace("{event_id}", "e")
        body: Any = {"template": EMPTY} if route.method in ("PUT", "PATCH", "POST") else None
        if path.endswith("/actions"):
            body = {"suspend": None}
        if path.endswith("/resources/r") and body:
            body = {"mark_unhealthy": True}

        answer = door(route.method, path.replace("{snapshot_id}", "s"), body)

        refused = 400 if path.endswith(("/abandon", "/export")) else 404
        assert answer.status_code == refused, (route, answer.text)

    assert door.by(token(project=OTHER), OTHER).get(base)["stack"]["stack_status"] == "CREATE_COMPLETE"


def test_tokens_do_not_reach_other_projects(door: Door) -> None:
    for route in ROUTES:
        path = route.path.replace(":arn}", "}").replace("{", "").replace("}", "")
        answer = door.by(token(project=PROJECT), OTHER)(route.method, path, {})
        assert answer.status_code == 403, (route, answer.text)
