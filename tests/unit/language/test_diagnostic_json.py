"""Diagnostics keep everything on their way through JSON."""

from __future__ import annotations

import json

from calor.language.diagnostic_json import diagnostic_from_json, diagnostic_to_json
from calor.language.diagnostics import Diagnostic, Place, Position, Report, Severity
from calor.language.request import resolve_request
from calor.types.world import offline_world

WHOLE = Diagnostic(
    Severity.ERROR,
    "E210",
    "Parameter 'size' is invalid: 9 is out of range",
    "StackValidationFailed",
    "parameters.size",
    Place(Position("env.yaml", 2, 3), "env.yaml", ("parameters", "size")),
    "give less",
    True,
    Place(None, "template", ("parameters", "size", 0)),
)


def test_the_way_through_json_loses_nothing() -> None:
    assert diagnostic_from_json(json.loads(json.dumps(diagnostic_to_json(WHOLE)))) == WHOLE


def test_keys_that_are_not_text_become_text() -> None:
    found = Diagnostic(Severity.ERROR, "E1", "t", place=Place(None, "template", (True, 8080, None)))

    assert diagnostic_to_json(found)["at"] == ["True", 8080, "None"]


def test_a_template_without_text_has_places_but_no_positions() -> None:
    template = {
        "heat_template_version": "2018-08-31",
        "resources": {"v": {"type": "OS::Heat::Value", "properties": {"valu": 1}}},
    }
    report = Report()
    resolve_request({"template": template}, offline_world(), report)
    (found,) = map(diagnostic_to_json, report)

    assert (found["document"], found["at"]) == ("template", ["resources", "v", "properties", "valu"])
    assert (found["file"], found["line"], found["column"]) == (None, None, None)
