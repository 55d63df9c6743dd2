"""What POST /validate says of a template."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.api import EMPTY, Door, error

TEMPLATE: dict[str, Any] = {
    "heat_template_version": "2021-04-16",
    "description": "Says much",
    "parameter_groups": [{"label": "All", "description": "Of them", "parameters": ["size", "secret"]}],
    "parameters": {
        "size": {
            "type": "number",
            "label": "Size",
            "description": "How large",
            "default": 4,
            "constraints": [
                {"range": {"min": 1, "max": 10}, "description": "between 1 and 10"},
                {"modulo": {"step": 2, "offset": 0}},
            ],
        },
        "secret": {
            "type": "string",
            "hidden": True,
            "tags": ["a"],
            "constraints": [{"length": {"min": 2}}, {"allowed_pattern": "[a-z]+"}],
        },
        "kind": {"type": "string", "constraints": [{"allowed_values": ["x", "y"]}]},
    },
}


def validate(door: Door, query: str = "", **body: Any) -> Any:
    answer = door("POST", f"/validate{query}", {"template": TEMPLATE, **body})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_parameters_need_no_values(door: Door) -> None:
    assert validate(door) == {
        "Description": "Says much",
        "Parameters": {
            "size": {
                "Type": "Number",
                "Description": "How large",
                "NoEcho": "false",
                "Label": "Size",
                "Default": 4,
                "MinValue": 1,
                "MaxValue": 10,
                "ConstraintDescription": "between 1 and 10",
                "Step": 2,
                "Offset": 0,
            },
            "secret": {
                "Type": "String",
                "Description": "",
                "NoEcho": "true",
                "Label": "secret",
                "Tags": ["a"],
                "MinLength": 2,
                "AllowedPattern": "[a-z]+",
            },
            "kind": {
                "Type": "String",
                "Description": "",
                "NoEcho": "false",
                "Label": "kind",
                "AllowedValues": ["x", "y"],
            },
        },
        "ParameterGroups": [{"label": "All", "description": "Of them", "parameters": ["size", "secret"]}],
        "Environment": {
            "parameters": {},
            "parameter_defaults": {},
            "resource_registry": {"resources": {}},
            "event_sinks": [],
        },
    }


def test_values_that_are_given(door: Door) -> None:
    environment = {"parameters": {"secret": "abc"}, "parameter_defaults": {"kind": "y"}}

    shown = validate(door, environment=environment, parameters={"size": "6"})

    assert shown["Parameters"]["size"]["Value"] == "6"
    assert shown["Parameters"]["secret"]["Value"] == "abc"
    assert shown["Parameters"]["kind"]["Default"] == "y"
    assert shown["Environment"]["parameters"] == {"secret": "abc", "size": "6"}


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("comma_delimited_list", "a,b"),
        ("comma_delimited_list", ["a", "b"]),
        ("json", '{"a": 1}'),
        ("json", {"a": 1}),
        ("boolean", "True"),
        ("string", 8081),
    ],
)
def test_a_value_is_shown_as_it_was_given(door: Door, kind: str, given: Any) -> None:
    template = {**EMPTY, "parameters": {"p": {"type": kind}}}
    shown = validate(door, template=template, parameters={"p": given})
    assert shown["Parameters"]["p"]["Value"] == given


@pytest.mark.parametrize(
    ("kind", "given"),
    [("comma_delimited_list", []), ("json", {}), ("boolean", False), ("string", ""), ("number", 0)],
)
def test_an_empty_value_is_not_shown(door: Door, kind: str, given: Any) -> None:
    template = {**EMPTY, "parameters": {"p": {"type": kind}}}
    shown = validate(door, template=template, parameters={"p": given})
    assert "Value" not in shown["Parameters"]["p"]


def test_allowed_values_are_shown_as_they_are_written(door: Door) -> None:
    constraints = [
        {"allowed_values": [False, "off"], "description": "no"},
        {"allowed_values": [False], "description": "never"},
    ]
    template = {**EMPTY, "parameters": {"p": {"type": "boolean", "constraints": constraints[:1]}}}
    assert validate(door, template=template)["Parameters"]["p"]["AllowedValues"] == [False, "off"]
    template = {**EMPTY, "parameters": {"p": {"type": "boolean", "constraints": constraints}}}
    assert validate(door, template=template)["Parameters"]["p"]["ConstraintDescription"] == "no never"


def test_a_group_has_the_label_and_description_that_it_is_given(door: Door) -> None:
    template = {**TEMPLATE, "parameter_groups": [{"parameters": ["size"]}]}
    assert validate(door, template=template)["ParameterGroups"] == [{"parameters": ["size"]}]


@pytest.mark.parametrize(
    "resource",
    [
        {"type": "OS::Heat::ResourceGroup"},
        {"type": "OS::Heat::RandomString", "properties": {"length": "many"}},
        {"type": "OS::Heat::RandomString", "properties": {"character_classes": [{"nope": 1}]}},
    ],
)
def test_values_of_properties_are_not_looked_at(door: Door, resource: dict[str, Any]) -> None:
    """A stack of it is refused; a template that lacks what an environment may bring is none the worse."""
    template = {**EMPTY, "resources": {"r": resource}}
    validate(door, template=template)
    error(door("POST", "/stacks/preview", {"stack_name": "s", "template": template}), 400)


def test_properties_and_parameters_that_do_not_exist_are_refused(door: Door) -> None:
    resource = {"type": "OS::Heat::RandomString", "properties": {"nope": 1}}
    error(door("POST", "/validate", {"template": {**EMPTY, "resources": {"r": resource}}}), 400)
    error(door("POST", "/validate", {"template": EMPTY, "parameters": {"nope": 1}}), 400)


def test_nested_templates(door: Door) -> None:
    template = {**EMPTY, "resources": {"r": {"type": "child.yaml", "properties": {"a": "x"}}}}
    child = "{heat_template_version: 2021-04-16, description: Below, parameters: {a: {type: string}}}"
    body = {"template": template, "files": {"child.yaml": child}}

    assert "NestedParameters" not in validate(door, **body)
    nested = validate(door, "?show_nested=True", **body)["NestedParameters"]

    assert nested["r"]["Type"] == "child.yaml"
    assert nested["r"]["Description"] == "Below"
    assert nested["r"]["Parameters"]["a"]["Value"] == "x"


def test_values_are_not_held_against_constraints(door: Door) -> None:
    assert validate(door, parameters={"size": 11})["Parameters"]["size"]["Value"] == 11


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (None, "HTTPBadRequest"),
        ({}, "HTTPBadRequest"),
        ({"template": {}}, "InvalidTemplateVersion"),
        ({"template": {**EMPTY, "resources": {"a": {"type": "No::Such"}}}}, "StackValidationFailed"),
        ({"template": TEMPLATE, "files_container": "c"}, "NotSupported"),
    ],
)
def test_what_is_refused(door: Door, body: Any, kind: str) -> None:
    assert error(door("POST", "/validate", body), 400)["type"] == kind


def test_errors_to_ignore(door: Door) -> None:
    assert validate(door, "?ignore_errors=99001")
    error(door("POST", "/validate?ignore_errors=1,2", {"template": TEMPLATE}), 400)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("environment", []),
        ("environment", 0),
        ("environment_files", {}),
        ("files", []),
        ("files_container", {}),
        ("template_url", {}),
    ],
)
def test_what_is_empty_and_of_a_wrong_kind_is_refused(door: Door, key: str, value: Any) -> None:
    template = {"heat_template_version": "2021-04-16"}

    error(door("POST", "/validate", {"template": template, key: value}), 400)
