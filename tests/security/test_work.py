"""What takes long is counted as well: nothing that a user writes keeps a service busy for minutes."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from calor.api import bodies
from calor.language import diagnostics
from calor.language.budget import Sizes
from calor.language.diagnostics import Report
from calor.language.request import MOST_ENVIRONMENTS, resolve_request
from calor.types.world import offline_world
from tests.support.api import Door, error

HOT = {"heat_template_version": "2021-04-16"}
NONE = {"type": "OS::Heat::None"}
TOO_LARGE = "the values of the stack are too large: at most 1,000,000 bytes are allowed for all of them"
WORLD = replace(offline_world(), sizes=Sizes(stack=1_000_000))


def messages(request: dict[str, Any], world: Any = WORLD) -> list[str]:
    report = Report()
    resolve_request(request, world, report)
    return [found.message for found in report]


@pytest.mark.parametrize(
    "function",
    [
        {
            "str_replace": {
                "template": "ab" * 50_000,
                "params": {f"%{number}%": "x" for number in range(1_000)},
            }
        },
        {"repeat": {"template": "a" * 10_000, "for_each": {"a" * 10_000: [""] * 10_000}}},
    ],
)
def test_text_that_is_searched_again_and_again_is_counted(function: dict[str, Any]) -> None:
    """Little comes of it, which is why its size says nothing."""
    assert messages({"template": {**HOT, "outputs": {"o": {"value": function}}}}) == [TOO_LARGE]


def test_members_of_a_group_are_counted_before_they_are_written() -> None:
    member = {"type": "OS::Heat::Value", "properties": {"value": "%index%" + "x" * 10_000}}
    group = {"type": "OS::Heat::ResourceGroup", "properties": {"count": 200, "resource_def": member}}
    assert messages({"template": {**HOT, "resources": {"g": group}}}) == [TOO_LARGE]


def test_what_a_nested_template_has_written_is_counted_for_each_stack() -> None:
    """It is compiled for each, even if it gives little."""
    below = {**HOT, "outputs": {"o": {"value": [{"get_param": "OS::stack_id"} for _ in range(100)]}}}
    above = {**HOT, "resources": {f"r{number}": {"type": "below.yaml"} for number in range(50)}}
    found = messages(
        {"template": above, "files": {"below.yaml": below}}, replace(WORLD, checks_outputs=False)
    )
    assert TOO_LARGE in found[0]


def test_hints_are_looked_for_where_few_things_are_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0
    matches = diagnostics.get_close_matches

    def counted(wrong: str, names: list[str], **options: Any) -> list[str]:
        nonlocal compared
        compared += len(names)
        return matches(wrong, names, **options)

    monkeypatch.setattr(diagnostics, "get_close_matches", counted)
    resources = {f"resource{number}": NONE for number in range(500)}
    outputs = {f"o{number}": {"value": {"get_resource": f"resuorce{number}"}} for number in range(500)}
    report = Report()
    resolve_request({"template": {**HOT, "resources": resources, "outputs": outputs}}, WORLD, report)
    found = list(report)
    assert len(found) == 500
    assert found[0].hint == "did you mean `resource0`?"
    assert found[-1].hint is None
    assert compared <= diagnostics.MOST_COMPARISONS + 500


def test_names_that_are_very_long_are_not_compared() -> None:
    assert diagnostics.closest("a" * 300, ["a" * 299, "b"]) is None
    assert diagnostics.closest("nmae", ["name", "n" * 300]) == "name"


def test_lists_of_maps_are_compared_in_one_go() -> None:
    """Each with each would be a hundred million comparisons."""
    many = [{"a": [number]} for number in range(10_000)]
    unique = {"list_concat_unique": [many, many]}
    report = Report()
    definition = resolve_request(
        {"template": {**HOT, "outputs": {"o": {"value": unique}}}}, offline_world(), report
    )
    assert definition is not None
    assert definition.outputs["o"] == many


def test_environments_are_merged_so_often() -> None:
    environment = {"parameters": {"p": "x" * 500_000}, "parameter_merge_strategies": {"p": "merge"}}
    request: dict[str, Any] = {
        "template": {**HOT, "parameters": {"p": {"type": "string"}}},
        "files": {"e.yaml": json.dumps(environment)},
    }
    many = {**request, "environment_files": ["e.yaml"] * (MOST_ENVIRONMENTS + 1)}
    assert messages(many) == ["there are more than 100 environment_files"]
    large = {**request, "environment_files": ["e.yaml"] * 40}
    assert messages(large)[0] == "the merged values of `p` have more than 16,777,216 bytes"
    few = {**request, "environment_files": ["e.yaml"] * 3}
    assert messages(few) == []


def test_a_template_has_so_many_values() -> None:
    assert messages({"template": "x: [" + "[]," * 1_000_000 + "]"}) == [
        "the text has more than 2,000,000 values"
    ]


def test_a_body_has_so_many_values(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """Brackets and commas in a text are no values."""
    monkeypatch.setattr(bodies, "LARGE", 1_000)
    monkeypatch.setattr(bodies, "MOST_VALUES", 1_000)
    refused = error(door("POST", "/validate", {"template": {"a": [[]] * 1_000}}), 400)
    assert refused["type"] == "RequestLimitExceeded"
    assert refused["message"] == "The body has more than 1,000 values."
    text = {**HOT, "description": 'a "[,{" in a text\\' * 500}
    assert door("POST", "/validate", {"template": text}).status_code == 200
