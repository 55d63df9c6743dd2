"""What Calor resolves agrees with what Heat resolved: recorded answers of Heat 27, where they are at hand.

The recordings are not part of this project. Where they are missing, these tests are skipped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from calor.language.definition import Definition
from calor.language.diagnostics import Diagnostic, Report, Severity
from calor.language.request import resolve_request
from calor.language.view import resolved_view
from calor.types.world import offline_world

GOLDEN = Path(__file__).resolve().parents[2].parent / "shared" / "golden"
pytestmark = pytest.mark.skipif(not GOLDEN.is_dir(), reason="Heat's recorded answers are not at hand")

FUNCTION_CASES = 1859
TEMPLATES = 435
LEAST_AGREEMENT = 0.98

SHIPPED = "Calor ships the template of this type, which was missing where Heat's answer was recorded"
RESTARTER = "OS::Heat::HARestarter has its properties again"
EXPLAINED = {
    "0188": f"AWS::CloudWatch::Alarm: {SHIPPED}",
    "0211": f"AWS::CloudWatch::Alarm: {SHIPPED}; {RESTARTER}",
    "0215": f"AWS::RDS::DBInstance: {SHIPPED}",
    "0217": f"AWS::CloudWatch::Alarm: {SHIPPED}",
    "0219": f"AWS::CloudWatch::Alarm: {SHIPPED}; {RESTARTER}",
    "0220": f"AWS::CloudWatch::Alarm: {SHIPPED}; {RESTARTER}",
}
"""Templates that are resolved otherwise than Heat did, and why."""

Difference = str
Answer = tuple[Definition | None, list[Diagnostic]]


def test_all_functions_agree(say: Callable[[str], None]) -> None:
    recorded = json.loads((GOLDEN / "functions.json").read_text("utf-8"))
    surroundings = Surroundings(recorded["params"], recorded["files"])

    different = {
        f"{case['version']} {json.dumps(case['expr'])}": found
        for case in recorded["cases"]
        if (found := function_difference(case, surroundings)) is not None
    }

    count = len(recorded["cases"])
    say(f"functions: {count - len(different):,} of {count:,} agree with Heat")
    assert count == FUNCTION_CASES
    assert different == {}


def test_templates_agree(say: Callable[[str], None]) -> None:
    different = {}
    files = sorted((GOLDEN / "templates").glob("*.json"))
    for file in files:
        found = list(template_differences(json.loads(file.read_text("utf-8"))))
        if found:
            different[file.stem] = found

    agreeing = len(files) - len(different)
    say(f"templates: {agreeing} of {len(files)} agree with Heat ({agreeing / len(files):.1%})")
    assert len(files) == TEMPLATES
    assert agreeing / len(files) >= LEAST_AGREEMENT
    assert {name: found for name, found in different.items() if name not in EXPLAINED} == {}


def test_explained_differences_are_still_there() -> None:
    """An explanation that is not needed any more would hide the next difference in that template."""
    needless = [
        name
        for name in EXPLAINED
        if not list(
            template_differences(json.loads((GOLDEN / "templates" / f"{name}.json").read_text("utf-8")))
        )
    ]

    assert needless == []


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """Prints a figure past pytest's capturing: how many agree is worth knowing when all is well, too."""

    def printed(text: str) -> None:
        with capsys.disabled():
            print(f"\n{text}")

    return printed


def answer(request: dict[str, Any]) -> Answer:
    """The definition and the errors for which a server would refuse it."""
    report = Report()
    definition = resolve_request(request, world(), report)
    refusals = [found for found in report if found.severity is Severity.ERROR and not found.deferred]
    return definition, refusals


world = cache(offline_world)


class Surroundings:
    """The template around each recorded function: the same parameters, conditions, mappings and resource."""

    CFN_TYPES = {
        "string": "String",
        "number": "Number",
        "json": "Json",
        "comma_delimited_list": "CommaDelimitedList",
        "boolean": "Boolean",
    }
    FIRST_WITH_CONDITIONS = "2016-10-14"

    def __init__(self, parameters: dict[str, list[Any]], files: dict[str, str]) -> None:
        self.parameters = parameters
        self.files = files

    def request(self, version: str, expression: Any) -> dict[str, Any]:
        key, date = version.split(".", 1)
        hot = key == "heat_template_version"
        template = self._hot(date, expression) if hot else self._cfn(key, expression)
        return {"template": {key: date, **template}, "files": self.files}

    def _hot(self, date: str, expression: Any) -> dict[str, Any]:
        template = {
            "parameters": {
                name: {"type": kind, "default": value} for name, (kind, value) in self.parameters.items()
            },
            "resources": {"v": {"type": "OS::Heat::TestResource", "properties": {"value": "val"}}},
            "outputs": {"o": {"value": expression}},
        }
        if date >= self.FIRST_WITH_CONDITIONS:
            template["conditions"] = {"c_true": {"equals": ["a", "a"]}, "c_false": {"equals": ["a", "b"]}}
        return template

    def _cfn(self, key: str, expression: Any) -> dict[str, Any]:
        template = {
            "Parameters": {
                name: {"Type": self.CFN_TYPES[kind], "Default": value}
                for name, (kind, value) in self.parameters.items()
            },
            "Mappings": {"M": {"a": {"b": "mapped"}}},
            "Resources": {"v": {"Type": "OS::Heat::TestResource", "Properties": {"value": "val"}}},
            "Outputs": {"o": {"Value": expression}},
        }
        if key.startswith("AWS"):
            template["Conditions"] = {
                "c_true": {"Fn::Equals": ["a", "a"]},
                "c_false": {"Fn::Equals": ["a", "b"]},
            }
        return template


def function_difference(case: dict[str, Any], surroundings: Surroundings) -> Difference | None:
    definition, refusals = answer(surroundings.request(case["version"], case["expr"]))
    if definition is None:
        return "the template cannot be read"
    return validation_difference(case["validate"], refusals) or value_difference(case, definition)


def validation_difference(recorded: Any, refusals: list[Diagnostic]) -> Difference | None:
    heat = recorded["message"] if isinstance(recorded, dict) else recorded
    if (heat == "ok") != (not refusals):
        return f"validation: Heat says {heat}, Calor {shown(refusals)}"
    place = heat.split(": ")[0]
    if refusals and not any(found.path == place for found in refusals):
        return f"place: Heat names {place}, Calor {[found.path for found in refusals]}"
    return None


def value_difference(case: dict[str, Any], definition: Definition) -> Difference | None:
    error = definition.outputs.errors.get("o")
    value = resolved_view(definition, show_secrets=True)["outputs"]["o"]
    if "value_error" not in case:
        return None if same(case["value"], value) else f"value: Heat gives {case['value']}, Calor {value}"
    kind = case["value_error"]["type"]
    if error is None:
        return f"value: Heat fails with {kind}, Calor gives {value}"
    # What is written wrongly Heat refuses before it computes anything; that refusal was compared already.
    if kind not in (error.kind, "StackValidationFailed"):
        return f"kind: Heat fails with {kind}, Calor with {error.kind}"
    return None


def template_differences(recorded: dict[str, Any]) -> Iterator[Difference]:
    definition, refusals = answer({**recorded["request"], "parameters": recorded["parameters_given"]})
    yield from refusal_differences(list(heat_refusals(recorded)), refusals)
    if definition is None:
        return
    view = json.loads(json.dumps(resolved_view(definition, show_secrets=True), default=str))
    for part in ("params", "conditions"):
        if part in recorded:
            yield from map_differences(part, recorded[part], view[part])
    if "edges" in recorded:
        heat, ours = ({tuple(edge) for edge in edges} for edges in (recorded["edges"], view["edges"]))
        if heat != ours:
            yield f"edges: only Heat has {sorted(heat - ours)}, only Calor {sorted(ours - heat)}"
    yield from output_differences(recorded.get("outputs"), view["outputs"])
    yield from resource_differences(recorded.get("resources"), view["resources"])


def heat_refusals(recorded: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All errors for which Heat refused the stack; of several answers that it gives by chance, each."""
    for step in ("engine_exc", "stack_validate"):
        for outcome in (recorded.get(step), *(recorded.get("alternatives") or {}).get(step, ())):
            if isinstance(outcome, dict):
                yield outcome


def refusal_differences(heat: list[dict[str, Any]], refusals: list[Diagnostic]) -> Iterator[Difference]:
    if any(error["from_stub"] for error in heat):
        # What came from the stubs of the recording says nothing about the template.
        return
    if bool(heat) != bool(refusals):
        yield f"errors: Heat says {[error['message'] for error in heat]}, Calor {shown(refusals)}"
    elif heat and not any(is_same_error(error, found) for error in heat for found in refusals):
        yield f"errors: Heat says {heat[0]['type']} {heat[0]['message']}, Calor {shown(refusals)}"


PLACE = re.compile(
    r"(?:[\w ]+: )?((?:resources|outputs|Resources|Outputs|conditions|Conditions|parameters)[.\[<].*?): "
)
PLACE_AT_END = re.compile(r"\(in ([^)]*)\)")
NAMES = re.compile(r"\(([\w:.\-*]+)\)|'(\w+)'|\"([^\"]+)\"|for instance (\w+)")


def is_same_error(heat: dict[str, Any], found: Diagnostic) -> bool:
    """Whether both are at the same place; where Heat names none, about the same thing or of the same kind."""
    place = heat_place(heat["message"])
    if place is not None:
        return found.path.startswith(place) or found.path.replace("<nested_stack>", "").startswith(place)
    names = [name for names in NAMES.findall(heat["message"]) for name in names if name]
    return not names or found.kind == heat["type"] or any(name in found.full_message for name in names)


def heat_place(message: str) -> str | None:
    stated = PLACE.match(message)
    if stated:
        return stated[1]
    stated = PLACE_AT_END.search(message)
    if stated and stated[1] != "unknown":
        return "resources." + stated[1].replace(".Properties", ".properties")
    return None


def output_differences(heat: dict[str, Any] | None, ours: dict[str, Any]) -> Iterator[Difference]:
    if heat is None:
        return
    yield from map_differences("outputs", without_errors(heat), without_errors(ours))


def without_errors(outputs: dict[str, Any]) -> dict[str, Any]:
    """The outputs with every error made the same: that there is one counts, not how it is worded."""
    return {
        name: "(error)" if isinstance(value, dict) and "__error__" in value else value
        for name, value in outputs.items()
    }


def resource_differences(heat: dict[str, Any] | None, ours: dict[str, Any]) -> Iterator[Difference]:
    if heat is None:
        return
    if heat.keys() != ours.keys():
        yield f"resources: {sorted(heat.keys() ^ ours.keys())} are not in both"
    for name in heat.keys() & ours.keys():
        for part in ("type", "deletion_policy", "definition_properties", "properties", "metadata"):
            if part not in heat[name]:
                continue
            if isinstance(heat[name][part], dict):
                yield from map_differences(f"{name}.{part}", heat[name][part], ours[name][part])
            elif heat[name][part] != ours[name][part]:
                yield f"{name}.{part}: Heat has {heat[name][part]}, Calor {ours[name][part]}"
        if "explicit_depends" in heat[name]:
            asked = [sorted(side[name]["explicit_depends"]) for side in (heat, ours)]
            if asked[0] != asked[1]:
                yield f"{name}: Heat waits for {asked[0]}, Calor for {asked[1]}"


ABSENT = "(absent)"


def map_differences(part: str, heat: dict[str, Any], ours: dict[str, Any]) -> Iterator[Difference]:
    for name in sorted({*heat, *ours}):
        one, other = heat.get(name, ABSENT), ours.get(name, ABSENT)
        if not same(one, other):
            yield f"{part}.{name}: Heat has {one}, Calor {other}"


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal as JSON is: a number is never a boolean, keys are text."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return one == other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        one, other = ({str(key): value for key, value in side.items()} for side in (one, other))
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    return type(one) is type(other) and one == other


def shown(refusals: list[Diagnostic]) -> list[str]:
    return [found.full_message for found in refusals]
