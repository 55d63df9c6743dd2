"""The versions of the language: how they are named, and what each of them has."""

from __future__ import annotations

from typing import Any

import pytest

from calor.language import versions
from calor.language.functions.logic import NotInConditions
from calor.language.versions import ALL_VERSIONS, AWS_2010, CFN_2012, HOT_VERSIONS, Version, find, first_with
from tests.unit.language.resolving import resolve

NAMES = {
    "2013-05-23": "icehouse",
    "2014-10-16": "juno",
    "2015-04-30": "kilo",
    "2015-10-15": "liberty",
    "2016-04-08": "mitaka",
    "2016-10-14": "newton",
    "2017-02-24": "ocata",
    "2017-09-01": "pike",
    "2018-03-02": "queens",
    "2018-08-31": "rocky",
    "2021-04-16": "wallaby",
}
CFN_BASICS = {
    "Ref",
    "Fn::GetAZs",
    "Fn::Join",
    "Fn::Split",
    "Fn::Replace",
    "Fn::Base64",
    "Fn::MemberListToMap",
    "Fn::ResourceFacade",
}
FIRST_HOT = {
    "get_param",
    "get_resource",
    "get_attr",
    "get_file",
    "resource_facade",
    "list_join",
    "str_replace",
}
# What each version adds to and takes away from the one before it.
CHANGES: dict[str, tuple[set[str], set[str]]] = {
    "2013-05-23": (FIRST_HOT | CFN_BASICS | {"Fn::Select"}, set()),
    "2014-10-16": (set(), CFN_BASICS),
    "2015-04-30": ({"repeat", "digest"}, set()),
    "2015-10-15": ({"str_split"}, {"Fn::Select"}),
    "2016-04-08": ({"map_merge"}, set()),
    "2016-10-14": ({"yaql", "map_replace", "if"}, set()),
    "2017-02-24": ({"filter", "str_replace_strict"}, set()),
    "2017-09-01": (
        {"make_url", "list_concat", "list_concat_unique", "contains", "str_replace_vstrict"},
        set(),
    ),
    "2018-03-02": (set(), set()),
    "2018-08-31": (set(), set()),
    "2021-04-16": (set(), set()),
}

each_hot_version = pytest.mark.parametrize("version", HOT_VERSIONS, ids=lambda version: version.date)


def condition_functions(version: Version) -> set[str]:
    return {name for name, made in (version.condition_functions or {}).items() if made is not NotInConditions}


@pytest.mark.parametrize(("date", "name"), NAMES.items())
def test_hot_versions_are_known_by_date_and_by_release(date: str, name: str) -> None:
    by_date = find("heat_template_version", date)

    assert by_date is not None
    assert by_date.date == date
    assert find("heat_template_version", name) is by_date


@pytest.mark.parametrize(("date", "name"), NAMES.items())
def test_both_names_can_be_written_in_a_template(date: str, name: str) -> None:
    for written in (date, f"'{date}'", name):
        resolved = resolve("outputs: {o: {value: {list_join: ['-', [a, b]]}}}", version=written)

        assert not resolved.diagnostics
        assert resolved.stack.template.version.date == date
        assert resolved.outputs == {"o": "a-b"}


def test_the_cloudformation_formats_have_one_version_each() -> None:
    assert find("AWSTemplateFormatVersion", "2010-09-09") is AWS_2010
    assert find("HeatTemplateFormatVersion", "2012-12-12") is CFN_2012
    assert len(ALL_VERSIONS) == len(HOT_VERSIONS) + 2


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("heat_template_version", "2010-09-09"),
        ("AWSTemplateFormatVersion", "2012-12-12"),
        ("HeatTemplateFormatVersion", "newton"),
        ("heat_template_version", "2016-10-15"),
        ("heat_template_version", "Newton"),
        ("template_version", "2016-10-14"),
    ],
)
def test_no_version_goes_by_the_name_of_another(key: str, name: str) -> None:
    assert find(key, name) is None


@each_hot_version
def test_functions_of_values(version: Version) -> None:
    expected: set[str] = set()
    for date, (added, removed) in CHANGES.items():
        if date <= version.date:
            expected = (expected | added) - removed

    assert set(version.all_functions) == expected


@pytest.mark.parametrize(
    ("version", "own"), [(CFN_2012, set()), (AWS_2010, {"Fn::If"})], ids=lambda v: getattr(v, "title", "")
)
def test_functions_of_the_cloudformation_formats(version: Version, own: set[str]) -> None:
    expected = CFN_BASICS | {"Fn::FindInMap", "Fn::GetAtt", "Fn::Select"} | own

    assert set(version.all_functions) == expected


@each_hot_version
def test_functions_of_conditions(version: Version) -> None:
    expected: set[str] = set()
    if version.date >= "2016-10-14":
        expected |= {"get_param", "equals", "not", "and", "or"}
    if version.date >= "2017-09-01":
        expected |= {"yaql", "contains"}

    assert condition_functions(version) == expected


def test_functions_of_conditions_in_the_cloudformation_formats() -> None:
    assert condition_functions(AWS_2010) == {
        "Ref",
        "Fn::FindInMap",
        "Fn::Equals",
        "Fn::Not",
        "Fn::And",
        "Fn::Or",
    }
    assert not condition_functions(CFN_2012)


@each_hot_version
def test_sections(version: Version) -> None:
    expected = {
        "heat_template_version",
        "description",
        "parameter_groups",
        "parameters",
        "resources",
        "outputs",
    }
    if version.date >= "2016-10-14":
        expected.add("conditions")

    assert set(version.sections) == expected


def test_sections_of_the_cloudformation_formats() -> None:
    common = {"Description", "Parameters", "Mappings", "Resources", "Outputs"}

    assert set(AWS_2010.sections) == {"AWSTemplateFormatVersion", "Conditions"} | common
    assert set(CFN_2012.sections) == {"HeatTemplateFormatVersion"} | common


@each_hot_version
def test_conditions_come_with_2016_10_14(version: Version) -> None:
    resolved = resolve("conditions: {c: true}", version=version.date)

    if version.date >= "2016-10-14":
        assert resolved.stack.conditions == {"c": True}
    else:
        assert resolved.only.code == "E111"
        assert resolved.only.hint == "conditions require version 2016-10-14 or later"


@pytest.mark.parametrize("key", ["condition: true", "external_id: abc"])
@each_hot_version
def test_keys_of_resources_that_come_with_2016_10_14(version: Version, key: str) -> None:
    resolved = resolve(f"resources: {{r: {{type: OS::Heat::None, {key}}}}}", version=version.date)

    assert resolved.codes == ([] if version.date >= "2016-10-14" else ["E114"])


@each_hot_version
def test_deletion_policies_in_lower_case_come_with_2016_10_14(version: Version) -> None:
    resolved = resolve(
        "resources: {r: {type: OS::Heat::None, deletion_policy: retain}}", version=version.date
    )

    assert resolved.codes == ([] if version.date >= "2016-10-14" else ["E406"])


@each_hot_version
def test_modulo_comes_with_2017_02_24(version: Version) -> None:
    declared = "{type: number, default: 4, constraints: [{modulo: {step: 2, offset: 0}}]}"
    resolved = resolve(f"parameters: {{n: {declared}}}", version=version.date)

    assert resolved.codes == ([] if version.date >= "2017-02-24" else ["E204"])


@each_hot_version
def test_tags_of_parameters_come_with_2018_03_02(version: Version) -> None:
    resolved = resolve("parameters: {n: {type: number, default: 4, tags: [a]}}", version=version.date)

    assert resolved.codes == ([] if version.date >= "2018-03-02" else ["E202"])


@pytest.mark.parametrize(
    ("function", "date"),
    [
        ("get_param", "2013-05-23"),
        ("if", "2016-10-14"),
        ("contains", "2017-09-01"),
        ("Fn::Select", "2013-05-23"),
    ],
)
def test_the_first_version_with_a_function(function: str, date: str) -> None:
    found = first_with(function)

    assert found is not None
    assert found.date == date


def test_no_version_has_a_function_of_another_format() -> None:
    assert first_with("Fn::GetAtt") is None


class TestOfATemplate:
    def test_none_is_stated(self) -> None:
        found = resolve("resources: {}", version=None).only

        assert (found.code, found.kind) == ("E110", "InvalidTemplateVersion")
        assert found.hint == f"start the template with `heat_template_version: {versions.NEWEST.date}`"

    def test_two_are_stated(self) -> None:
        text = "heat_template_version: 2021-04-16\nAWSTemplateFormatVersion: 2010-09-09\n"
        found = resolve(text, version=None).only

        assert (found.code, found.kind) == ("E110", "InvalidTemplateVersion")
        assert "ambiguous" in found.message

    @pytest.mark.parametrize("written", ["2016-10-41", "20161014", "[newton]", "null", "2016"])
    def test_an_unknown_one_is_answered_with_those_that_exist(self, written: Any) -> None:
        found = resolve("", version=written).only

        assert (found.code, found.kind) == ("E110", "InvalidTemplateVersion")
        assert "2013-05-23" in found.message
        assert "wallaby" in found.message

    def test_a_near_miss_has_a_hint(self) -> None:
        assert resolve("", version="2016-10-41").only.hint == "did you mean `2016-10-14`?"

    def test_a_section_of_another_format(self) -> None:
        found = resolve("Resources: {}").only

        assert (found.code, found.kind) == ("E111", "InvalidTemplateSection")
        assert found.hint == "did you mean `resources`?"

    @pytest.mark.parametrize("section", ["parameters", "resources", "outputs"])
    def test_an_empty_section_is_not_a_section(self, section: str) -> None:
        assert not resolve(f"{section}:\n").diagnostics

    @pytest.mark.parametrize("section", ["parameters", "resources", "outputs", "conditions"])
    def test_a_section_that_is_not_a_map(self, section: str) -> None:
        assert resolve(f"{section}: [a]\n").codes == ["E112"]
