"""Requests that ask for too much, or for nonsense, are refused with a reason and harm nobody."""

from __future__ import annotations

from typing import Any

import pytest

from calor.language.diagnostics import Report
from calor.language.functions.sizes import MOST_TEXT
from calor.language.request import resolve_request
from calor.language.values import MOST_ITEMS
from calor.types.world import offline_world

HOT = {"heat_template_version": "2021-04-16"}


def messages(request: dict[str, Any]) -> list[str]:
    report = Report()
    resolve_request(request, offline_world(), report)
    return [found.message for found in report.sorted()]


def of_output(value: Any, **sections: Any) -> list[str]:
    return messages({"template": {**HOT, **sections, "outputs": {"o": {"value": value}}}})


def nested(times: int, inner: Any, wrap: Any) -> Any:
    for _ in range(times):
        inner = wrap(inner)
    return inner


class TestTooMuch:
    """Each level of nesting multiplies what functions make; the limits hold before anything is made."""

    def test_combinations(self) -> None:
        lists = {letter: [str(number) for number in range(100)] for letter in "abcdefgh"}

        assert of_output({"repeat": {"template": "abcdefgh", "for_each": lists}}) == [
            f"`repeat` would return more than {MOST_ITEMS:,} values"
        ]

    def test_repeated_repetitions(self) -> None:
        bomb = nested(
            20, ["a"], lambda inner: {"repeat": {"template": inner, "for_each": {"x": list("12345")}}}
        )

        assert of_output(bomb) == [f"`repeat` would return more than {MOST_ITEMS:,} values"]

    def test_side_by_side(self) -> None:
        """Without permutations the rounds are few, but the template can be large."""
        large = {"repeat": {"template": "a", "for_each": {"x": ["y"] * 2000}}}
        again = {"repeat": {"template": large, "for_each": {"x": ["y"] * 2000}, "permutations": False}}

        assert of_output(again) == [f"`repeat` would return more than {MOST_ITEMS:,} values"]

    @pytest.mark.parametrize(
        "wrap",
        [
            lambda inner: {"str_replace": {"template": "xxxx", "params": {"x": inner}}},
            lambda inner: {"list_join": [inner, ["", "", "", "", ""]]},
        ],
        ids=["replaced", "joined"],
    )
    def test_text(self, wrap: Any) -> None:
        (message,) = of_output(nested(24, "boom", wrap))

        assert message.endswith(f"would return a string of more than {MOST_TEXT:,} characters")

    def test_text_of_repeated_items(self) -> None:
        item = {"list_join": ["", ["x" * 4096] * 2000]}
        expression = {"repeat": {"template": "%%%", "for_each": {"%": [item]}}}

        assert of_output(expression) == [
            f"`repeat` would return a string of more than {MOST_TEXT:,} characters"
        ]

    def test_concatenated_lists(self) -> None:
        half = {"repeat": {"template": "a", "for_each": {"x": ["y"] * 400, "z": ["y"] * 300}}}

        assert of_output({"list_concat": [half, half]}) == [
            f"`list_concat` would return more than {MOST_ITEMS:,} values"
        ]


class TestTooDeep:
    DEEP = nested(5000, 1, lambda inner: [inner])

    @pytest.mark.parametrize("part", ["template", "environment", "parameters", "files"])
    def test_parts_of_a_request(self, part: str) -> None:
        content = {"a": self.DEEP} if part != "files" else {"a": {"b": self.DEEP}}
        request = {"template": HOT, part: {**HOT, **content} if part == "template" else content}

        assert any("nested deeper than 100 levels" in message for message in messages(request))

    def test_text_of_a_json_parameter(self) -> None:
        text = "[" * 900 + "]" * 900
        template = {**HOT, "parameters": {"p": {"type": "json", "default": text}}}

        assert messages({"template": template}) == [
            "Parameter 'p' is invalid: the text is nested deeper than 100 levels"
        ]

    def test_text_that_is_selected_from(self) -> None:
        template = {
            "heat_template_version": "2013-05-23",
            "outputs": {"o": {"value": {"Fn::Select": [0, "[" * 900 + "]" * 900]}}},
        }

        assert messages({"template": template}) == ["`Fn::Select`: this string is neither a list nor a map"]

    def test_conditions_in_a_row(self) -> None:
        conditions: dict[str, Any] = {f"c{number}": {"not": f"c{number + 1}"} for number in range(2000)}

        found = of_output({"if": ["c0", "a", "b"]}, conditions={**conditions, "c2000": True})

        assert "more than 50 conditions depend on each other in a chain" in found

    def test_a_chain_of_resources_has_no_limit(self) -> None:
        resources = {
            f"r{number}": {
                "type": "OS::Heat::TestResource",
                "properties": {"value": {"get_resource": f"r{number + 1}"}},
            }
            for number in range(3000)
        }

        assert (
            messages({"template": {**HOT, "resources": {**resources, "r3000": {"type": "OS::Heat::None"}}}})
            == []
        )


class TestWrongShapes:
    @pytest.mark.parametrize(
        ("part", "content", "reason"),
        [
            ("files", 3, "`files` of the request must be a map"),
            ("files", {"a": 3}, "the content of the file `a` must be a string"),
            ("parameters", "a=b", "`parameters` of the request must be a map"),
            ("environment_files", "e.yaml", "`environment_files` of the request must be a list of names"),
            ("environment_files", [["e.yaml"]], "`environment_files` of the request must be a list of names"),
            ("environment", 3, "an environment must be a map of sections"),
        ],
    )
    def test_parts_of_a_request(self, part: str, content: Any, reason: str) -> None:
        assert messages({"template": HOT, part: content}) == [reason]

    @pytest.mark.parametrize("key", [1, 1.5, None, True])
    @pytest.mark.parametrize("section", ["parameters", "conditions", "resources", "outputs"])
    def test_keys_that_are_not_text(self, section: str, key: Any) -> None:
        """YAML reads `1:` and `yes:` as a number and a boolean."""
        assert messages({"template": {**HOT, section: {key: {"a": {key: key}}}, key: {}}}) != []

    def test_a_type_of_parameter_that_is_a_list(self) -> None:
        (message,) = messages({"template": {**HOT, "parameters": {"p": {"type": ["string"]}}}})

        assert message.startswith("`['string']` is not a parameter type")

    def test_a_group_of_maps(self) -> None:
        (message,) = messages({"template": {**HOT, "parameter_groups": [{"parameters": [{"a": "b"}]}]}})

        assert "there is no parameter" in message

    @pytest.mark.parametrize(
        "registry", [{1: "A::B"}, {"resources": {1: {2: "x"}}}, {"resources": {"r": {"hooks": 3}}}]
    )
    def test_a_strange_registry(self, registry: Any) -> None:
        template = {**HOT, "resources": {"r": {"type": "OS::Heat::None"}}}

        definition = resolve_request(
            {"template": template, "environment": {"resource_registry": registry}}, offline_world(), Report()
        )

        assert definition is not None

    @pytest.mark.parametrize("value", ["text", ["a"], 3])
    @pytest.mark.parametrize("key", ["properties", "update_policy"])
    def test_a_function_that_gives_no_map(self, key: str, value: Any) -> None:
        resource = {
            "type": "OS::Heat::ResourceGroup",
            "properties": {"resource_def": {"type": "OS::Heat::None"}},
        }
        template = {**HOT, "resources": {"r": {**resource, key: {"if": [True, value, {}]}}}}

        assert f"the {key} must be a map" in messages({"template": template})

    def test_properties_of_the_wrong_shape_in_a_nested_stack(self) -> None:
        """Values of nested stacks are not checked before creation, but types read them."""
        server = {
            "type": "OS::Nova::Server",
            "properties": {"flavor": "f", "networks": {"get_param": "networks"}},
        }
        child = {**HOT, "parameters": {"networks": {"type": "json"}}, "resources": {"server": server}}
        template = {**HOT, "resources": {"r": {"type": "child.yaml", "properties": {"networks": {"a": "b"}}}}}

        definition = resolve_request(
            {"template": template, "files": {"child.yaml": child}}, offline_world(), Report()
        )

        assert definition is not None

    def test_numbers_that_cannot_be_added(self) -> None:
        files = {
            name: {"parameters": {"n": value}, "parameter_merge_strategies": {"n": "merge"}}
            for name, value in (("a.yaml", 1), ("b.yaml", {"k": "v"}))
        }
        template = {**HOT, "parameters": {"n": {"type": "number"}}}

        found = messages({"template": template, "files": files, "environment_files": list(files)})

        assert "the values of `n` are not both numbers, so they cannot be added" in found

    @pytest.mark.parametrize("index", [float("inf"), float("nan"), "9" * 5000])
    def test_an_index_that_is_not_a_number(self, index: Any) -> None:
        assert of_output({"str_split": [",", "a,b", index]}) != []

    def test_half_a_character(self) -> None:
        assert of_output({"make_url": {"scheme": "http", "host": "\ud800"}}) == [
            "`make_url`: a part has characters that are not valid Unicode"
        ]
        assert messages(
            {"template": '{"heat_template_version": "2021-04-16", "description": "\\ud800"}'}
        ) == ["the text has characters that are not valid Unicode"]
