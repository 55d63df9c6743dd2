"""The errors that the service sends as data are shown with their places in the files at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.fake_service import StandIn, refusal, reported
from tests.cli.invocation import Run
from tests.support.server import Server

HEAD = "heat_template_version: 2018-08-31\n"


def write(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text)


def test_an_error_in_a_nested_template_is_shown_in_its_file(calor: Run, templates: Path) -> None:
    write(
        templates,
        top=HEAD + "resources:\n  tier: {type: tier.yaml}\n",
        tier=HEAD + "resources:\n  one: {type: leaf.yaml}\n",
        leaf=HEAD + "resources:\n  v:\n    type: OS::Heat::Value\n    properties:\n      valu: 1\n",
    )

    ran = calor("stack", "create", "-t", "top.yaml", "x")

    assert ran.complaints == ["calor: leaf.yaml:6:7: there is no property `valu` (did you mean `value`?)"]


def test_an_error_in_the_members_of_a_group_is_shown_once_where_they_are_defined(
    calor: Run, templates: Path
) -> None:
    group = (
        "resources:\n"
        "  group:\n"
        "    type: OS::Heat::ResourceGroup\n"
        "    properties:\n"
        "      count: 3\n"
        "      resource_def:\n"
        "        type: OS::Heat::ResourceGroup\n"
        "        properties:\n"
        "          resource_def:\n"
        "            type: OS::Heat::Value\n"
        "            properties:\n"
        "              valu: 1\n"
    )
    write(templates, group=HEAD + group)

    ran = calor("stack", "create", "-t", "group.yaml", "x")

    assert ran.complaints == ["calor: group.yaml:13:15: there is no property `valu` (did you mean `value`?)"]


def test_several_errors_in_several_files_are_shown_together(calor: Run, templates: Path) -> None:
    write(
        templates,
        several=HEAD
        + "parameters:\n  size: {type: number}\n"
        + "resources:\n  a: {type: part.yaml}\n  b: {type: OS::Heat::Nonesuch}\n",
        part=HEAD + "resources:\n  v: {type: OS::Heat::Value, properties: {valu: 1}}\n",
        given="parameters:\n  size: many\n",
    )

    ran = calor("stack", "create", "-t", "several.yaml", "-e", "given.yaml", "x")

    assert [line.partition(": ")[0] for line in ran.err.splitlines()] == [
        "given.yaml:2:3",
        "part.yaml:3:43",
        "several.yaml:6:13",
        "calor",
    ]
    assert ran.err.splitlines()[0].endswith("(it is declared at several.yaml:3:3)")
    assert "the service refuses the template, which has 3 errors" in ran.err


def test_an_error_in_an_environment_is_shown_in_its_file(calor: Run, templates: Path) -> None:
    write(templates, good="parameters: {word: x}\n", bad="parameters: {}\nresource_registry:\n  a: 1\n")

    ran = calor("stack", "create", "-t", "outer.yaml", "-e", "good.yaml", "-e", "bad.yaml", "x")

    assert ran.complaints == ["calor: bad.yaml:3:3: `a` must map to the name of a type or a template"]


def test_a_type_that_the_policy_denies_is_shown_where_it_is_used(calor: Run, templates: Path) -> None:
    group = "  g: {type: OS::Heat::ResourceGroup, properties: {resource_def: {type: OS::Keystone::Role}}}\n"
    write(templates, denied=HEAD + "resources:\n" + group)

    ran = calor("stack", "create", "-t", "denied.yaml", "x")

    assert ran.code == 1
    assert ran.err.startswith("calor: denied.yaml:3:72: ")
    assert "OS::Keystone::Role" in ran.err


def test_a_refused_update_and_its_preview_are_shown_with_their_places(
    calor: Run, templates: Path, stack: str
) -> None:
    write(templates, wrong=HEAD + "resources:\n  v: {type: OS::Heat::Value, properties: {valu: 1}}\n")
    said = "calor: wrong.yaml:3:43: there is no property `valu` (did you mean `value`?)"

    for verb in (("update", "--yes"), ("update", "--dry-run"), ("preview",)):
        assert calor("stack", *verb, "-t", "wrong.yaml", stack).complaints == [said]


def test_a_service_without_diagnostics_is_quoted(
    server: Server, calor: Run, templates: Path, service: StandIn
) -> None:
    write(templates, wrong=HEAD + "resources:\n  v: {type: OS::Heat::Value, properties: {valu: 1}}\n")
    message = "Property error: : resources.v.properties: : Unknown Property valu"
    service.says("POST /stacks", refusal(400, message))

    ran = calor("stack", "create", "-t", "wrong.yaml", "x")

    assert ran.complaints == [f"calor: {message}"]


@pytest.mark.parametrize(
    "diagnostics",
    [
        "none",
        [1, None, {"code": "E1"}, {"severity": ["error"], "code": "E1", "text": "t"}],
        [{"severity": "error", "code": "E1", "text": "t", "document": "template", "at": 7, "line": "x"}],
        [{"severity": "error", "code": "E1", "text": "t", "document": "elsewhere.yaml", "at": [["a"]]}],
    ],
)
def test_diagnostics_of_another_form_do_no_harm(
    command: Run, templates: Path, service: StandIn, diagnostics: object
) -> None:
    body = {"error": {"type": "X", "message": "it is wrong"}, "diagnostics": diagnostics}
    service.says("POST /stacks", reported(body, 400))

    ran = command("stack", "create", "-t", "outer.yaml", "x")

    assert ran.code == 1
    assert len(ran.complaints) == 1
    assert ran.err in ("calor: it is wrong\n", "calor: outer.yaml:1:1: t\n")
