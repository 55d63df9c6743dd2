"""Reading text: YAML 1.1 and JSON as Heat reads them, within limits, with every place to be found again."""

from __future__ import annotations

import json
import math
from textwrap import dedent
from typing import Any

import pytest

from calor.language.diagnostics import Diagnostic, Path, Position, Report, Severity
from calor.language.reader import Limits, read, read_mapping
from calor.language.source import Source


def read_well(text: str | bytes, **limits: int) -> Any:
    report = Report()
    source = read(text, "t.yaml", report, Limits(**limits))
    assert source is not None, [found.message for found in report]
    assert not len(report)
    return source.data


def warned(text: str) -> tuple[Any, list[Diagnostic]]:
    report = Report()
    source = read(dedent(text), "t.yaml", report)
    assert source is not None
    assert all(found.severity is Severity.WARNING for found in report)
    return source.data, report.sorted()


def refused(text: str | bytes, **limits: int) -> Diagnostic:
    report = Report()
    assert read_mapping(text, "t.yaml", report, Limits(**limits)) is None
    (found,) = report
    assert found.severity is Severity.ERROR
    assert found.kind == ("RequestLimitExceeded" if found.code == "E106" else "InvalidTemplate")
    return found


class TestScalars:
    @pytest.mark.parametrize("word", ["yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"])
    def test_words_for_true(self, word: str) -> None:
        assert read_well(f"a: {word}") == {"a": True}

    @pytest.mark.parametrize("word", ["no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"])
    def test_words_for_false(self, word: str) -> None:
        assert read_well(f"a: {word}") == {"a": False}

    @pytest.mark.parametrize("word", ["y", "n", "Y", "N", "yEs", "oN", "t", "enabled"])
    def test_other_words_are_text(self, word: str) -> None:
        assert read_well(f"a: {word}") == {"a": word}

    @pytest.mark.parametrize("word", ["", "~", "null", "Null", "NULL"])
    def test_forms_of_nothing(self, word: str) -> None:
        assert read_well(f"a: {word}") == {"a": None}

    @pytest.mark.parametrize("word", ["nil", "none", "None", "nULL", "'~'", '"null"', "''"])
    def test_what_only_looks_like_nothing(self, word: str) -> None:
        assert read_well(f"a: {word}") == {"a": word.strip("'\"")}

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("0", 0),
            ("-12", -12),
            ("+12", 12),
            ("1_000_000", 1_000_000),
            ("010", 8),
            ("-0644", -420),
            ("0x1F", 31),
            ("-0xff", -255),
            ("0b1010", 10),
            ("0_7", 7),
        ],
    )
    def test_whole_numbers(self, text: str, value: int) -> None:
        data = read_well(f"a: {text}")

        assert data == {"a": value}
        assert type(data["a"]) is int

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("1.5", 1.5),
            ("-.5", -0.5),
            ("1.", 1.0),
            ("6.02e+23", 6.02e23),
            ("1_0.5", 10.5),
            (".inf", math.inf),
        ],
    )
    def test_fractions(self, text: str, value: float) -> None:
        data = read_well(f"a: {text}")

        assert data == {"a": value}
        assert type(data["a"]) is float

    def test_not_a_number(self) -> None:
        assert math.isnan(read_well("a: .nan")["a"])

    @pytest.mark.parametrize(
        "text", ["08", "0o17", "1e3", "1.5e3", "1.2.3", "0x", "1a", ".", "+.x", "10.0.0.1", "1:99"]
    )
    def test_what_only_looks_like_a_number(self, text: str) -> None:
        assert read_well(f"a: {text}") == {"a": text}

    @pytest.mark.parametrize(
        "text", ["2021-04-16", "2001-12-14t21:59:43.10-05:00", "2001-12-14 21:59:43", "2021-4-6"]
    )
    def test_dates_stay_text(self, text: str) -> None:
        assert read_well(f"a: {text}") == {"a": text}

    @pytest.mark.parametrize("text", ["yes", "12", "0x10", "1.5", "null", "12:30", "2021-04-16", "<<", "="])
    def test_quoted_text_stays_text(self, text: str) -> None:
        assert read_well(f"a: '{text}'\nb: \"{text}\"") == {"a": text, "b": text}

    def test_block_text_stays_text(self) -> None:
        assert read_well("a: |\n  12\nb: >-\n  yes\n") == {"a": "12\n", "b": "yes"}

    @pytest.mark.parametrize(("text", "value"), [("22:30", 1350), ("190:20:30", 685230), ("-1:30", -90)])
    def test_base_60_is_read_and_warned_about(self, text: str, value: int) -> None:
        data, (warning,) = warned(f"ports:\n  - {text}\n")

        assert data == {"ports": [value]}
        assert warning.code == "W102"
        assert warning.message == f"`{text}` is read as the number {value} (base 60)"
        assert warning.hint == f'write "{text}" if text is meant'
        assert warning.where == Position("t.yaml", 2, 5, 5 + len(text))

    def test_base_60_with_a_fraction(self) -> None:
        data, (warning,) = warned("a: 1:30.5")

        assert data == {"a": 90.5}
        assert warning.code == "W102"

    def test_keys_are_read_as_values_are(self) -> None:
        assert read_well("on: 1\n0x10: 2\n~: 3") == {True: 1, 16: 2, None: 3}

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("!!str 12", "12"),
            ("!!int '12'", 12),
            ("!!float 3", 3.0),
            ("!!bool 'yes'", True),
            ("!!null x", None),
        ],
    )
    def test_tags_of_plain_types(self, text: str, value: Any) -> None:
        data = read_well(f"a: {text}")

        assert data == {"a": value}
        assert type(data["a"]) is type(value)


class TestJson:
    def test_is_read(self) -> None:
        data = {"a": [1, 2.5, True, None, "ü"], "b": {"c": {}}}

        assert read_well(json.dumps(data)) == data
        assert read_well("\n \t" + json.dumps(data, indent=2)) == data

    def test_numbers_are_those_of_json(self) -> None:
        assert read_well('{"a": 1e3, "b": "010"}') == {"a": 1000.0, "b": "010"}

    def test_what_is_not_quite_json_is_yaml(self) -> None:
        assert read_well("{a: yes, b: [c,],}") == {"a": True, "b": ["c"]}

    def test_tabs_between_its_tokens(self) -> None:
        assert read_well('{\n\t"a":\t1\n}') == {"a": 1}


class TestDuplicateKeys:
    def test_the_last_one_counts_and_is_pointed_at(self) -> None:
        data, (warning,) = warned(
            """\
            resources:
              a: 1
              b: 2
              a: 3
            """
        )

        assert data == {"resources": {"a": 3, "b": 2}}
        assert warning.code == "W101"
        assert warning.message == "`a` is given twice in the same map; the last one is used"
        assert warning.where == Position("t.yaml", 4, 3)

    def test_equal_values_count_as_equal_keys(self) -> None:
        data, warnings = warned("1: a\n0x1: b\n")

        assert data == {1: "b"}
        assert [found.code for found in warnings] == ["W101"]

    def test_the_same_key_in_different_maps_is_fine(self) -> None:
        assert read_well("- {a: 1}\n- {a: 2}") == [{"a": 1}, {"a": 2}]

    def test_in_json(self) -> None:
        data, (warning,) = warned('{"a": 1, "a": 2}')

        assert data == {"a": 2}
        assert warning.code == "W101"


class TestAnchorsAndMerges:
    def test_an_alias_is_what_it_stands_for(self) -> None:
        assert read_well("a: &x [1, {b: 2}]\nc: *x") == {"a": [1, {"b": 2}], "c": [1, {"b": 2}]}

    def test_an_alias_for_a_single_value(self) -> None:
        assert read_well("a: &x web\nb: *x") == {"a": "web", "b": "web"}

    def test_the_own_entries_win_over_merged_ones(self) -> None:
        text = "base: &b {x: 1, y: 1}\nmade:\n  <<: *b\n  y: 2\n"

        assert read_well(text)["made"] == {"x": 1, "y": 2}

    def test_the_own_entries_win_wherever_they_stand(self) -> None:
        text = "base: &b {x: 1, y: 1}\nmade:\n  y: 2\n  <<: *b\n"

        assert read_well(text)["made"] == {"x": 1, "y": 2}

    def test_of_several_merged_maps_the_first_wins(self) -> None:
        text = "a: &a {x: 1}\nb: &b {x: 2, y: 2}\nmade: {<<: [*a, *b]}\n"

        assert read_well(text)["made"] == {"x": 1, "y": 2}

    def test_merges_are_shallow(self) -> None:
        text = "a: &a {m: {x: 1}}\nmade: {<<: *a, m: {y: 2}}\n"

        assert read_well(text)["made"] == {"m": {"y": 2}}

    def test_a_quoted_merge_key_is_a_key(self) -> None:
        assert read_well("a: {'<<': {x: 1}}") == {"a": {"<<": {"x": 1}}}

    def test_an_anchor_can_be_given_again(self) -> None:
        assert read_well("a: &x 1\nb: *x\nc: &x 2\nd: *x") == {"a": 1, "b": 1, "c": 2, "d": 2}

    @pytest.mark.parametrize("value", ["1", "text", "[1]", "[{a: 1}, 2]"])
    def test_only_maps_can_be_merged(self, value: str) -> None:
        assert refused(f"a: {{<<: {value}}}").code == "E108"

    def test_an_alias_without_anchor(self) -> None:
        found = refused("a: 1\nb: *nowhere\n")

        assert found.code == "E107"
        assert "`*nowhere`" in found.message
        assert found.hint == "quote a value that starts with `*`"
        assert found.where == Position("t.yaml", 2, 4)

    def test_an_alias_before_its_anchor(self) -> None:
        assert refused("a: *x\nb: &x 1").code == "E107"

    @pytest.mark.parametrize(
        "text", ["a: &x {b: *x}", "a: &x [1, [*x]]", "&x a: {<<: 1, b: *x}", "&x\na: *x"]
    )
    def test_an_alias_inside_of_itself(self, text: str) -> None:
        found = refused(text)

        assert found.code in ("E107", "E108")

    def test_a_map_that_contains_itself_is_called_so(self) -> None:
        assert refused("a: &x {b: *x}").message == "`*x` contains itself"


class TestLimits:
    LEVELS = 30

    @pytest.mark.parametrize("form", ["flow", "block", "compact", "json"])
    def test_depth(self, form: str) -> None:
        def nested(levels: int) -> str:
            if form == "flow":
                return "a: " + "[" * (levels - 1) + "]" * (levels - 1)
            if form == "json":
                return '{"a": ' + "[" * (levels - 1) + "]" * (levels - 1) + "}"
            if form == "compact":
                return "a:\n " + "- " * (levels - 1) + "x"
            return (
                "".join(f"{'  ' * level}a:\n" for level in range(levels - 1)) + "  " * (levels - 1) + "a: x"
            )

        assert isinstance(read_well(nested(self.LEVELS), depth=self.LEVELS), dict)
        assert refused(nested(self.LEVELS + 1), depth=self.LEVELS).code == "E104"

    @pytest.mark.parametrize("start", ["[", "{a: ", '{"a": ', "- ", "? ", '[{"a":'])
    def test_depth_without_end_is_refused_and_not_a_crash(self, start: str) -> None:
        assert refused(start * 200_000).code in ("E101", "E104")

    def test_depth_through_aliases(self) -> None:
        steps = "".join(f"s{step}: &s{step} [*s{step - 1}]\n" for step in range(1, 40))

        assert refused("s0: &s0 [x]\n" + steps, depth=20).code == "E104"

    def test_size(self) -> None:
        text = "a: '" + "é" * 50 + "'"

        assert read_well(text, size=105)["a"] == "é" * 50
        found = refused(text, size=104)
        assert (found.code, found.kind) == ("E106", "RequestLimitExceeded")
        assert "105 bytes" in found.message
        assert refused(text.encode(), size=104).code == "E106"

    def test_a_bomb_of_aliases(self) -> None:
        lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
        lines += [f"a{step}: &a{step} [{', '.join([f'*a{step - 1}'] * 10)}]" for step in range(1, 30)]
        found = refused("\n".join(lines))

        assert found.code == "E107"
        assert "200,000 values" in found.message

    def test_a_bomb_of_merges(self) -> None:
        lines = ["a0: &a0 {" + ", ".join(f"k{key}: {key}" for key in range(50)) + "}"]
        lines += [
            f"a{step}: &a{step} {{<<: [*a{step - 1}, *a{step - 1}], n{step}: 1}}" for step in range(1, 3000)
        ]

        assert refused("\n".join(lines)).code == "E107"

    def test_many_aliases_of_something_small_are_fine(self) -> None:
        text = "a: &x [1, 2]\nb: [" + ", ".join(["*x"] * 1000) + "]"

        assert len(read_well(text)["b"]) == 1000


class TestRefused:
    def test_a_tab_as_indentation(self) -> None:
        found = refused("resources:\n\ta: 1\n")

        assert found.code == "E101"
        assert found.message == "a tab is used for indentation"
        assert found.hint == "YAML takes spaces only"
        assert found.where is not None
        assert found.where.line == 2

    def test_a_colon_in_a_value(self) -> None:
        found = refused("a: 1\ndescription: ports: 80 and 443\n")

        assert found.code == "E101"
        assert found.hint is not None
        assert "quote" in found.hint
        assert found.where is not None
        assert found.where.line == 2

    @pytest.mark.parametrize(
        "text", ["a: [1", "a: 'x", 'a: "\\q"', "a: %b", "a: @b", "a:\n  b: 1\n c: 2", "{a: 1]"]
    )
    def test_what_is_not_yaml(self, text: str) -> None:
        found = refused(text)

        assert found.code == "E101"
        assert found.where is not None

    @pytest.mark.parametrize(
        "rubbish",
        [b"\x89PNG\r\n\x1a\n\x00\x00", b"a: \xff\xfe", bytes(range(256)), b"\x1f\x8b\x08\x00\x00\x00\x00"],
    )
    def test_bytes_that_are_not_text(self, rubbish: bytes) -> None:
        assert refused(rubbish).code == "E102"

    def test_the_line_of_a_byte_that_is_not_text(self) -> None:
        assert refused(b"a: 1\nb: 2\nc: \xff\n").where == Position("t.yaml", 3, 1)

    @pytest.mark.parametrize("text", ["a: \x00", "a: \x07", "a: \ud800"])
    def test_characters_that_yaml_does_not_allow(self, text: str) -> None:
        assert refused(text).code in ("E101", "E102")

    def test_a_second_document(self) -> None:
        found = refused("a: 1\n---\nb: 2\n")

        assert found.code == "E105"
        assert found.where is not None
        assert found.where.line == 2

    @pytest.mark.parametrize(
        ("text", "shape"),
        [("- a\n- b", "a list"), ("[]", "a list"), ("text", "a single value"), ("12", "a single value")],
    )
    def test_what_is_not_a_mapping(self, text: str, shape: str) -> None:
        found = refused(text)

        assert found.code == "E103"
        assert found.message == f"this is {shape}, not a mapping of sections"

    @pytest.mark.parametrize(
        "text", ["", " \n", "# only a comment\n", "---\n...\n", "~", b"", b"\xef\xbb\xbf"]
    )
    def test_nothing_is_an_empty_mapping(self, text: str | bytes) -> None:
        report = Report()
        source = read_mapping(text, "t.yaml", report)

        assert source is not None
        assert source.data == {}
        assert not len(report)

    @pytest.mark.parametrize(
        ("text", "full"),
        [
            ("a: !Ref b", "Ref"),
            ("a: !GetAtt b.c", "Fn::GetAtt"),
            ("a: !Join ['', [b]]", "Fn::Join"),
            ("a: !Sub {b: c}", "Fn::Sub"),
        ],
    )
    def test_short_forms_of_cloudformation(self, text: str, full: str) -> None:
        found = refused(text)

        assert found.code == "E109"
        assert found.hint == f"write it as a map: `{full}: …`"

    @pytest.mark.parametrize(
        "tag", ["!!python/object/apply:os.system", "!!binary", "!!set", "!<tag:example.com,2000:x>"]
    )
    def test_other_tags(self, tag: str) -> None:
        assert refused(f"a: {tag} x").code == "E109"

    @pytest.mark.parametrize("text", ["a: !!int x", "a: !!float x", "a: !!bool x"])
    def test_a_tag_that_its_value_does_not_fit(self, text: str) -> None:
        assert refused(text).code == "E109"

    @pytest.mark.parametrize("text", ["a: =", "a: 0b_", "a: 0x_"])
    def test_values_that_yaml_promises_and_cannot_read(self, text: str) -> None:
        assert refused(text).code == "E109"

    @pytest.mark.parametrize("text", ["a: {{ name }}", "{a: 1}: b", "? [a]\n: b"])
    def test_a_collection_as_key(self, text: str) -> None:
        found = refused(text)

        assert found.code == "E108"
        assert found.message == "a map or list cannot be a key"

    def test_a_byte_order_mark_is_passed_over(self) -> None:
        assert read_well(b"\xef\xbb\xbfa: 1") == {"a": 1}
        assert read_well("\ufeffa: 1") == {"a": 1}


TEMPLATE = """\
resources:
  web:
    type: OS::Nova::Server
    properties:
      networks:
        - port: first
        - {port: second, tag: x}
      metadata: {a: {b: deep}}
  common: &shared
    image: cirros
    flavor: small
  merged:
    <<: *shared
    name: own
  alias: *shared
"""


class TestPositions:
    @pytest.fixture
    def source(self) -> Source:
        source = read(TEMPLATE, "t.yaml", Report())
        assert source is not None
        return source

    @pytest.mark.parametrize(
        ("path", "place"),
        [
            ((), (1, 1)),
            (("resources",), (1, 1)),
            (("resources", "web"), (2, 3)),
            (("resources", "web", "type"), (3, 5)),
            (("resources", "web", "properties", "networks", 0), (6, 11)),
            (("resources", "web", "properties", "networks", 0, "port"), (6, 11)),
            (("resources", "web", "properties", "networks", 1), (7, 11)),
            (("resources", "web", "properties", "networks", 1, "tag"), (7, 26)),
            (("resources", "web", "properties", "metadata", "a", "b"), (8, 22)),
        ],
    )
    def test_of_keys_and_items(self, source: Source, path: Path, place: tuple[int, int]) -> None:
        where = source.locate(path)

        assert (where.file, where.line, where.column) == ("t.yaml", *place)

    @pytest.mark.parametrize(
        ("path", "position"),
        [
            (("resources", "web", "type"), Position("t.yaml", 3, 11, 27)),
            (("resources", "web", "properties", "networks", 0, "port"), Position("t.yaml", 6, 17, 22)),
            (("resources", "web", "properties", "networks", 1, "port"), Position("t.yaml", 7, 18, 24)),
        ],
    )
    def test_of_values(self, source: Source, path: Path, position: Position) -> None:
        assert source.locate(path, True) == position

    def test_the_value_of_a_map_is_shown_at_its_key(self, source: Source) -> None:
        path = ("resources", "web", "properties")

        assert source.locate(path, True) == source.locate(path) == Position("t.yaml", 4, 5, 15)

    def test_below_a_merge_is_where_the_merged_entry_stands(self, source: Source) -> None:
        assert source.locate(("resources", "merged", "image")) == Position("t.yaml", 10, 5, 10)
        assert source.locate(("resources", "merged", "name")) == Position("t.yaml", 14, 5, 9)

    def test_through_an_alias_is_where_the_anchor_stands(self, source: Source) -> None:
        assert source.locate(("resources", "alias")) == Position("t.yaml", 15, 3, 8)
        assert source.locate(("resources", "alias", "flavor")) == Position("t.yaml", 11, 5, 11)

    def test_of_what_is_missing_is_what_it_is_missing_from(self, source: Source) -> None:
        where = source.locate(("resources", "web", "properties", "image"))

        assert (where.line, where.column) == (4, 5)

    def test_below_several_merged_maps(self) -> None:
        source = read("a: &a {x: 1}\nb: &b {y: 2}\nc:\n  <<: [*a, *b]\n", "t.yaml", Report())
        assert source is not None

        assert source.locate(("c", "y")) == Position("t.yaml", 2, 8, 9)

    def test_keys_that_are_not_text(self) -> None:
        source = read("1: a\n2:\n  x: y\n", "t.yaml", Report())
        assert source is not None

        assert source.locate((2, "x")).line == 3

    def test_in_json(self) -> None:
        text = '{\n  "a": {"b": [1,\n    {"c\\n": "x"}]}\n}'
        source = read(text, "t.json", Report())
        assert source is not None

        assert source.locate(("a",)) == Position("t.json", 2, 3, 6)
        assert source.locate(("a", "b", 0)) == Position("t.json", 2, 15, 16)
        assert source.locate(("a", "b", 1, "c\n")) == Position("t.json", 3, 6, 11)
        assert source.locate(("a", "b", 1, "c\n"), True) == Position("t.json", 3, 13, 16)

    def test_a_duplicate_key_in_json_is_found_at_the_one_that_counts(self) -> None:
        source = read('{"a": 1,\n "a": 2}', "t.json", Report())
        assert source is not None

        assert source.locate(("a",)).line == 2

    def test_characters_count_as_one_column_each(self) -> None:
        source = read("'äöü😀': {b: 1}", "t.yaml", Report())
        assert source is not None

        assert source.locate(("äöü😀", "b")) == Position("t.yaml", 1, 10, 11)
