"""The value of a hidden parameter is shown to nobody who does not ask for it."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from calor.language.diagnostic_json import diagnostic_to_json
from calor.language.diagnostics import Report
from calor.language.lint import lint
from calor.language.request import resolve_request
from calor.language.schema import Property
from calor.language.view import resolved_view
from calor.types import catalogue
from calor.types.world import offline_world
from tests.property.template_strategies import (
    EXPRESSIONS,
    FILES,
    HOT_VERSION,
    templates,
)

MARKER = "s3cr3t-7f1e"
world = cache(offline_world)

secret_reads = st.sampled_from(
    (
        {"get_param": "secret"},
        {"Ref": "secret"},
        {"list_join": ["-", ["a", {"get_param": "secret"}]]},
        {"get_resource": {"get_param": "secret"}},
        {"get_param": {"get_param": "secret"}},
        {"get_attr": [{"get_param": "secret"}, "show"]},
        {"get_file": {"get_param": "secret"}},
        {"str_split": ["x", {"get_param": "secret"}, 7]},
        {"map_merge": [{"k": {"get_param": "secret"}}, {"a": "b"}]},
        {"map_replace": [{"k": "v"}, {"keys": {"k": {"get_param": "secret"}}}]},
        {"yaql": {"expression": "int($.data)", "data": {"get_param": "secret"}}},
        {"repeat": {"template": {"%x%": "%x%"}, "for_each": {"%x%": [{"get_param": "secret"}]}}},
        [{"k": {"get_param": "secret"}}],
    )
)
VALUES = st.one_of(secret_reads, EXPRESSIONS)


def shown(request: Any) -> str:
    """Everything that is printed about a request to someone who may not see secrets."""
    report = Report()
    definition = resolve_request(request, world(), report)
    view: Any = None
    if definition is not None:
        report.extend(lint(definition))
        view = resolved_view(definition, show_secrets=False)
    return json.dumps([view, [diagnostic_to_json(found) for found in report]], default=str, skipkeys=True)


def with_property(name: str, value: Any, kind: str = "OS::Heat::TestResource") -> dict[str, Any]:
    return {
        "heat_template_version": "2021-04-16",
        "parameters": {"secret": {"type": "string", "hidden": True, "default": MARKER}},
        "resources": {"r_one": {"type": kind, "properties": {name: value}}},
    }


@given(templates(values=VALUES, secret=MARKER))
@example(with_property("value", {"get_resource": {"get_param": "secret"}}))
@example(with_property("value", {"get_attr": [{"get_param": "secret"}, "x"]}))
@example(with_property("value", {"get_param": {"get_param": "secret"}}))
@example(with_property("value", [{"get_param": "secret"}]))
@example(with_property("many", ["a", {"get_param": "secret"}], "child.yaml"))
@example(with_property("get_param", "secret"))
@example(
    with_property("map_merge", [{"map_replace": [{"k": "v"}, {"keys": {"k": {"get_param": "secret"}}}]}, {}])
)
@example(
    with_property(
        "networks",
        [{"map_replace": [{"k": "v"}, {"keys": {"k": {"get_param": "secret"}}}]}],
        "OS::Nova::Server",
    )
)
@example(with_property("cidr", {"get_param": "secret"}, "OS::Neutron::Subnet"))
@example(with_property("fixed_ips", [{"ip_address": {"get_param": "secret"}}], "OS::Neutron::Port"))
def test_no_template_shows_a_default_of_a_hidden_parameter(template: Any) -> None:
    assert MARKER not in shown({"template": template, "files": FILES})


@given(
    templates(values=VALUES, secret="harmless"), st.sampled_from(("parameters", "environment", "defaults"))
)
def test_no_template_shows_what_is_given_for_a_hidden_parameter(template: Any, how: str) -> None:
    given_by: dict[str, dict[str, Any]] = {
        "parameters": {"parameters": {"secret": MARKER}},
        "environment": {"environment": {"parameters": {"secret": MARKER}}},
        "defaults": {"environment": {"parameter_defaults": {"secret": MARKER}}},
    }

    assert MARKER not in shown({"template": template, "files": FILES, **given_by[how]})


@pytest.mark.parametrize("shape", ["text", "list", "map", "written"])
def test_no_property_of_any_type_shows_a_hidden_value(shape: str) -> None:
    """Also those properties with rules of their own, which have words of their own for what is wrong."""
    hidden = {
        "text": MARKER,
        "list": [MARKER, {MARKER: MARKER}],
        "map": {MARKER: [MARKER]},
        "written": MARKER,
    }[shape]
    kind = {"text": "string", "written": "string"}.get(shape, "json")
    leaking = []
    for type_name in catalogue.names():
        declared = catalogue.declaration(type_name)
        assert declared is not None
        properties = {
            name: filled(prop) if shape == "written" else {"get_param": "secret"}
            for name, prop in declared.properties.items()
        }
        for given_ones in (properties, *({name: value} for name, value in properties.items())):
            template = {
                "heat_template_version": "2021-04-16",
                "parameters": {"secret": {"type": kind, "hidden": True, "default": hidden}},
                "resources": {"r": {"type": type_name, "properties": given_ones}},
            }
            if MARKER in shown({"template": template}):
                leaking.append((type_name, *given_ones))

    assert leaking == []


def filled(declared: Property) -> Any:
    """A value of the shape that a property wants, with the hidden value at each of its ends."""
    if declared.fields:
        return {name: filled(field) for name, field in declared.fields.items()}
    if declared.items is not None:
        return [filled(declared.items)]
    return [{"get_param": "secret"}] if declared.kind is list else {"get_param": "secret"}


constraints = st.sampled_from(
    (
        {"length": {"max": 3}},
        {"allowed_values": ["a", "b"]},
        {"allowed_pattern": "[a-z]+"},
        {"custom_constraint": "ip_addr"},
        {"custom_constraint": "no_such"},
    )
)
kinds = st.sampled_from(("string", "number", "json", "boolean", "comma_delimited_list"))


@given(
    kinds,
    st.lists(constraints, max_size=2),
    st.booleans(),
    st.sampled_from((MARKER, [MARKER], {"k": MARKER})),
)
def test_a_hidden_value_that_is_not_allowed_is_not_shown(
    kind: str, rules: list[Any], as_default: bool, value: Any
) -> None:
    declared = {
        "type": kind,
        "hidden": True,
        "constraints": rules,
        **({"default": value} if as_default else {}),
    }
    template = {
        "heat_template_version": "2021-04-16",
        "parameters": {"secret": declared},
        "outputs": {"o": {"value": {"get_param": "secret"}}},
    }

    assert MARKER not in shown({"template": template, "parameters": {} if as_default else {"secret": value}})


@given(templates(versions=HOT_VERSION, values=secret_reads, secret=MARKER))
def test_secrets_are_there_for_those_who_ask(template: Any) -> None:
    """The tests above would pass if the values had got lost on the way."""
    template["outputs"] = {"o": {"value": {"list_join": ["", ["<", {"get_param": "secret"}, ">"]]}}}
    definition = resolve_request({"template": template, "files": FILES}, world(), Report())

    assert definition is not None
    assert resolved_view(definition, show_secrets=True)["outputs"]["o"] == f"<{MARKER}>"
    assert resolved_view(definition, show_secrets=False)["outputs"]["o"] == "<******>"
