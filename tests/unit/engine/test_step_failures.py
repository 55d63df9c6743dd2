"""How failures name the resources that they are about."""

from __future__ import annotations

from calor.stacks.states import StepFailed


def test_a_failure_begins_with_the_way_to_its_resource() -> None:
    failed = StepFailed("Conflict", "it is taken").at("0").at("group")

    assert failed.reason == "Conflict: resources.group.resources[0]: it is taken"


def test_what_is_about_a_property_names_the_property_once() -> None:
    wrong = StepFailed("StackValidationFailed", "resources.s.properties.size: 5 is out of range")

    assert wrong.at("s").message == "resources.s.properties.size: 5 is out of range"
    assert wrong.at("s").at("s").message == "resources.s.resources.s.properties.size: 5 is out of range"
