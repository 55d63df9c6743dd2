"""Requests that nobody means well: the answer is an error of theirs, never one of the server."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest
from door import EMPTY, OTHER, PROJECT, SMALL, Door, Stage, open_door, token

from calor.api.heat.routes import ROUTES

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
    "\0",
    "\ud800",
    [],
    [[]],
    [None],
    {},
    {"": None},
    {"a": {"b": [1, {"c": None}]}},
    "x" * 900_000,
]


def fine(answer: Any) -> None:
    assert answer.status_code < 500, answer.text


@pytest.fixture
def stocked(stage: Stage) -> Door:
    stack = stage.add_stack("s", template=SMALL)
    stage.add_resource(stack, "first")
    stage.add_event(stack, "first")
    return open_door(stage)


@pytest.mark.parametrize("text", ODD_TEXTS, ids=ascii)
def test_odd_names_in_paths(stocked: Door, text: str) -> None:
    for route in ROUTES:
        path = route.path
        while "{" in path:
            head, _, rest = path.partition("{")
            path = head + quote(text, safe="") + rest.partition("}")[2]

        fine(stocked(route.method, path, {}))


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


@pytest.mark.parametrize("value", ODD_VALUES, ids=lambda value: ascii(value)[:20])
def test_odd_values_in_bodies(stocked: Door, value: Any) -> None:
    path = f"/stacks/s/{stocked.get('/stacks')['stacks'][0]['id']}"
    keys = (
        "stack_name template parameters environment files environment_files timeout_mins disable_rollback tags "
        "template_url files_container adopt_stack_data converge clear_parameters existing"
    )
    for key in keys.split():
        body = json.dumps({"stack_name": "new", "template": EMPTY, key: value})
        for method, address in (
            ("POST", "/stacks"),
            ("POST", "/validate"),
            ("PUT", path),
            ("PATCH", path),
        ):
            fine(stocked(method, address, content=body, headers={"Content-Type": "application/json"}))


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
