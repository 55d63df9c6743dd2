"""What is known of a definition that was just accepted is what is read of it later."""

from __future__ import annotations

from typing import Any

from calor.language.definition import Definition
from calor.service.commands import Commands, NewStack
from calor.service.queries import Queries
from calor.service.queries.definitions import summary_of
from calor.service.requests import StackChange
from calor.store import records
from tests.support.workbench import CALLER, Workbench

SECRET = {"type": "string", "hidden": True}


def request(length: int) -> dict[str, Any]:
    return {
        "template": {
            "heat_template_version": "2021-04-16",
            "parameters": {"password": SECRET, "length": {"type": "number", "default": length}},
            "resources": {
                "first": {
                    "type": "OS::Heat::RandomString",
                    "properties": {"length": {"get_param": "length"}},
                },
                "second": {
                    "type": "OS::Heat::Value",
                    "properties": {"value": {"get_attr": ["first", "value"]}},
                },
            },
            "outputs": {"value": {"value": {"get_attr": ["second", "value"]}}},
        },
        "files": {},
        "environment": {"parameters": {"password": "swordfish"}},
        "parameters": {},
    }


def test_summaries_of_accepted_definitions_are_those_of_stored_ones(bench: Workbench) -> None:
    accepted: list[tuple[records.Stack, Definition]] = []
    commands = Commands(
        bench.database,
        bench.writer,
        bench.world,
        lambda: None,
        accepted=lambda stack, definition: accepted.append((stack, definition)),
    )
    stack = commands.stacks.create(CALLER, NewStack("s", request(5)))
    bench.wait(stack)
    commands.stacks.update(CALLER, bench.stack(stack.id), StackChange(request(6)))

    stored = Queries(bench.database, bench.world).definitions

    assert len(accepted) == 2
    for one, definition in accepted:
        assert summary_of(definition) == stored.of(one)
    assert accepted[0][0].definition != accepted[1][0].definition
