"""Resources: their keys, their policies, and their properties as the type's schema reads them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from calor.language.constraints import length, one_of, pattern, range_
from calor.language.schema import ANY, SHOW, Attribute, Property, Remove, Replace, Requires, exactly_one
from calor.language.values import Unknown
from calor.resources.contract import ResourceType
from tests.unit.language.resolving import WORLD, Resolved, resolve


class Kinds(ResourceType):
    """Has a property of every kind."""

    type_name = "Test::Kinds"
    properties = {
        "text": Property(str),
        "whole": Property(int),
        "number": Property(float),
        "flag": Property(bool),
        "items": Property(list),
        "map": Property(dict),
        "anything": Property(ANY),
        "texts": Property(list, items=Property(str)),
        "record": Property(
            dict,
            fields={
                "name": Property(str, required=True),
                "size": Property(int, default=1),
                "tags": Property(list, items=Property(str, constraints=[length(max=3)])),
            },
        ),
        "records": Property(list, items=Property(dict, fields={"port": Property(int, required=True)})),
        "defaulted": Property(str, default="usual"),
        "defaulted_list": Property(list, default=["a"]),
        "loose_list": Property(list, converts=True),
        "loose_map": Property(dict, converts=True),
        "choice": Property(str, constraints=[one_of("a", "b")]),
        "bounded": Property(int, constraints=[range_(min=1, max=9)]),
        "lower": Property(str, constraints=[pattern("[a-z]*")]),
        "gone": Property(str, implemented=False),
        "description": Property(str, update_allowed=True),
    }
    attributes = {"first": Attribute(str), "show": SHOW}
    update_policy = {"batch": Property(dict, fields={"size": Property(int, constraints=[range_(min=1)])})}


class Strict(ResourceType):
    """Needs a property, and has rules between others."""

    type_name = "Test::Strict"
    properties = {
        "needed": Property(str, required=True),
        "one": Property(str),
        "other": Property(str),
        "helper": Property(str),
        "description": Property(str),
    }
    rules = [*exactly_one("one", "other"), Requires("other", "helper")]


class Renamed(ResourceType):
    """Has properties that used to have other names."""

    type_name = "Test::Renamed"
    properties = {
        "network": Property(str),
        "network_id": Property(str),
        "addresses": Property(
            list, items=Property(dict, fields={"subnet": Property(str), "subnet_id": Property(str)})
        ),
        "useless": Property(str),
    }
    translations = [
        Replace(("network",), source=("network_id",)),
        Replace(("addresses", "subnet"), sibling="subnet_id"),
        Remove(("useless",)),
    ]


class Keepable(ResourceType):
    type_name = "Test::Keepable"
    snapshots_on_delete = True


TYPES: dict[str, type[ResourceType]] = {
    declared.type_name: declared for declared in (Kinds, Strict, Renamed, Keepable)
}
TEST_WORLD = replace(
    WORLD,
    declaration=lambda name: TYPES.get(name) or WORLD.declaration(name),
    type_names=lambda: [*TYPES, *WORLD.type_names()],
)


def template(text: str, **options: Any) -> Resolved:
    return resolve(text, world=TEST_WORLD, **options)


def resource(text: str, **options: Any) -> Resolved:
    return template(f"resources: {{r: {text}}}", **options)


def kinds(properties: str, **options: Any) -> Resolved:
    return resource(f"{{type: Test::Kinds, properties: {properties}}}", **options)


def beside_another(properties: str) -> Resolved:
    """A resource that may refer to another one, whose attributes are not known yet."""
    return template(
        "resources: {other: {type: OS::Heat::TestResource}, "
        f"r: {{type: Test::Kinds, properties: {properties}}}}}"
    )


class TestKeys:
    def test_all_of_them(self) -> None:
        resolved = resource(
            "{type: Test::Kinds, properties: {}, metadata: {a: 1}, depends_on: [], deletion_policy: Retain, "
            "update_policy: {batch: {size: 2}}, description: mine, condition: true}"
        )

        assert not resolved.diagnostics
        assert resolved.view["resources"]["r"]["metadata"] == {"a": 1}

    @pytest.mark.parametrize(
        ("text", "code", "path"),
        [
            ("OS::Heat::None", "E113", ""),
            ("null", "E113", ""),
            ("{}", "E115", "resources.r"),
            ("{type: null}", "E115", "resources.r"),
            ("{type: [a]}", "E115", "resources.r.type"),
            ("{type: {get_param: a}}", "E115", "resources.r.type"),
            ("{type: OS::Heat::None, propertys: {}}", "E114", "resources.r"),
            ("{type: OS::Heat::None, Properties: {}}", "E114", "resources.r"),
            ("{type: OS::Heat::None, properties: [a]}", "E114", "resources.r.properties"),
            ("{type: OS::Heat::None, properties: null}", "E114", "resources.r.properties"),
            ("{type: OS::Heat::None, metadata: text}", "E114", "resources.r.metadata"),
            ("{type: OS::Heat::None, depends_on: {a: b}}", "E114", "resources.r.depends_on"),
            ("{type: OS::Heat::None, depends_on: [1]}", "E114", "resources.r.depends_on"),
            ("{type: OS::Heat::None, depends_on: {get_param: a}}", "E114", "resources.r.depends_on"),
            ("{type: OS::Heat::None, update_policy: text}", "E114", "resources.r.update_policy"),
            ("{type: OS::Heat::None, description: [a]}", "E114", "resources.r.description"),
            ("{type: OS::Heat::None, condition: 1}", "E114", "resources.r.condition"),
        ],
    )
    def test_written_wrongly(self, text: str, code: str, path: str) -> None:
        found = resource(text).only

        assert (found.code, found.path) == (code, path)

    def test_a_misspelt_key_has_a_hint(self) -> None:
        assert resource("{type: OS::Heat::None, propertys: {}}").only.hint == "did you mean `properties`?"

    @pytest.mark.parametrize("name", ["a/b", "''", "1"])
    def test_names_that_cannot_be(self, name: str) -> None:
        assert template(f"resources: {{{name}: {{type: OS::Heat::None}}}}").only.code == "E113"

    def test_cloudformation_passes_over_unknown_keys(self) -> None:
        resolved = template(
            """
            HeatTemplateFormatVersion: 2012-12-12
            Resources: {R: {Type: 'OS::Heat::None', Whatever: 1, Condition: never}}
            """,
            version=None,
        )

        assert not resolved.diagnostics

    def test_an_unknown_type_has_a_hint(self) -> None:
        found = resource("{type: OS::Nova::Servr}").only

        assert (found.code, found.kind) == ("E401", "StackValidationFailed")
        assert found.message == "there is no resource type `OS::Nova::Servr`"
        assert found.hint == "did you mean `OS::Nova::Server`?"

    def test_properties_of_an_unknown_type_are_still_looked_at(self) -> None:
        resolved = resource("{type: No::Such, properties: {a: {get_resource: nowhere}, b: {str_replace: 1}}}")

        assert sorted(resolved.codes) == ["E401", "E403", "E404"]


class TestDeletionPolicy:
    @pytest.mark.parametrize(
        ("written", "meant"),
        [
            ("Delete", "Delete"),
            ("delete", "Delete"),
            ("Retain", "Retain"),
            ("retain", "Retain"),
            ("Snapshot", "Snapshot"),
            ("snapshot", "Snapshot"),
        ],
    )
    def test_words(self, written: str, meant: str) -> None:
        resolved = resource(f"{{type: Test::Keepable, deletion_policy: {written}}}")

        assert not resolved.diagnostics
        assert resolved.resource("r").deletion_policy == meant

    def test_without_one(self) -> None:
        assert resource("{type: Test::Keepable}").resource("r").deletion_policy == "Delete"

    def test_from_a_parameter(self) -> None:
        resolved = template(
            """
            parameters: {policy: {type: string, default: Retain}}
            resources: {r: {type: Test::Keepable, deletion_policy: {get_param: policy}}}
            """
        )

        assert not resolved.diagnostics
        assert resolved.resource("r").deletion_policy == "Retain"

    @pytest.mark.parametrize("written", ["Keep", "RETAIN", "{a: b, c: d}"])
    def test_other_words(self, written: str) -> None:
        found = resource(f"{{type: Test::Keepable, deletion_policy: {written}}}").only

        assert (found.code, found.path) == ("E406", "resources.r")

    @pytest.mark.parametrize("written", ["null", "true", "[Delete]"])
    def test_no_word_at_all(self, written: str) -> None:
        assert resource(f"{{type: Test::Keepable, deletion_policy: {written}}}").only.code == "E114"

    def test_a_snapshot_of_a_type_that_makes_none(self) -> None:
        found = resource("{type: Test::Kinds, deletion_policy: Snapshot}").only

        assert (found.code, found.path) == ("E406", "resources.r.deletion_policy")
        assert found.message == "Test::Kinds does not support the deletion policy Snapshot"


class TestUpdatePolicy:
    def test_is_read_against_the_type(self) -> None:
        found = resource("{type: Test::Kinds, update_policy: {batch: {size: 0}}}").only

        assert (found.code, found.path) == ("E415", "resources.r.update_policy.batch.size")

    def test_of_a_type_that_has_none(self) -> None:
        found = resource("{type: Test::Keepable, update_policy: {batch: {}}}").only

        assert (found.code, found.path) == ("E410", "resources.r.update_policy")


class TestExternalId:
    def test_the_resource_is_retained_regardless(self) -> None:
        resolved = resource("{type: Test::Keepable, external_id: abc, deletion_policy: Delete}")

        assert not resolved.diagnostics
        assert resolved.resource("r").deletion_policy == "Retain"

    def test_its_properties_are_not_held_against_the_schema(self) -> None:
        assert not resource("{type: Test::Strict, external_id: abc}").diagnostics

    def test_it_waits_for_nothing(self) -> None:
        resolved = template(
            """
            resources:
              a: {type: OS::Heat::TestResource}
              r:
                type: OS::Heat::TestResource
                external_id: abc
                properties: {value: {get_resource: a}}
            """
        )

        assert resolved.edges == []

    def test_it_has_no_option_to_wait(self) -> None:
        resolved = template(
            """
            resources:
              a: {type: OS::Heat::TestResource}
              r: {type: OS::Heat::TestResource, external_id: abc, depends_on: a}
            """
        )

        assert (resolved.only.code, resolved.only.kind) == ("E408", "InvalidExternalResourceDependency")


class TestDescription:
    def test_is_a_property_where_there_is_one_that_can_be_updated(self) -> None:
        resolved = resource("{type: Test::Kinds, description: mine}")

        assert resolved.properties("r")["description"] == "mine"
        assert resolved.resource("r").given == {}

    def test_gives_way_to_the_property(self) -> None:
        resolved = resource("{type: Test::Kinds, description: mine, properties: {description: own}}")

        assert resolved.properties("r")["description"] == "own"

    def test_is_none_where_it_cannot_be_updated(self) -> None:
        resolved = resource("{type: Test::Strict, description: mine, properties: {needed: a, one: b}}")

        assert resolved.properties("r")["description"] is None


class TestConversions:
    @pytest.mark.parametrize(
        ("name", "written", "value"),
        [
            ("text", "abc", "abc"),
            ("text", "12", "12"),
            ("text", "true", "True"),
            ("text", "''", ""),
            ("whole", "12", 12),
            ("whole", "'12'", 12),
            ("whole", "1.9", 1),
            ("whole", "true", 1),
            ("number", "1", 1),
            ("number", "'1'", 1),
            ("number", "'1.5'", 1.5),
            ("flag", "true", True),
            ("flag", "'True'", True),
            ("flag", "'FALSE'", False),
            ("items", "[1, {a: b}]", [1, {"a": "b"}]),
            ("map", "{a: [1]}", {"a": [1]}),
            ("anything", "1.5", 1.5),
            ("texts", "[1, a, true]", ["1", "a", "True"]),
            ("record", "{name: 5}", {"name": "5", "size": 1, "tags": None}),
            ("records", "[{port: '80'}, {port: 81}]", [{"port": 80}, {"port": 81}]),
            ("loose_list", "'a,b'", ["a", "b"]),
            ("loose_map", "'{\"a\": 1}'", '{"a": 1}'),
            ("loose_map", "[1, {a: b}]", '[1, {"a": "b"}]'),
            ("loose_map", "{a: 1}", {"a": 1}),
        ],
    )
    def test_of_values(self, name: str, written: str, value: Any) -> None:
        resolved = kinds(f"{{{name}: {written}}}")

        assert not resolved.diagnostics
        assert resolved.properties("r")[name] == value
        assert type(resolved.properties("r")[name]) is type(value)

    @pytest.mark.parametrize(
        ("name", "written", "path"),
        [
            ("text", "1.5", "text"),
            ("text", "[a]", "text"),
            ("text", "{a: b}", "text"),
            ("whole", "x", "whole"),
            ("whole", "''", "whole"),
            ("whole", "[1]", "whole"),
            ("number", "x", "number"),
            ("flag", "1", "flag"),
            ("flag", "'yes'", "flag"),
            ("items", "'a,b'", "items"),
            ("items", "{a: b}", "items"),
            ("map", "[a]", "map"),
            ("map", "'{}'", "map"),
            ("texts", "[a, [b]]", "texts[1]"),
            ("record", "{name: [a]}", "record.name"),
            ("records", "[{port: 1}, {port: x}]", "records[1].port"),
            ("loose_list", "{a: b}", "loose_list"),
            ("loose_map", "1", "loose_map"),
        ],
    )
    def test_that_cannot_be_made(self, name: str, written: str, path: str) -> None:
        found = kinds(f"{{{name}: {written}}}").only

        assert (found.code, found.kind) == ("E414", "Property error")
        assert found.path == f"resources.r.properties.{path}"

    def test_a_function_whose_value_does_not_fit_is_not_taken_for_misspelt(self) -> None:
        resolved = resolve(
            "conditions: {big: true}\n"
            "resources: {r: {type: OS::Heat::RandomString, properties: {length: {if: [big, 5000, 8]}}}}"
        )

        assert "out of range" in resolved.only.message
        assert resolved.only.hint is None

    def test_a_misspelt_function_is_suspected(self) -> None:
        found = kinds("{text: {get_parm: a}}").only

        assert (found.code, found.hint) == ("E414", "did you mean `get_param`?")


class TestNamesAndPresence:
    def test_an_unknown_property(self) -> None:
        found = kinds("{texte: a}").only

        assert (found.code, found.kind) == ("E410", "Property error")
        # The place that the API names is the map around it.
        assert found.path == "resources.r.properties"
        assert found.hint is not None
        assert found.hint.startswith("did you mean `text")

    def test_an_unknown_property_further_below(self) -> None:
        assert kinds("{record: {name: a, nmae: b}}").only.path == "resources.r.properties.record"

    def test_an_unknown_property_beside_a_value_that_is_not_known_yet(self) -> None:
        found = beside_another("{records: [{port: {get_attr: [other, output]}, prot: b}]}").only

        assert (found.code, found.path) == ("E410", "resources.r.properties.records[0]")
        # Heat meets it when the value is known; it never fits, so that nobody has to wait for that.
        assert (found.deferred, found.is_fatal) == (True, True)

    def test_the_names_in_what_is_not_known_yet_are_not_known_either(self) -> None:
        assert beside_another("{records: {get_attr: [other, output]}}").codes == []

    def test_a_missing_property(self) -> None:
        found = resource("{type: Test::Strict, properties: {one: a}}").only

        assert (found.code, found.path) == ("E412", "resources.r.properties")
        assert found.message == "the property `needed` is required"

    def test_a_missing_property_further_below(self) -> None:
        assert kinds("{records: [{}]}").only.path == "resources.r.properties.records[0]"

    def test_a_misspelt_one_is_not_missing_as_well(self) -> None:
        assert resource("{type: Test::Strict, properties: {neded: a, one: b}}").codes == ["E410"]

    def test_one_that_cannot_be_computed_is_not_missing_as_well(self) -> None:
        resolved = resource("{type: Test::Strict, properties: {one: a, needed: {get_param: no}}}")

        assert resolved.codes == ["E407"]

    def test_a_null_counts_as_given(self) -> None:
        resolved = resource("{type: Test::Strict, properties: {needed: null, one: a}}")

        assert not resolved.diagnostics
        assert resolved.properties("r")["needed"] == ""

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("text", ""),
            ("whole", 0),
            ("number", 0),
            ("flag", False),
            ("items", []),
            ("map", {}),
            ("anything", None),
            ("defaulted", "usual"),
            ("defaulted_list", ["a"]),
            ("records", []),
        ],
    )
    def test_a_null_is_the_default_or_the_zero_of_its_kind(self, name: str, value: Any) -> None:
        resolved = kinds(f"{{{name}: null}}")

        assert not resolved.diagnostics
        assert resolved.properties("r")[name] == value

    def test_what_is_not_given_is_its_default_or_nothing(self) -> None:
        properties = kinds("{}").properties("r")

        assert properties["defaulted"] == "usual"
        assert properties["text"] is None
        assert set(properties) == set(Kinds.properties)

    def test_one_that_is_not_implemented(self) -> None:
        assert kinds("{gone: a}").only.code == "E411"

    def test_given_properties_stay_as_they_were_given(self) -> None:
        assert kinds("{whole: '12'}").view["resources"]["r"]["definition_properties"] == {"whole": "12"}

    def test_properties_from_one_function(self) -> None:
        resolved = resource("{type: Test::Kinds, properties: {map_merge: [{text: a}, {whole: 1}]}}")

        assert not resolved.diagnostics
        assert resolved.properties("r")["whole"] == 1

    def test_properties_from_a_function_that_gives_no_map(self) -> None:
        resolved = resource("{type: Test::Kinds, properties: {list_join: [',', [a]]}}")

        assert resolved.only.code == "E414"


class TestConstraints:
    @pytest.mark.parametrize(
        ("written", "path"),
        [
            ("{choice: c}", "choice"),
            ("{bounded: 10}", "bounded"),
            ("{bounded: '0'}", "bounded"),
            ("{lower: aB}", "lower"),
            ("{record: {name: a, tags: [abc, abcd]}}", "record.tags[1]"),
        ],
    )
    def test_broken(self, written: str, path: str) -> None:
        found = kinds(written).only

        assert (found.code, found.kind) == ("E415", "Property error")
        assert found.path == f"resources.r.properties.{path}"

    @pytest.mark.parametrize("written", ["{choice: a}", "{bounded: 9}", "{lower: ''}"])
    def test_kept(self, written: str) -> None:
        assert not kinds(written).diagnostics

    def test_a_null_is_judged_as_the_zero_of_its_kind(self) -> None:
        assert not kinds("{lower: null}").diagnostics
        assert kinds("{choice: null}").only.code == "E415"
        assert kinds("{bounded: null}").only.code == "E415"

    @pytest.mark.parametrize(
        "written",
        [
            "{choice: {get_attr: [other, first]}}",
            "{bounded: {get_attr: [other, first]}}",
            "{bounded: {get_resource: other}}",
            "{record: {name: {get_resource: other}, tags: [{get_resource: other}]}}",
            "{choice: {str_replace: {template: X, params: {X: {get_resource: other}}}}}",
        ],
    )
    def test_what_is_not_known_yet_breaks_none(self, written: str) -> None:
        resolved = template(
            f"resources: {{other: {{type: Test::Kinds}}, r: {{type: Test::Kinds, properties: {written}}}}}"
        )

        assert not resolved.diagnostics
        assert resolved.edges == [("r", "other")]

    def test_what_is_not_known_yet_stays_unknown(self) -> None:
        resolved = template(
            """
            resources:
              other: {type: Test::Kinds}
              r: {type: Test::Kinds, properties: {text: {get_resource: other}, whole: {get_attr: [other, first]}}}
            """
        )
        values = resolved.resource("r").values

        assert isinstance(values["text"], Unknown)
        assert isinstance(values["whole"], Unknown)
        assert resolved.properties("r")["text"] == "other"

    def test_an_item_beside_an_unknown_one_is_left_alone(self) -> None:
        # Heat checks a whole property or none of it.
        resolved = template(
            """
            resources:
              other: {type: Test::Kinds}
              r: {type: Test::Kinds, properties: {record: {name: {get_resource: other}, tags: [too long]}}}
            """
        )

        assert not resolved.diagnostics


class TestRules:
    @pytest.mark.parametrize(
        ("properties", "kinds_found"),
        [
            ("{needed: a, one: b}", []),
            ("{needed: a, other: b, helper: c}", []),
            ("{needed: a}", ["PropertyUnspecifiedError"]),
            ("{needed: a, one: b, other: c, helper: d}", ["ResourcePropertyConflict"]),
            ("{needed: a, other: b}", ["ResourcePropertyDependency"]),
        ],
    )
    def test_between_properties(self, properties: str, kinds_found: list[str]) -> None:
        resolved = resource(f"{{type: Test::Strict, properties: {properties}}}")

        assert [found.kind for found in resolved.diagnostics] == kinds_found
        assert all(found.code == "E416" for found in resolved.diagnostics)

    def test_are_not_asked_when_the_properties_themselves_are_wrong(self) -> None:
        assert resource("{type: Test::Strict, properties: {needed: [a]}}").codes == ["E414"]


class TestTranslations:
    def renamed(self, properties: str) -> Resolved:
        return resource(f"{{type: Test::Renamed, properties: {properties}}}")

    def test_an_old_name_means_the_new_one(self) -> None:
        properties = self.renamed("{network_id: n}").properties("r")

        assert (properties["network"], properties["network_id"]) == ("n", None)

    def test_in_the_items_of_a_list(self) -> None:
        properties = self.renamed("{addresses: [{subnet_id: a}, {subnet: b}]}").properties("r")

        assert [item["subnet"] for item in properties["addresses"]] == ["a", "b"]

    def test_both_names_at_once(self) -> None:
        found = self.renamed("{network: a, network_id: b}").only

        assert (found.code, found.path) == ("E413", "resources.r.properties.network")

    def test_a_null_under_one_of_the_names_is_not_a_conflict(self) -> None:
        assert self.renamed("{network: null, network_id: b}").properties("r")["network"] == "b"

    def test_what_is_dropped(self) -> None:
        assert self.renamed("{useless: a}").properties("r")["useless"] is None

    def test_what_was_given_stays_as_it_was(self) -> None:
        assert self.renamed("{network_id: n}").resource("r").given == {"network_id": "n"}


class TestPlaceholders:
    def test_take_any_property_and_have_any_attribute(self) -> None:
        resolved = template(
            """
            resources: {r: {type: OS::Heat::None, properties: {whatever: [1]}}}
            outputs: {o: {value: {get_attr: [r, anything]}}}
            """
        )

        assert not resolved.diagnostics


class TestOutputs:
    @pytest.mark.parametrize("text", ["text", "{}", "{description: a}"])
    def test_written_wrongly(self, text: str) -> None:
        found = template(f"outputs: {{o: {text}}}").only

        assert (found.code, found.path) == ("E118", "outputs.o")

    def test_a_value_of_null_is_one(self) -> None:
        assert template("outputs: {o: {value: null}}").outputs == {"o": None}

    def test_an_unknown_key_is_passed_over(self) -> None:
        resolved = template("outputs: {o: {value: 1, valu: 2}}")

        assert resolved.only.code == "W103"
        assert resolved.outputs == {"o": 1}

    def test_one_that_cannot_be_computed_does_not_keep_the_stack_from_being_made(self) -> None:
        resolved = template("outputs: {o: {value: {list_join: ['-', [1]]}}, p: {value: 2}}")

        assert resolved.only.code == "E418"
        assert resolved.only.deferred
        assert resolved.stack.ok
        assert resolved.outputs["p"] == 2
        assert resolved.outputs["o"]["__error__"]["type"] == "TypeError"

    def test_one_that_is_written_wrongly_does(self) -> None:
        resolved = template("outputs: {o: {value: {list_join: 1}}}")

        assert resolved.only.code == "E404"
        assert not resolved.stack.ok
