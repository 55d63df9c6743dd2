"""Commands that name several stacks."""

from __future__ import annotations

import json

import pytest
import yaml

from tests.cli.fake_service import HANG_UP, Reply, StandIn, refusal, stack
from tests.cli.invocation import Run

NOWHERE = "gone/00000000-0000-4000-8000-000000000000"


@pytest.fixture
def two(service: StandIn) -> StandIn:
    """Stacks `a` and `b`, which both can be checked and deleted."""
    for name in ("a", "b"):
        service.has(name, stack(name, "CHECK_COMPLETE"))
        service.says(f"DELETE /stacks/{name}/{name}-id", Reply(204))
    return service


class TestDeleting:
    def test_goes_on_behind_one_that_is_not_there(self, calor: Run, stack: str) -> None:
        ran = calor("stack", "delete", "-y", NOWHERE, "missing", stack)

        assert ran.code == 1
        assert [line.startswith("calor: ") for line in ran.complaints] == [False, True, True]
        assert "there is no stack missing" in ran.complaints[1]
        assert "gone" in ran.complaints[2]
        assert f"[{stack}]: DELETE_COMPLETE" in ran.out
        assert calor("stack", "show", stack).code == 1

    def test_goes_on_behind_one_that_is_refused_and_shows_which(self, command: Run, two: StandIn) -> None:
        two.says("DELETE /stacks/a/a-id", refusal(403, "it is not allowed"))

        ran = command("stack", "delete", "-y", "--no-wait", "a", "b")

        assert ran.code == 1
        assert ran.out == "Request to delete stack b has been accepted.\n"
        assert ran.complaints[1:] == [
            "calor: a: it is not allowed (your roles in this project do not allow it)"
        ]

    def test_goes_on_behind_one_that_failed(self, command: Run, two: StandIn) -> None:
        two.says("GET /stacks/a/a-id", stack("a", "DELETE_FAILED", "a port is in use"))
        two.says("GET /stacks/b/b-id", stack("b", "DELETE_COMPLETE"))

        ran = command("stack", "delete", "-y", "a", "b")

        assert ran.code == 1
        assert two.times("DELETE /stacks/b/b-id") == 1
        assert ran.complaints[1:] == [
            "calor: the stack a is DELETE_FAILED: a port is in use (see `calor stack failures a`)"
        ]


class TestActing:
    def test_goes_on_behind_one_that_fails_and_one_that_is_missing(self, command: Run, two: StandIn) -> None:
        two.says("GET /stacks/a/a-id", stack("a", "CHECK_FAILED", "it is gone"))

        ran = command("stack", "check", "a", "missing", "b")

        assert ran.code == 1
        assert ran.lines == ["b b-id CHECK_COMPLETE"]
        assert ran.complaints == [
            "calor: the stack a is CHECK_FAILED: it is gone (see `calor stack failures a`)",
            "calor: there is no stack missing (`calor stack list` lists them)",
        ]

    def test_ends_when_the_service_cannot_be_reached(self, command: Run, two: StandIn) -> None:
        two.says("POST /stacks/a/a-id/actions", HANG_UP)

        ran = command("stack", "check", "missing", "a", "b")

        assert ran.code == 1
        assert [line.split(" ")[1] for line in ran.complaints] == ["there", two.url]
        assert two.times("GET /stacks/b") == 0

    @pytest.mark.extended
    def test_makes_one_list_of_several_and_one_object_of_one(self, command: Run, two: StandIn) -> None:
        several = command("stack", "check", "-f", "json", "a", "b")
        one = command("stack", "check", "-f", "yaml", "a")

        assert [shown["stack_name"] for shown in json.loads(several.out)] == ["a", "b"]
        assert yaml.safe_load(one.out)["stack_name"] == "a"

    def test_lists_those_that_did_not_fail(self, command: Run, two: StandIn) -> None:
        two.says("POST /stacks/a/a-id/actions", refusal(409, "it is being changed"))

        ran = command("stack", "suspend", "--no-wait", "-f", "value", "-c", "stack_name", "a", "b")

        assert (ran.code, ran.out, ran.err) == (1, "b\n", "calor: a: it is being changed\n")
