"""What must hold between the properties of the OS::Heat types."""

from __future__ import annotations

from typing import Any

import pytest

from calor.language.schema import Problem
from calor.language.values import Secret, Unknown
from calor.resources.contract import ResourceType
from calor.types import catalogue


def problems(type_name: str, **values: Any) -> list[Problem]:
    declared = catalogue.declaration(type_name)
    assert declared is not None
    given = complete(declared, values)
    return [problem for rule in declared.rules for problem in rule.problems(given)]


def complete(declared: type[ResourceType], values: dict[str, Any]) -> dict[str, Any]:
    return {name: prop.default for name, prop in declared.properties.items()} | values


def kinds(type_name: str, **values: Any) -> list[str]:
    return [problem.kind for problem in problems(type_name, **values)]


class TestScalingPolicy:
    TYPE = "OS::Heat::ScalingPolicy"

    def test_step_with_percentage(self) -> None:
        assert not problems(self.TYPE, adjustment_type="percent_change_in_capacity", min_adjustment_step=2)

    @pytest.mark.parametrize("step", [0, 1, Unknown(0)])
    def test_step_without_percentage(self, step: Any) -> None:
        [problem] = problems(self.TYPE, adjustment_type="exact_capacity", min_adjustment_step=step)

        assert problem.kind == "ResourcePropertyValueDependency"
        assert problem.path == ("min_adjustment_step",)

    def test_no_step(self) -> None:
        assert not problems(self.TYPE, adjustment_type="exact_capacity")

    def test_unknown_kind_of_adjustment(self) -> None:
        assert not problems(self.TYPE, adjustment_type=Unknown(""), min_adjustment_step=1)


class TestSizesOfAutoScalingGroup:
    RESOURCE = {"type": "OS::Heat::RandomString"}

    def kinds(self, low: Any, high: Any, wanted: Any = None) -> list[str]:
        return kinds(
            "OS::Heat::AutoScalingGroup",
            resource=self.RESOURCE,
            min_size=low,
            max_size=high,
            desired_capacity=wanted,
        )

    @pytest.mark.parametrize("sizes", [(0, 0), (1, 3), (1, 3, 1), (1, 3, 3), (0, 2, 0)])
    def test_in_order(self, sizes: tuple[Any, ...]) -> None:
        assert self.kinds(*sizes) == []

    @pytest.mark.parametrize("sizes", [(2, 1), (1, 3, 0), (1, 3, 4), (2, 1, 5)])
    def test_out_of_order(self, sizes: tuple[Any, ...]) -> None:
        assert self.kinds(*sizes) == ["StackValidationFailed"]

    @pytest.mark.parametrize("sizes", [(Unknown(0), 3), (3, Unknown(0)), (1, 3, Unknown(0)), (Secret(4), 3)])
    def test_unseen_sizes_are_passed_over(self, sizes: tuple[Any, ...]) -> None:
        assert self.kinds(*sizes) == []


class TestDefinitionOfScaledMembers:
    def problems(self, resource: Any) -> list[Problem]:
        return problems("OS::Heat::AutoScalingGroup", resource=resource, min_size=0, max_size=1)

    def test_without_type(self) -> None:
        assert [problem.kind for problem in self.problems({"properties": {}})] == ["KeyError"]

    @pytest.mark.parametrize(
        ("key", "value"),
        [("type", 1), ("type", None), ("properties", []), ("metadata", "x"), ("depends_on", 1)],
    )
    def test_part_of_the_wrong_kind(self, key: str, value: Any) -> None:
        [problem] = self.problems({"type": "A::B::C", key: value})

        assert problem.kind == "TypeError"
        assert problem.path == ("resource", key)

    @pytest.mark.parametrize("part", [{"deletion_policy": "retain"}, {"depends_on": [1]}])
    def test_part_with_a_bad_value(self, part: dict[str, Any]) -> None:
        assert [problem.kind for problem in self.problems({"type": "A::B::C", **part})] == [
            "StackValidationFailed"
        ]

    @pytest.mark.parametrize(
        "part",
        [
            {"deletion_policy": "Retain"},
            {"depends_on": "other"},
            {"properties": Unknown({})},
            {"metadata": Secret({})},
            {"unheard_of": 1},
        ],
    )
    def test_acceptable_part(self, part: dict[str, Any]) -> None:
        assert not self.problems({"type": "A::B::C", **part})

    @pytest.mark.parametrize("resource", [Unknown({}), "text", None])
    def test_what_is_not_a_map_is_not_judged_here(self, resource: Any) -> None:
        assert not [problem for problem in self.problems(resource) if problem.kind != "KeyError"]


class TestResourceChain:
    def test_names_of_types(self) -> None:
        assert not problems("OS::Heat::ResourceChain", resources=["A::B::C", Unknown("")])

    @pytest.mark.parametrize("item", [1, None, "", {}])
    def test_item_that_is_not_a_name(self, item: Any) -> None:
        [problem] = problems("OS::Heat::ResourceChain", resources=["A::B::C", item])

        assert problem.kind == "StackValidationFailed"
        assert problem.path == ("resources", 1)


class TestRandomString:
    TYPE = "OS::Heat::RandomString"

    def test_room_for_the_default_class(self) -> None:
        assert not problems(self.TYPE, length=1)

    def test_classes_alone_need_too_much(self) -> None:
        classes = [{"class": "digits", "min": 2}, {"class": "letters", "min": 2}]

        assert kinds(self.TYPE, length=3, character_classes=classes) == ["StackValidationFailed"]

    def test_sequences_count_on_top_of_the_default_class(self) -> None:
        sequences = [{"sequence": "abc", "min": 1}]

        assert kinds(self.TYPE, length=1, character_sequences=sequences) == ["StackValidationFailed"]
        assert not problems(self.TYPE, length=2, character_sequences=sequences)
        assert not problems(self.TYPE, length=1, character_sequences=sequences, character_classes=[])

    @pytest.mark.parametrize(
        "values",
        [{"length": Unknown(0)}, {"length": 1, "character_sequences": [{"min": Unknown(0)}, Unknown({})]}],
    )
    def test_unseen_values_are_passed_over(self, values: dict[str, Any]) -> None:
        assert not problems(self.TYPE, **values)


class TestSoftwareComponent:
    TYPE = "OS::Heat::SoftwareComponent"

    def test_different_actions(self) -> None:
        configs = [{"tool": "a", "actions": ["CREATE", "CREATE"]}, {"tool": "b", "actions": ["UPDATE"]}]

        assert not problems(self.TYPE, configs=configs)

    def test_same_action_twice(self) -> None:
        configs = [{"tool": "a", "actions": ["CREATE", "UPDATE"]}, {"tool": "b", "actions": ["UPDATE"]}]

        [problem] = problems(self.TYPE, configs=configs)

        assert problem.kind == "StackValidationFailed"
        assert problem.path == ("configs", 1, "actions")

    def test_unseen_actions_are_passed_over(self) -> None:
        configs = [
            {"tool": "a", "actions": Unknown([])},
            Unknown({}),
            {"tool": "b", "actions": [Unknown("")]},
        ]

        assert not problems(self.TYPE, configs=configs)


class TestValue:
    @pytest.mark.parametrize(
        ("kind", "value"),
        [
            ("string", "x"),
            ("string", 1),
            ("string", True),
            ("number", 1.5),
            ("number", "1e3"),
            ("number", True),
            ("comma_delimited_list", ["a"]),
            ("json", {"a": Unknown()}),
            ("boolean", False),
            ("boolean", "True"),
            ("number", Unknown("x")),
            ("number", Secret("1")),
            ("number", None),
            (None, "anything"),
            (Unknown(""), "anything"),
            ("unheard_of", "anything"),
        ],
    )
    def test_value_fits(self, kind: Any, value: Any) -> None:
        assert not problems("OS::Heat::Value", type=kind, value=value)

    @pytest.mark.parametrize(
        ("kind", "value"),
        [
            ("string", 1.5),
            ("string", []),
            ("string", {}),
            ("number", "x"),
            ("number", ""),
            ("number", []),
            ("comma_delimited_list", "a,b"),
            ("json", "{}"),
            ("boolean", 1),
            ("boolean", "yes"),
            ("number", Secret("x")),
        ],
    )
    def test_value_does_not_fit(self, kind: str, value: Any) -> None:
        [problem] = problems("OS::Heat::Value", type=kind, value=value)

        assert problem.kind == "Property error"
        assert problem.path == ("value",)
