"""What a few lines make of themselves is counted: no template takes the memory of a service."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from calor.language.budget import Sizes
from calor.language.definition import Outputs
from calor.language.diagnostics import Report
from calor.language.request import resolve_request
from calor.types.world import offline_world
from tests.support import api_fixtures as stages
from tests.support.api import Door, Stage, error

SIZES = Sizes(value=20_000, stack=200_000)
WORLD = replace(offline_world(), sizes=SIZES, checks_outputs=False)
HOT = {"heat_template_version": "2021-04-16"}
NONE = {"type": "OS::Heat::None"}
LARGE = "at most 20,000 bytes are allowed for a value"
MANY = "at most 200,000 bytes are allowed for all of them"


@pytest.fixture(autouse=True)
def _limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "offline_world", lambda: WORLD)


def text(size: int) -> Any:
    """A function that makes a long text of little."""
    return {
        "list_join": ["", {"repeat": {"template": "x" * (size // 10), "for_each": {"%": list("abcdefghij")}}}]
    }


def value(content: Any) -> dict[str, Any]:
    return {"type": "OS::Heat::Value", "properties": {"value": content}}


def template(outputs: dict[str, Any] | None = None, **resources: Any) -> dict[str, Any]:
    shown = {name: {"value": content} for name, content in (outputs or {}).items()}
    return {**HOT, "resources": resources, "outputs": shown}


def refusal(door: Door, given: dict[str, Any], **more: Any) -> str:
    body = {"stack_name": "s", "template": given, **more}
    return str(error(door("POST", "/stacks", body), 400)["message"])


def test_a_property_that_is_too_large_is_refused(door: Door) -> None:
    assert refusal(door, template(r=value(text(30_000)))).endswith(LARGE)
    door.create("s", template(r=value(text(10_000))))


def test_many_that_are_too_large_together_are_refused(door: Door) -> None:
    many = {f"r{number}": value(text(10_000)) for number in range(40)}
    assert refusal(door, template(**many)).endswith(MANY)


def test_stacks_below_are_counted_with_the_stack_above(door: Door) -> None:
    below = template(r=value(text(10_000)))
    above = template(**{f"r{number}": {"type": "below.yaml"} for number in range(20)})
    assert refusal(door, above, files={"below.yaml": below}).endswith(MANY)


@pytest.mark.parametrize(
    "content",
    [
        # The same text many times: it is one in memory, and many in an answer.
        [{"get_param": "p"}] * 100,
        {"repeat": {"template": {"get_param": "p"}, "for_each": {"%": list("abcdefghij")}}},
        {"list_concat": [{"repeat": {"template": "x", "for_each": {"%": [{"get_param": "p"}] * 9}}}] * 9},
        # Large on the way, and small in the end.
        {"digest": ["md5", text(500_000)]},
        [{"digest": ["md5", text(19_000)]} for _ in range(12)],
        {"yaql": {"expression": "$.data.len()", "data": [{"get_param": "p"}] * 100}},
        {"str_split": ["x", text(400_000)]},
    ],
)
def test_nothing_gets_around_the_count(door: Door, content: Any) -> None:
    given = {**template(r=value(content)), "parameters": {"p": {"type": "string", "default": "x" * 9000}}}
    assert refusal(door, given).endswith((LARGE, MANY))


def test_an_output_that_is_too_large_is_an_error_of_its_own(live: Door) -> None:
    given = template({"large": text(30_000), "small": "x"}, r=NONE)
    stack = live.settled(live.create("s", given))
    assert stack["stack_status"] == "CREATE_COMPLETE"
    large, small = stack["outputs"]
    assert large["output_value"] is None
    assert large["output_error"].endswith(LARGE)
    assert small["output_value"] == "x"


def test_outputs_share_what_they_may_take(live: Door) -> None:
    given = template({f"o{number:02}": text(10_000) for number in range(30)}, r=NONE)
    outputs = live.settled(live.create("s", given))["outputs"]
    assert outputs[0]["output_value"] == "x" * 10_000
    assert outputs[-1]["output_error"].endswith(MANY)


def test_a_preview_shows_no_more_than_a_stack_may_have(door: Door) -> None:
    given = template({f"o{number:02}": text(10_000) for number in range(30)}, r=NONE)
    shown = door("POST", "/stacks/preview", {"stack_name": "s", "template": given})
    assert shown.status_code == 200
    assert len(shown.content) < SIZES.stack


@pytest.fixture
def evaluated(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The names of the outputs that are evaluated before anything exists."""
    names: list[str] = []
    evaluate = Outputs._evaluated

    def noted(self: Outputs, name: str) -> Any:
        names.append(name)
        return evaluate(self, name)

    monkeypatch.setattr(Outputs, "_evaluated", noted)
    return names


def test_outputs_that_nobody_asks_for_are_not_evaluated(door: Door, evaluated: list[str]) -> None:
    path = door.create("s", template({"one": text(10), "two": text(10)}, r=NONE))
    door.get("/stacks")
    door.get(path, resolve_outputs="false")
    door.get(f"{path}/outputs")
    assert evaluated == []


def test_an_output_that_is_asked_for_is_evaluated_alone(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    from calor.service.queries import definitions

    asked: list[list[str]] = []
    stored_outputs = definitions.stored_outputs

    def noted(definition: Any, names: Any, states: Any) -> Any:
        asked.append(list(names))
        return stored_outputs(definition, names, states)

    monkeypatch.setattr(definitions, "stored_outputs", noted)
    path = door.create("s", template({"one": text(10), "two": text(10)}, r=NONE))
    assert door.get(f"{path}/outputs/two")["output"]["output_value"] == "x" * 10
    assert asked == [["two"]]


def late(size: int) -> dict[str, Any]:
    """A value of which nobody knows how large it is before the stack is made."""
    template = "%" * (size // 100)
    return value({"list_join": ["", {"repeat": {"template": template, "for_each": {"%": [FIRST]}}}]})


FIRST = {"get_attr": ["first", "output"]}
START = {"type": "OS::Heat::TestResource", "properties": {"value": "x" * 100}}


def test_what_shows_late_to_be_too_large_fails_its_resource(live: Door) -> None:
    stack = live.settled(live.create("s", template(first=START, r=late(30_000))))
    assert stack["stack_status"] == "CREATE_FAILED"
    assert f"resources.r: `value` is too large: {LARGE}" in stack["stack_status_reason"]


def test_what_resources_hold_is_counted_together(live: Door) -> None:
    many = {f"r{number}": late(15_000) for number in range(20)}
    stack = live.settled(live.create("s", template(first=START, **many)))
    assert stack["stack_status"] == "CREATE_FAILED"
    assert MANY in stack["stack_status_reason"]


def test_what_all_stacks_of_a_tree_hold_is_counted_together(live: Door) -> None:
    below = {**template(r=value({"get_param": "p"})), "parameters": {"p": {"type": "string"}}}
    member = {"type": "below.yaml", "properties": {"p": late(9_000)["properties"]["value"]}}
    above = template(first=START, **{f"m{number:02}": member for number in range(20)})
    stack = live.settled(live.create("s", above, files={"below.yaml": below}), 60.0)
    assert stack["stack_status"] == "CREATE_FAILED"
    assert MANY in stack["stack_status_reason"]


def test_an_attribute_that_is_too_large_is_not_stored(live: Door) -> None:
    """Each member's is small; all of them in a list are not."""
    group = {
        "type": "OS::Heat::ResourceGroup",
        "properties": {"count": 5, "resource_def": value("x" * 9_000)},
    }
    stack = live.settled(live.create("s", template({"o": {"get_attr": ["g", "value"]}}, g=group)))
    assert stack["stack_status"] == "CREATE_COMPLETE"
    assert stack["outputs"][0]["output_error"].endswith(LARGE)


def test_an_update_counts_what_it_replaces_once(live: Door) -> None:
    many = {f"r{number}": late(5_000) for number in range(12)}
    path = live.create("s", template(first=START, **many))
    assert live.settled(path)["stack_status"] == "CREATE_COMPLETE"
    for name in "xy":
        renewed = {"type": START["type"], "properties": {"value": name * 100}}
        assert live("PUT", path, {"template": template(first=renewed, **many)}).status_code == 202
        assert live.settled(path)["stack_status"] == "UPDATE_COMPLETE"


def test_aliases_of_long_text_are_counted() -> None:
    report = Report()
    written = "a: &a " + "x" * 100_000 + "\nb: [" + "*a, " * 1_000 + "]\n"
    assert resolve_request({"template": written}, WORLD, report) is None
    assert [found.message for found in report] == ["the aliases would expand to more than 16,777,216 bytes"]


def test_a_list_of_very_many_items_is_refused(door: Door) -> None:
    given = {**template(r=NONE), "parameters": {"p": {"type": "comma_delimited_list"}}}
    refused = refusal(door, given, parameters={"p": "," * 500_000})
    assert "a list has at most 200,000 items" in refused


def test_a_large_definition_is_not_kept(stage: Stage) -> None:
    """It is read again when it is asked for; memory is for what many ask for."""
    from calor.service.queries.recent import Recent

    read: list[str] = []
    recent = Recent(lambda key: read.append(key) or key, len, count=10, size=10)
    for key in ("a" * 4, "b" * 11, "a" * 4, "b" * 11, "c" * 7, "a" * 4):
        assert recent(key) == key
    assert read == ["a" * 4, "b" * 11, "b" * 11, "c" * 7, "a" * 4]
