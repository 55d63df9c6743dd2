"""Every function of every version, by the cases of function_cases/.

A case is an expression, the versions it is for, and what becomes of it as the value of an output: it `gives` a
value, it `fails` when it is computed with a kind of error, or the template is `refused` for it with one.
`unknown` marks values that are known only after creation; `gives` is then what they look like until then.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from calor.language.definition import Definition
from calor.language.diagnostics import Diagnostic, Report, Severity
from calor.language.functions.logic import NotInConditions
from calor.language.parameters import StackIdentity
from calor.language.request import resolve_request
from calor.language.values import has_unknown
from calor.language.versions import ALL_VERSIONS, HOT_VERSIONS, Version
from calor.language.view import resolved_view
from tests.unit.language.resolving import WORLD

FILES = {"motd.txt": "Welcome, NAME.\n"}
TREE = {
    "name": "web",
    "ports": [80, 443],
    "nested": {"deep": [{"key": "found"}]},
    "pointer": "name",
    "file": "motd.txt",
    "query": "$.data.a",
    "nothing": None,
}
PARAMETERS: dict[str, tuple[str, Any]] = {
    "text": ("string", "hello"),
    "none": ("string", ""),
    "count": ("number", 3),
    "ratio": ("number", "2.5"),
    "flag": ("boolean", "on"),
    "colours": ("comma_delimited_list", "red,green,blue"),
    "tree": ("json", TREE),
    "written": ("json", '{"one": 1, "two": [2, 22]}'),
}
CFN_TYPES = {
    "string": "String",
    "number": "Number",
    "boolean": "Boolean",
    "comma_delimited_list": "CommaDelimitedList",
    "json": "Json",
}
THING = "OS::Heat::TestResource"


def template_around(expression: Any, version: Version) -> dict[str, Any]:
    return _hot(expression, version) if version.is_hot else _cfn(expression, version)


def _hot(expression: Any, version: Version) -> dict[str, Any]:
    template: dict[str, Any] = {
        version.key: version.date,
        "parameters": {name: {"type": kind, "default": value} for name, (kind, value) in PARAMETERS.items()},
        "resources": {"thing": {"type": THING}},
        "outputs": {"result": {"value": expression}},
    }
    if version.has_conditions:
        template["conditions"] = {"always": {"equals": [1, 1]}, "never": {"equals": [1, 2]}}
        template["resources"]["idle"] = {"type": THING, "condition": "never"}
    return template


def _cfn(expression: Any, version: Version) -> dict[str, Any]:
    template: dict[str, Any] = {
        version.key: version.date,
        "Parameters": {
            name: {"Type": CFN_TYPES[kind], "Default": value} for name, (kind, value) in PARAMETERS.items()
        },
        "Mappings": {"Greetings": {"hello": {"reply": "goodbye"}}},
        "Resources": {"thing": {"Type": THING}},
        "Outputs": {"result": {"Value": expression}},
    }
    if version.has_conditions:
        template["Conditions"] = {"always": {"Fn::Equals": [1, 1]}, "never": {"Fn::Equals": [1, 2]}}
    return template


@dataclass(frozen=True)
class Case:
    function: str
    data: dict[str, Any]
    versions: tuple[Version, ...]

    @property
    def expression(self) -> Any:
        return self.data["expr"]

    def __str__(self) -> str:
        return f"{self.function}: {json.dumps(self.expression, ensure_ascii=False)}"


def versions_in(text: Any) -> tuple[Version, ...]:
    """`hot`, `cfn`, `aws`, `2015-10-15 on`, `until 2015-04-30`, `2016-10-14 to 2018-08-31`, or a list of dates."""
    if isinstance(text, list):
        return tuple(version for version in ALL_VERSIONS if version.date in map(str, text))
    if text == "cfn":
        return tuple(version for version in ALL_VERSIONS if not version.is_hot)
    if text == "aws":
        return tuple(version for version in ALL_VERSIONS if not version.is_hot and version.has_conditions)
    words = text.split()
    first, last = "", "9999"
    if "to" in words:
        first, last = words[0], words[2]
    elif words[0] == "until":
        last = words[1]
    elif words[-1] == "on":
        first = words[0]
    else:
        assert text == "hot", text
    return tuple(version for version in HOT_VERSIONS if first <= version.date <= last)


def read_cases() -> Iterator[Case]:
    for path in sorted((Path(__file__).parent / "function_cases").glob("*.yaml")):
        for function, group in yaml.safe_load(path.read_text("utf-8")).items():
            whole = versions_in(group["versions"])
            for data in group["cases"]:
                own = data.get("versions", "hot")
                versions = versions_in(own) if "versions" in data else whole
                if isinstance(own, str):
                    # A span is a part of the group's; a list may name versions that the group leaves out.
                    versions = tuple(version for version in versions if version in whole)
                yield Case(function, data, versions)


CASES = list(read_cases())


def resolve(case: Case, version: Version) -> tuple[Definition, list[Diagnostic]]:
    report = Report()
    request = {"template": template_around(case.expression, version), "files": FILES}
    definition = resolve_request(request, WORLD, report, identity=StackIdentity(name="shown"))
    assert definition is not None
    return definition, [found for found in report if found.severity is Severity.ERROR]


def exactly(value: Any) -> str:
    """As text, which tells true from 1 and 1 from 1.0."""
    return json.dumps(value, sort_keys=True)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case) -> None:
    assert case.versions
    for version in case.versions:
        definition, errors = resolve(case, version)
        said = [found.full_message for found in errors]
        if "refused" in case.data:
            assert [found.kind for found in errors] == [case.data["refused"]], (version.title, said)
            assert not errors[0].deferred, (version.title, said)
            place = f"{version.words.outputs}.result.{version.words.value}"
            assert errors[0].path.startswith(place), (version.title, said)
        elif "fails" in case.data:
            assert [found.kind for found in errors] == [case.data["fails"]], (version.title, said)
            assert errors[0].deferred, (version.title, said)
            assert definition.outputs["result"] is None
        else:
            assert not errors, (version.title, said)
            shown = resolved_view(definition, show_secrets=False)["outputs"]["result"]
            assert exactly(shown) == exactly(case.data["gives"]), version.title
            assert has_unknown(definition.outputs["result"]) == case.data.get("unknown", False)


def _names_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
        for inner in value.values():
            yield from _names_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _names_in(inner)


@pytest.mark.parametrize("version", ALL_VERSIONS, ids=lambda version: version.title)
def test_every_function_has_a_case_that_works_and_one_that_does_not(version: Version) -> None:
    conditions = version.condition_functions or {}
    functions = {
        *version.all_functions,
        *(name for name, made in conditions.items() if made is not NotInConditions),
    }
    good: set[str] = set()
    bad: set[str] = set()
    for case in CASES:
        if version in case.versions:
            (good if "gives" in case.data else bad).update(_names_in(case.expression))
    needs_a_parent = {"resource_facade", "Fn::ResourceFacade"}
    cannot_fail = {"Fn::GetAZs"}

    assert functions - needs_a_parent <= good
    assert functions - cannot_fail <= bad
