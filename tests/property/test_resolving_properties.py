"""Whatever the template, resolving it gives a definition or says why not, and always the same one."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from calor.graph import Cycle
from calor.language.definition import Definition
from calor.language.diagnostic_json import diagnostic_to_json
from calor.language.diagnostics import Report, Severity
from calor.language.lint import lint
from calor.language.request import resolve_request
from calor.language.view import resolved_view
from calor.types.world import offline_world
from tests.property.template_strategies import (
    FILES,
    HOT_VERSION,
    PARAMETERS,
    SMALL_EXPRESSIONS,
    anything,
    broken,
    parameter_names,
    requests,
    sound_templates,
    templates,
)

world = cache(offline_world)


def resolve(request: Any) -> tuple[Definition | None, Report]:
    report = Report()
    definition = resolve_request(request, world(), report)
    if definition is not None:
        report.extend(lint(definition))
    return definition, report


def everything_about(request: Any) -> str:
    """All that can be seen of a request's outcome, as text."""
    definition, report = resolve(request)
    view = resolved_view(definition, show_secrets=True) if definition else None
    return json.dumps(
        [view, [diagnostic_to_json(found) for found in report.sorted()]], default=repr, skipkeys=True
    )


def in_order(values: Any, order: list[int]) -> dict[Any, Any]:
    """A map whose entries come in an order of one's own."""
    entries = list((values or {}).items())
    for index in order:
        if entries:
            entries.append(entries.pop(index % len(entries)))
    return dict(entries)


@given(requests())
def test_any_request_is_resolved_or_refused_with_a_reason(request: Any) -> None:
    definition, report = resolve(request)

    assert definition is not None or report.has_errors


@given(requests(broken(templates())))
def test_broken_templates_are_resolved_or_refused_with_a_reason(request: Any) -> None:
    definition, report = resolve(request)

    assert definition is not None or report.has_errors


@given(anything(leaves=12))
def test_any_data_as_a_request(data: Any) -> None:
    for request in ({"template": data}, data if isinstance(data, dict) else {"files": data}):
        definition, report = resolve(request)
        assert definition is not None or report.has_errors


@given(
    st.dictionaries(
        st.sampled_from(("template", "files", "parameters", "environment", "environment_files")), anything()
    )
)
def test_any_data_in_the_parts_of_a_request(parts: Any) -> None:
    definition, report = resolve({"template": {"heat_template_version": "2021-04-16"}, **parts})

    assert definition is not None or report.has_errors


@given(requests())
def test_the_same_request_has_the_same_outcome(request: Any) -> None:
    assert everything_about(request) == everything_about(request)


@given(requests(), st.lists(st.integers(0, 5), min_size=1, max_size=4))
def test_the_order_of_files_and_parameters_makes_no_difference(request: Any, order: list[int]) -> None:
    shuffled = {
        **request,
        "files": in_order(request["files"], order),
        "parameters": in_order(request.get("parameters"), order),
    }
    environment = request.get("environment")
    if isinstance(environment, dict):
        shuffled["environment"] = in_order(environment, order)

    assert everything_about(shuffled) == everything_about(request)


@given(sound_templates())
def test_sound_templates_have_no_errors(template: Any) -> None:
    definition, report = resolve({"template": template})

    assert definition is not None
    assert [found.full_message for found in report if found.severity is Severity.ERROR] == []


@given(sound_templates())
def test_resolved_values_resolve_to_themselves(template: Any) -> None:
    """A template with each function replaced by its result says the same."""
    definition, _ = resolve({"template": template})
    assert definition is not None
    view = resolved_view(definition, show_secrets=True)

    literal = {
        key: template[key]
        for key in template
        if key not in ("parameters", "conditions", "resources", "outputs")
    }
    literal["resources"] = {
        name: {
            "type": seen["type"],
            "properties": seen["definition_properties"],
            "metadata": seen["metadata"],
        }
        for name, seen in view["resources"].items()
    }
    literal["outputs"] = {name: {"value": value} for name, value in view["outputs"].items()}
    again, report = resolve({"template": literal})

    assert again is not None
    assert not report.has_errors
    seen = resolved_view(again, show_secrets=True)
    assert seen["outputs"] == view["outputs"]
    for part in ("type", "definition_properties", "properties", "metadata"):
        assert {name: one[part] for name, one in seen["resources"].items()} == {
            name: one[part] for name, one in view["resources"].items()
        }


@given(requests())
def test_the_order_of_creation_respects_every_dependency(request: Any) -> None:
    definition, report = resolve(request)
    if definition is None:
        return
    try:
        order = definition.graph.order()
    except Cycle as cycle:
        assert "E409" in [found.code for found in report]
        for node, needed in zip(cycle.members, (*cycle.members[1:], cycle.members[0]), strict=True):
            assert needed in definition.graph.needs(str(node))
        return

    place = {name: index for index, name in enumerate(order)}
    assert sorted(order) == sorted(definition.resources)
    for node, needed in definition.graph.edges():
        assert place[needed] < place[node]


@given(requests())
def test_what_is_named_in_depends_on_comes_first(request: Any) -> None:
    definition, _ = resolve(request)
    if definition is None:
        return
    for resource in definition.resources.values():
        if resource.text.external_id is None:
            for name in resource.text.depends_on:
                assert (name in definition.graph.needs(resource.name)) == (name in definition.resources)


@given(templates(versions=HOT_VERSION, values=SMALL_EXPRESSIONS), st.sampled_from(sorted(PARAMETERS)))
def test_where_a_parameter_is_given_makes_no_difference(template: Any, name: str) -> None:
    value = template["parameters"][name].pop("default")

    given_by = [
        everything_about({"template": template, "files": FILES, **how})
        for how in (
            {"parameters": {name: value}},
            {"environment": {"parameters": {name: value}}},
            {"environment": {"parameter_defaults": {name: value}}},
            {"environment_files": ["e.yaml"], "files": {**FILES, "e.yaml": {"parameters": {name: value}}}},
        )
    ]

    assert given_by[0] == given_by[1] == given_by[2] == given_by[3]


@given(templates(values=SMALL_EXPRESSIONS), st.dictionaries(parameter_names, anything(leaves=3), max_size=2))
def test_parameters_that_are_not_required_are_not_asked_for(template: Any, parameters: Any) -> None:
    for section in ("parameters", "Parameters"):
        for declared in template.get(section, {}).values():
            declared.pop("default", None)
            declared.pop("Default", None)
    report = Report()

    resolve_request(
        {"template": template, "files": FILES, "parameters": parameters},
        world(),
        report,
        require_parameters=False,
    )

    assert "E208" not in [found.code for found in report]
