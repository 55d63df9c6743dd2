"""From a stack's name, id or ARN to its URL."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from tests.support.api import OTHER, PROJECT, Door, error

METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]


def address(id: str, name: str = "a", project: str = PROJECT) -> str:
    return f"http://heat.test:8004/v1/{project}/stacks/{name}/{id}"


@pytest.fixture
def stack(door: Door) -> str:
    return door.stage.add_stack("a")


@pytest.mark.parametrize("method", METHODS)
def test_a_name_leads_to_the_address_whatever_the_method(door: Door, stack: str, method: str) -> None:
    answer = door(method, "/stacks/a")

    assert answer.status_code == 302
    assert answer.headers["location"] == address(stack)
    assert answer.json()["code"] == "302 Found"


def test_so_does_an_id(door: Door, stack: str) -> None:
    assert door("GET", f"/stacks/{stack}").headers["location"] == address(stack)


@pytest.mark.parametrize("quoted", [True, False])
def test_so_does_an_arn(door: Door, stack: str, quoted: bool) -> None:
    arn = f"arn:openstack:heat::{PROJECT}:stacks/a/{stack}"

    answer = door("GET", f"/stacks/{quote(arn, safe='') if quoted else arn}")

    assert answer.headers["location"] == address(stack)


def test_an_arn_of_something_below(door: Door, stack: str) -> None:
    answer = door("GET", f"/stacks/arn:openstack:heat::{PROJECT}:stacks/a/{stack}/resources/r")

    assert answer.headers["location"] == f"{address(stack)}/resources/r"


def test_the_query_is_kept(door: Door, stack: str) -> None:
    answer = door("GET", "/stacks/a?resolve_outputs=False&x=%20y")

    assert answer.headers["location"] == f"{address(stack)}?resolve_outputs=False&x=%20y"


@pytest.mark.parametrize("part", ["resources", "events", "template", "actions", "environment", "files"])
def test_parts_are_kept(door: Door, stack: str, part: str) -> None:
    assert door("GET", f"/stacks/a/{part}").headers["location"] == f"{address(stack)}/{part}"


def test_other_parts_are_taken_for_ids(door: Door, stack: str) -> None:
    error(door("GET", "/stacks/a/outputs"), 404)


@pytest.mark.parametrize("name", ["resources", "events", "template", "actions", "environment", "files"])
def test_a_stack_may_have_the_name_of_a_part(door: Door, name: str) -> None:
    stack = door.stage.add_stack(name)
    arn = f"arn:openstack:heat::{PROJECT}:stacks/{name}/{stack}"

    for identity in (name, stack, arn):
        assert door("GET", f"/stacks/{identity}").headers["location"] == address(stack, name)
    assert door("GET", f"/stacks/{name}/{name}").headers["location"] == f"{address(stack, name)}/{name}"


def test_names_that_are_words_of_the_api(door: Door) -> None:
    stack = door.stage.add_stack("detail")

    assert door("DELETE", "/stacks/detail").headers["location"] == address(stack, "detail")


def test_a_deleted_stack_is_found_by_id_only(door: Door) -> None:
    stack = door.stage.add_stack("gone", action="DELETE", deleted_at=1.0)

    assert door("GET", f"/stacks/{stack}").status_code == 302
    found = error(door("GET", "/stacks/gone"), 404)
    assert found["type"] == "EntityNotFound"
    assert "gone" in found["message"]


def test_stacks_of_others_are_not_found(door: Door) -> None:
    stack = door.stage.add_stack("theirs", project=OTHER)

    for identity in ("theirs", stack, f"arn:openstack:heat::{OTHER}:stacks/theirs/{stack}"):
        error(door("GET", f"/stacks/{identity}"), 404)
    error(door("GET", f"/stacks/theirs/{stack}"), 404)


def test_the_name_must_be_the_stacks(door: Door, stack: str) -> None:
    error(door("GET", f"/stacks/b/{stack}"), 404)
