"""Diagnostics: all that is wrong at once, each once, in order, in its place, with a hint."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import calor
from calor.language.codes import CODES
from calor.language.diagnostics import (
    Diagnostic,
    Place,
    Position,
    Report,
    Severity,
    closest,
    did_you_mean,
    dotted,
    within,
)
from tests.unit.language.resolving import child, resolve

BROKEN = """\
heat_template_version: 2021-04-16
description: everything wrong at once
parameters:
  size:
    type: numbr
  name:
    type: string
    default: x
    constraints:
      - length: {min: 3}
conditions:
  big: {equal: [1, 2]}
resources:
  server:
    type: OS::Nova::Servr
  test:
    type: OS::Heat::TestResource
    depends_on: nothing
    properties:
      valeu: x
      wait_secs: soon
      fail: {get_param: nmae}
      client_name:
        list_join: [",", [1]]
  other:
    type: OS::Heat::TestResource
    condition: bog
    properties:
      value: {get_attr: [tset, output]}
outputs:
  first:
    value: {get_attr: [test, outptu]}
  second: {vaule: 1}
ouputs: {}
"""


class TestAllAtOnce:
    def test_everything_is_reported_in_one_run(self) -> None:
        resolved = resolve(BROKEN, version=None)
        found = [(one.where.line if one.where else 0, one.code) for one in resolved.diagnostics]

        assert found == [
            (5, "E203"),
            (8, "E205"),
            (12, "E405"),
            (15, "E401"),
            (18, "E403"),
            (20, "E410"),
            (21, "E414"),
            (22, "E407"),
            (24, "E407"),
            (27, "E405"),
            (29, "E403"),
            (32, "E404"),
            (33, "E118"),
            (33, "W103"),
            (34, "E111"),
        ]

    def test_whatever_is_misspelt_has_a_hint(self) -> None:
        hints = {
            one.where.line: one.hint
            for one in resolve(BROKEN, version=None).diagnostics
            if one.where and one.hint
        }

        assert hints == {
            5: "did you mean `number`?",
            15: "did you mean `OS::Nova::Server`?",
            20: "did you mean `value`?",
            22: "did you mean `get_param: name`?",
            27: "did you mean `big`?",
            29: "did you mean `test`?",
            32: "did you mean `output`?",
            33: "did you mean `value`?",
            34: "did you mean `outputs`?",
        }

    def test_all_have_a_code_that_is_explained(self) -> None:
        assert {one.code for one in resolve(BROKEN, version=None).diagnostics} <= set(CODES)

    def test_the_stack_cannot_be_made(self) -> None:
        assert not resolve(BROKEN, version=None).stack.ok


class TestEachOnce:
    @pytest.mark.parametrize(
        "value",
        [
            "{get_resource: missing}",
            "{get_attr: [missing, output]}",
            "{get_param: missing}",
            "{str_split: x}",
            "{list_join: ['-', [{str_split: [',', a, 9]}]]}",
            "{list_join: ['-', [{get_resource: missing}]]}",
        ],
    )
    def test_an_error_in_a_value_that_is_looked_at_in_several_steps(self, value: str) -> None:
        resolved = resolve(
            f"""
            resources:
              r: {{type: OS::Heat::TestResource, properties: {{value: {value}}}}}
              s: {{type: OS::Heat::TestResource, properties: {{value: {{get_attr: [r, output]}}}}}}
            """
        )

        assert len(resolved.diagnostics) == 1

    def test_an_error_in_a_template_that_is_used_twice_is_named_for_each_use(self) -> None:
        broken = child("resources: {i: {type: No::Such::Type}}")
        resolved = resolve("resources: {r: {type: x.yaml}, s: {type: x.yaml}}", files={"x.yaml": broken})

        assert [found.path for found in resolved.diagnostics] == [
            "resources.r<x.yaml>",
            "resources.s<x.yaml>",
        ]
        assert len({found.where for found in resolved.diagnostics}) == 1

    def test_a_report_gives_equal_findings_once(self) -> None:
        report = Report()
        for _ in range(3):
            report.error("E111", "again", ("a",))

        assert len(report) == 3
        assert len(report.sorted()) == 1


class TestOrder:
    def at(
        self, file: str, line: int, column: int, severity: Severity = Severity.ERROR, code: str = "E1"
    ) -> Diagnostic:
        return Diagnostic(severity, code, "m", place=Place(Position(file, line, column)))

    def test_by_file_line_column_severity_and_code(self) -> None:
        ordered = [
            Diagnostic(Severity.ERROR, "E9", "nowhere"),
            self.at("a", 1, 2),
            self.at("a", 2, 1, code="E1"),
            self.at("a", 2, 1, code="E2"),
            self.at("a", 2, 1, Severity.WARNING, code="W1"),
            self.at("a", 10, 1),
            self.at("b", 1, 1),
        ]
        report = Report()
        report.extend(reversed(ordered))

        assert report.sorted() == ordered


class TestPlaces:
    def test_an_error_about_a_value_is_at_the_value(self) -> None:
        found = resolve(
            "heat_template_version: 2021-04-16\nresources:\n  a: {type: No::Such}\n", version=None
        ).only

        assert found.where == Position("template", 3, 13, 21)

    def test_an_error_about_a_name_is_at_the_name(self) -> None:
        text = """\
heat_template_version: 2021-04-16
resources:
  a:
    type: OS::Heat::TestResource
    properties:
      vlaue: x
"""

        assert resolve(text, version=None).only.where == Position("template", 6, 7, 12)

    def test_what_is_missing_is_at_what_it_is_missing_from(self) -> None:
        text = "heat_template_version: 2021-04-16\nresources:\n  a:\n    type: OS::Heat::Value\n"
        where = resolve(text, version=None).only.where

        assert where is not None
        assert where.line == 3

    def test_an_error_inside_of_a_function_is_at_the_innermost_one(self) -> None:
        text = """\
heat_template_version: 2021-04-16
outputs:
  o:
    value:
      list_join:
        - ","
        - - str_split: [",", a, 9]
"""
        found = resolve(text, version=None).only

        assert found.where is not None
        assert (found.where.line, found.where.column) == (7, 13)
        # The API names the output; the place in the text is more exact.
        assert found.path == "outputs.o.value"

    def test_a_position_prints_as_editors_read_it(self) -> None:
        assert str(Position("dir/t.yaml", 3, 7, 9)) == "dir/t.yaml:3:7"


class TestMessages:
    def test_kind_path_and_text(self) -> None:
        found = resolve("resources: {a: {type: OS::Heat::TestResource, properties: {wait_secs: soon}}}").only

        assert found.full_message == (
            "Property error: resources.a.properties.wait_secs: this must be a number, not 'soon'"
        )

    def test_a_plain_validation_error_does_not_name_its_kind(self) -> None:
        found = Diagnostic(Severity.ERROR, "E1", "text", path="outputs.o")

        assert found.full_message == "outputs.o: text"

    def test_without_a_path(self) -> None:
        assert Diagnostic(Severity.ERROR, "E1", "text").full_message == "text"

    @pytest.mark.parametrize(
        ("path", "text"),
        [
            ((), ""),
            (("resources", "a", "properties", "list", 0, "name"), "resources.a.properties.list[0].name"),
            (("resources", "0", "type"), "resources[0].type"),
            (("a", 1, 2), "a[1][2]"),
        ],
    )
    def test_paths(self, path: tuple[str | int, ...], text: str) -> None:
        assert dotted(path) == text

    def test_the_path_of_a_nested_template_is_put_before_its_own(self) -> None:
        found = Diagnostic(Severity.ERROR, "E1", "text", path="outputs.o")

        assert within(found, "resources.r<x.yaml>").path == "resources.r<x.yaml>.outputs.o"
        assert (
            within(Diagnostic(Severity.ERROR, "E1", "text"), "resources.r<x.yaml>").path
            == "resources.r<x.yaml>"
        )


class TestHints:
    def test_the_closest_name(self) -> None:
        assert did_you_mean("flavour", ["flavor", "favour", "server"]) == "did you mean `flavor`?"
        assert did_you_mean("xyz", ["flavor"]) is None
        assert did_you_mean("a", ["aa"], "get_param: {}") == "did you mean `get_param: aa`?"

    def test_of_very_many_names_too(self) -> None:
        names = [f"resource_{number}" for number in range(5000)]

        assert closest("resource_4242x", [*names, "other"]) is not None


class TestCodes:
    def test_every_code_in_the_source_is_explained_and_every_explained_one_is_used(self) -> None:
        folder = Path(calor.__file__).parent
        paths = [path for part in ("language", "cli") for path in (folder / part).rglob("*.py")]
        texts = [path.read_text("utf-8") for path in paths if path.name != "codes.py"]
        used = {code for text in texts for code in re.findall(r'"([EW]\d{3})"', text)}

        assert used == set(CODES)

    @pytest.mark.parametrize("code", CODES)
    def test_explanations_are_sentences(self, code: str) -> None:
        entry = CODES[code]

        assert entry.title
        assert entry.title[0].islower()
        assert not entry.title.endswith(".")
        assert entry.explanation.endswith(".")
