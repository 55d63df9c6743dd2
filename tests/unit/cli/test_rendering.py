"""Diagnostics in all the forms in which they can be had."""

import json
from textwrap import dedent

import pytest

from calor import __version__
from calor.cli.render import machine, plain, terminal
from calor.language.diagnostics import Diagnostic, Place, Position, Severity
from calor.language.source import Source

TEMPLATE = """\
heat_template_version: 2021-04-16
resources:
  web:
    type: OS::Nova::Server
    properties:
      flavour: m1.small
"""
UNKNOWN_PROPERTY = Diagnostic(
    Severity.ERROR,
    "E410",
    "there is no property `flavour`",
    path="resources.web.properties",
    place=Place(Position("web.yaml", 6, 7, 14)),
    hint="did you mean `flavor`?",
)
WITHOUT_PLACE = Diagnostic(Severity.WARNING, "W601", "nobody reads it", path="parameters.size")


def shown(diagnostic: Diagnostic, text: str = TEMPLATE, width: int = 100) -> str:
    sources = {"file:///home/web.yaml": Source("web.yaml", text)}
    return terminal.render([diagnostic], sources, color=False, width=width)


def marked(line: str, column: int, end_column: int | None = None, width: int = 100) -> list[str]:
    """The source line and the marks below it."""
    place = Position("web.yaml", 1, column, end_column)
    rendered = shown(Diagnostic(Severity.ERROR, "E101", "wrong", place=Place(place)), line, width)
    return [one.removeprefix("1 | ").removeprefix("  | ") for one in rendered.splitlines()[3:5]]


class TestTerminal:
    def test_shows_the_line_with_the_place_marked_and_the_hint_below(self) -> None:
        assert shown(UNKNOWN_PROPERTY) == dedent("""\
            error[E410]: there is no property `flavour`
             --> web.yaml:6:7
              |
            6 |       flavour: m1.small
              |       ^^^^^^^
              |
              = help: did you mean `flavor`?
            """)

    def test_numbers_of_lines_widen_the_margin(self) -> None:
        where = Position("web.yaml", 12, 1, 3)
        assert shown(
            Diagnostic(Severity.ERROR, "E101", "wrong", place=Place(where)), "\n" * 11 + "ab: 1"
        ) == dedent("""\
            error[E101]: wrong
              --> web.yaml:12:1
               |
            12 | ab: 1
               | ^^
            """)

    def test_without_a_position_the_path_stands_instead(self) -> None:
        assert shown(WITHOUT_PLACE) == dedent("""\
            warning[W601]: nobody reads it
             --> parameters.size
            """)

    def test_a_place_in_a_file_that_is_not_at_hand_is_only_named(self) -> None:
        there = Diagnostic(
            Severity.INFO, "I1", "see there", place=Place(Position("other.yaml", 3, 1)), hint="go"
        )
        assert shown(there) == dedent("""\
            note[I1]: see there
             --> other.yaml:3:1
              = help: go
            """)

    def test_in_a_nested_stack_the_path_shows_which_one(self) -> None:
        nested = Diagnostic(
            Severity.ERROR,
            "E401",
            "there is no such type",
            path="resources.group<nested_stack>.resources.0",
            place=Place(Position("web.yaml", 3, 3, 6)),
        )
        assert "  = note: in resources.group<nested_stack>.resources.0\n" in shown(nested)

    def test_without_an_end_one_character_is_marked(self) -> None:
        assert marked("name: value", 7) == ["name: value", "      ^"]

    def test_the_end_of_a_line_can_be_marked(self) -> None:
        assert marked("name", 5, 9) == ["name", "    ^"]

    def test_tabs_become_spaces_and_the_mark_stays_below_its_text(self) -> None:
        assert marked("\tab\tcd", 5, 7) == ["    ab  cd", "        ^^"]

    def test_wide_characters_take_two_cells(self) -> None:
        assert marked("日本: x", 5, 6) == ["日本: x", "      ^"]

    def test_characters_that_steer_the_terminal_are_shown_as_pictures(self) -> None:
        assert marked("a\x1b[2Jb", 6) == ["a␛[2Jb", "     ^"]
        assert "\x1b" not in shown(Diagnostic(Severity.ERROR, "E1", "\x1b[31m", hint="\x1b", path="\x1b"))

    @pytest.mark.parametrize(
        ("column", "expected"),
        [
            (1, ["target-aaaaaaaaaaaaa…", "^^^^^^"]),
            (60, ["…aaaaa-target-aaaaaa…", "       ^^^^^^"]),
            (200, ["…aaaaaaaaaaaaa-target", "               ^^^^^^"]),
        ],
    )
    def test_a_long_line_is_cut_around_the_mark(self, column: int, expected: list[str]) -> None:
        before = "a" * (column - 2) + "-" if column > 1 else ""
        after = "-" + "a" * 140 if column < 200 else ""
        line = f"{before}target{after}"
        assert marked(line, column, column + 6, width=25) == expected

    def test_a_mark_ends_where_the_line_is_cut(self) -> None:
        text, mark = marked("a" * 200, 1, 201, width=25)
        assert len(text) == len(mark) == 21

    def test_colours_are_used_only_when_asked_for(self) -> None:
        source = {"web.yaml": Source("web.yaml", TEMPLATE)}
        assert "\x1b[31;1merror[E410]\x1b[0m" in terminal.render([UNKNOWN_PROPERTY], source, color=True)
        assert "\x1b" not in terminal.render([UNKNOWN_PROPERTY], source, color=False)


class TestSummary:
    def test_counts_by_severity(self) -> None:
        found = [UNKNOWN_PROPERTY, UNKNOWN_PROPERTY, UNKNOWN_PROPERTY, WITHOUT_PLACE]
        assert terminal.summary(found, 2) == "3 errors, 1 warning in 2 files"

    def test_shows_that_nothing_was_found(self) -> None:
        assert terminal.summary([], 1) == "no problems found in 1 file"


class TestPlain:
    def test_is_one_line_each(self) -> None:
        assert plain.render([UNKNOWN_PROPERTY, WITHOUT_PLACE]) == (
            "web.yaml:6:7: error E410 there is no property `flavour` (did you mean `flavor`?)\n"
            "parameters.size: warning W601 nobody reads it"
        )

    def test_a_message_of_several_lines_stays_on_one(self) -> None:
        assert plain.render([Diagnostic(Severity.ERROR, "E101", "one\ntwo")]) == "error E101 one two"


class TestJson:
    def test_holds_the_diagnostics_and_their_numbers(self) -> None:
        document = json.loads(machine.to_json([UNKNOWN_PROPERTY, WITHOUT_PLACE]))
        assert document["summary"] == {"errors": 1, "warnings": 1, "infos": 0}
        first, second = document["diagnostics"]
        assert (first["code"], first["file"], first["line"], first["column"]) == ("E410", "web.yaml", 6, 7)
        assert (second["file"], second["path"]) == (None, "parameters.size")


class TestSarif:
    def test_is_a_log_with_one_run_of_calor(self) -> None:
        log = json.loads(machine.to_sarif([UNKNOWN_PROPERTY], {"E410": "unknown property"}.get))
        assert log["version"] == "2.1.0"
        (run,) = log["runs"]
        assert run["tool"]["driver"] == {
            "name": "Calor",
            "version": __version__,
            "rules": [{"id": "E410", "shortDescription": {"text": "unknown property"}}],
        }
        assert run["results"] == [
            {
                "ruleId": "E410",
                "ruleIndex": 0,
                "level": "error",
                "message": {"text": "there is no property `flavour` (did you mean `flavor`?)"},
                "locations": [
                    {
                        "physicalLocation": {
                            "artifactLocation": {"uri": "web.yaml"},
                            "region": {"startLine": 6, "startColumn": 7, "endColumn": 14},
                        },
                        "logicalLocations": [{"fullyQualifiedName": "resources.web.properties"}],
                    }
                ],
            }
        ]

    def test_each_result_points_to_its_rule(self) -> None:
        (run,) = json.loads(machine.to_sarif([WITHOUT_PLACE, UNKNOWN_PROPERTY]))["runs"]
        rules = run["tool"]["driver"]["rules"]
        assert [rules[result["ruleIndex"]]["id"] for result in run["results"]] == ["W601", "E410"]

    @pytest.mark.parametrize(
        ("file", "uri"),
        [
            ("a b/ü.yaml", "a%20b/%C3%BC.yaml"),
            ("a:b.yaml", "a%3Ab.yaml"),
            ("/etc/a b.yaml", "file:///etc/a%20b.yaml"),
            ("https://example.org/a.yaml?x=1", "https://example.org/a.yaml?x=1"),
        ],
    )
    def test_a_file_is_named_by_a_valid_reference(self, file: str, uri: str) -> None:
        found = Diagnostic(Severity.ERROR, "E1", "wrong", place=Place(Position(file, 1, 1)))
        (result,) = json.loads(machine.to_sarif([found]))["runs"][0]["results"]
        assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


class TestGithub:
    def test_is_a_workflow_command(self) -> None:
        assert machine.to_github([UNKNOWN_PROPERTY]) == (
            "::error file=web.yaml,line=6,col=7,title=E410::"
            "there is no property `flavour` (did you mean `flavor`?)"
        )

    def test_what_ends_a_command_or_a_property_is_escaped(self) -> None:
        found = Diagnostic(Severity.INFO, "I1", "100%\r\n::x, y", place=Place(Position("C:a,b%.yaml", 1, 2)))
        assert machine.to_github([found]) == (
            "::notice file=C%3Aa%2Cb%25.yaml,line=1,col=2,title=I1::100%25%0D%0A::x, y"
        )

    def test_without_a_position_the_path_is_in_the_message(self) -> None:
        assert machine.to_github([WITHOUT_PLACE]) == "::warning title=W601::parameters.size: nobody reads it"
