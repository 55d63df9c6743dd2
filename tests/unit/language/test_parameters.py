"""Parameters: how they are declared, what may be given for them, and what get_param sees."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from calor.language.parameters import StackIdentity
from calor.language.values import MASK, Secret, Unknown
from tests.unit.language.resolving import WORLD, Resolved, resolve


def declared(text: str, **options: Any) -> Resolved:
    return resolve(f"parameters: {{p: {text}}}", **options)


def given(kind: str, value: Any, constraints: str = "[]") -> Resolved:
    return declared(f"{{type: {kind}, constraints: {constraints}}}", parameters={"p": value})


class TestConversions:
    @pytest.mark.parametrize(
        ("kind", "value", "seen"),
        [
            ("string", "a", "a"),
            ("string", 1, "1"),
            ("string", True, "True"),
            ("string", 1.5, "1.5"),
            ("string", "", ""),
            ("number", 3, 3),
            ("number", "3", 3),
            ("number", " 3 ", 3),
            ("number", "3.0", 3.0),
            ("number", "-1e3", -1000.0),
            ("comma_delimited_list", "a,b", ["a", "b"]),
            ("comma_delimited_list", " a , b ", [" a ", " b "]),
            ("comma_delimited_list", "", []),
            ("comma_delimited_list", [1, "b", True], ["1", "b", "True"]),
            ("json", '{"a": [1]}', {"a": [1]}),
            ("json", {"a": None}, {"a": None}),
            ("json", [1], [1]),
            ("json", "[1]", [1]),
            ("json", "", ""),
            ("boolean", True, True),
            ("boolean", 0, False),
        ],
    )
    def test_value_as_get_param_sees_it(self, kind: str, value: Any, seen: Any) -> None:
        resolved = given(kind, value)

        assert not resolved.diagnostics
        assert resolved.params == {"p": seen}
        assert type(resolved.params["p"]) is type(seen)

    @pytest.mark.parametrize("word", ["t", "true", "on", "y", "yes", "1", "TRUE", "Yes"])
    def test_words_for_true(self, word: str) -> None:
        assert given("boolean", word).params == {"p": True}

    @pytest.mark.parametrize("word", ["f", "false", "off", "n", "no", "0", "FALSE", "No"])
    def test_words_for_false(self, word: str) -> None:
        assert given("boolean", word).params == {"p": False}

    @pytest.mark.parametrize(
        ("kind", "value"),
        [
            ("number", "three"),
            ("number", ""),
            ("number", [3]),
            ("comma_delimited_list", 3),
            ("comma_delimited_list", {"a": 1}),
            ("json", "{a: 1}"),
            ("boolean", "maybe"),
            ("boolean", 2),
            ("boolean", ""),
        ],
    )
    def test_value_of_the_wrong_type(self, kind: str, value: Any) -> None:
        found = given(kind, value).only

        assert found.code == "E209"
        assert found.message.startswith("Parameter 'p' is invalid: ")

    def test_what_a_wrong_value_is_used_for_is_not_reported_again(self) -> None:
        resolved = resolve(
            """
            parameters: {p: {type: number}}
            resources: {r: {type: OS::Heat::TestResource, properties: {wait_secs: {get_param: p}}}}
            outputs: {o: {value: {get_param: p}}}
            """,
            parameters={"p": "x"},
        )

        assert resolved.codes == ["E209"]


class TestConstraints:
    @pytest.mark.parametrize(
        ("kind", "constraint", "allowed", "refused"),
        [
            ("string", "length: {min: 2, max: 3}", ["ab", "abc"], ["a", "abcd"]),
            ("string", "length: {min: 2}", ["ab", "a" * 100], [""]),
            ("comma_delimited_list", "length: {max: 2}", ["a,b", ""], ["a,b,c"]),
            ("json", "length: {max: 1}", [{"a": 1}], [{"a": 1, "b": 2}]),
            ("number", "range: {min: 1, max: 2.5}", [1, "2", 2.5], [0, 2.6]),
            ("number", "modulo: {step: 3, offset: 1}", [1, 4, -2], [0, 3]),
            ("number", "modulo: {step: -3, offset: -1}", [-1, -4], [-3]),
            ("string", "allowed_values: [a, 1, true]", ["a", "1", "True"], ["b", "true"]),
            ("number", "allowed_values: ['1', 2]", [1, "2"], [3]),
            ("boolean", "allowed_values: ['yes']", ["on", True], ["off"]),
            ("comma_delimited_list", "allowed_values: [a, b]", ["a,b,a", ""], ["a,c"]),
            ("string", "allowed_pattern: '[a-z]+'", ["abc"], ["abc1", "1abc", "", "abc\n"]),
            ("string", "allowed_pattern: 'a|ab'", ["a"], ["ab"]),
            ("string", "custom_constraint: net_cidr", ["10.0.0.0/8"], ["10.0.0.0/99"]),
        ],
    )
    def test_values(self, kind: str, constraint: str, allowed: list[Any], refused: list[Any]) -> None:
        for value in allowed:
            assert not given(kind, value, f"[{{{constraint}}}]").diagnostics, value
        for value in refused:
            found = given(kind, value, f"[{{{constraint}}}]").only
            assert found.code == "E210", value
            assert found.message.startswith("Parameter 'p' is invalid: ")

    def test_all_that_are_broken_are_reported(self) -> None:
        resolved = given("string", "1", "[{length: {min: 2}}, {allowed_pattern: '[a-z]*'}]")

        assert resolved.codes == ["E210", "E210"]

    def test_a_description_is_the_message(self) -> None:
        found = given("number", 11, "[{range: {max: 10}, description: ten at most}]").only

        assert found.message == "Parameter 'p' is invalid: ten at most"

    def test_without_a_description_the_message_names_value_and_limits(self) -> None:
        found = given("number", 11, "[{range: {min: 1, max: 10}}]").only

        assert found.message == "Parameter 'p' is invalid: 11 is out of range: it must be 1 to 10"

    @pytest.mark.parametrize(
        ("kind", "constraint"),
        [
            ("number", "length: {min: 1}"),
            ("string", "range: {min: 1}"),
            ("string", "modulo: {step: 2, offset: 0}"),
            ("json", "allowed_values: [a]"),
            ("number", "allowed_pattern: '[0-9]'"),
            ("json", "custom_constraint: net_cidr"),
            ("string", "length: 3"),
            ("string", "length: {}"),
            ("string", "length: {minimum: 1}"),
            ("string", "length: {min: x}"),
            ("string", "length: {min: 1.5}"),
            ("number", "modulo: {step: 2}"),
            ("number", "modulo: {step: 0, offset: 0}"),
            ("number", "modulo: {step: 2, offset: 2}"),
            ("number", "modulo: {step: 2, offset: -1}"),
            ("string", "allowed_values: a"),
            ("number", "allowed_values: [x]"),
            ("string", "allowed_pattern: '['"),
            ("string", "no_such: 1"),
            ("string", "description: only that"),
        ],
    )
    def test_written_wrongly(self, kind: str, constraint: str) -> None:
        resolved = declared(f"{{type: {kind}, default: '1', constraints: [{{{constraint}}}]}}")

        assert {(found.code, found.kind) for found in resolved.diagnostics} == {
            ("E204", "InvalidSchemaError")
        }

    def test_not_a_list(self) -> None:
        assert declared("{type: string, default: a, constraints: {length: {min: 1}}}").codes == ["E204"]

    def test_an_unknown_value_is_not_held_against_them(self) -> None:
        resolved = declared("{type: number, constraints: [{range: {max: 1}}]}", require_parameters=False)

        assert not resolved.diagnostics
        assert isinstance(resolved.stack.parameters.values["p"], Unknown)


class TestDefaults:
    def test_a_default_makes_a_parameter_optional(self) -> None:
        assert declared("{type: number, default: '5'}").params == {"p": 5}

    def test_a_default_of_null_is_none(self) -> None:
        assert declared("{type: string, default: null}").only.code == "E208"

    @pytest.mark.parametrize("default", ["''", "0", "false", "[]", "{}"])
    def test_an_empty_default_is_one(self, default: str) -> None:
        kind = {"''": "string", "0": "number", "false": "boolean", "[]": "comma_delimited_list"}
        resolved = declared(f"{{type: {kind.get(default, 'json')}, default: {default}}}")

        assert not resolved.diagnostics

    def test_a_default_against_its_own_constraint(self) -> None:
        found = declared("{type: number, default: 5, constraints: [{range: {max: 4}}]}").only

        assert (found.code, found.kind, found.path) == ("E205", "InvalidSchemaError", "parameters.p.default")

    def test_a_wrong_default_is_wrong_even_if_a_value_is_given(self) -> None:
        resolved = declared(
            "{type: number, default: 5, constraints: [{range: {max: 4}}]}", parameters={"p": 3}
        )

        assert resolved.codes == ["E205"]

    def test_a_default_of_the_wrong_type_is_wrong_only_when_it_is_used(self) -> None:
        assert declared("{type: number, default: x}").only.code == "E209"
        assert not declared("{type: number, default: x}", parameters={"p": 3}).diagnostics


class TestPrecedence:
    TEMPLATE = "parameters: {p: {type: string, default: template}}"

    def value(self, *, given: Any = None, environment: Any = None, defaults: Any = None) -> Any:
        sections = {"parameters": {}, "parameter_defaults": {}}
        if environment is not None:
            sections["parameters"] = {"p": environment}
        if defaults is not None:
            sections["parameter_defaults"] = {"p": defaults}
        resolved = resolve(
            self.TEMPLATE, environment=sections, parameters={} if given is None else {"p": given}
        )
        assert not resolved.diagnostics
        return resolved.params["p"]

    def test_the_command_line_before_the_environment(self) -> None:
        assert self.value(given="line", environment="environment", defaults="defaults") == "line"

    def test_the_environment_before_its_defaults(self) -> None:
        assert self.value(environment="environment", defaults="defaults") == "environment"

    def test_its_defaults_before_those_of_the_template(self) -> None:
        assert self.value(defaults="defaults") == "defaults"

    def test_the_template_last(self) -> None:
        assert self.value() == "template"

    def test_empty_text_is_a_value(self) -> None:
        assert self.value(given="", environment="environment") == ""

    def test_null_is_none(self) -> None:
        resolved = resolve(self.TEMPLATE, parameters={"p": None})

        assert resolved.params == {"p": "template"}

    def test_defaults_for_unknown_parameters_are_not_an_error(self) -> None:
        resolved = resolve(self.TEMPLATE, environment={"parameter_defaults": {"other": 1}})

        assert not resolved.diagnostics

    def test_values_for_unknown_parameters_are(self) -> None:
        found = resolve(self.TEMPLATE, parameters={"q": 1}).only

        assert (found.code, found.kind) == ("E207", "UnknownUserParameter")

    def test_the_operators_defaults_come_before_the_templates_and_after_the_users(self) -> None:
        world = replace(WORLD, common_defaults={"p": "operator"})

        assert resolve(self.TEMPLATE, world=world).params == {"p": "operator"}
        environment = {"parameter_defaults": {"p": "user"}}
        assert resolve(self.TEMPLATE, world=world, environment=environment).params == {"p": "user"}


class TestDeclarations:
    def test_missing(self) -> None:
        found = declared("{type: string}").only

        assert (found.code, found.kind) == ("E208", "UserParameterMissing")
        assert "(p)" in found.message
        assert found.hint is not None
        assert "-P p=" in found.hint

    def test_not_required_it_is_unknown(self) -> None:
        resolved = declared("{type: string}", require_parameters=False)

        assert not resolved.diagnostics
        assert isinstance(resolved.stack.parameters.values["p"], Unknown)

    @pytest.mark.parametrize(
        ("text", "code", "path"),
        [
            ("string", "E201", "parameters.p"),
            ("{default: a}", "E203", "parameters.p"),
            ("{type: strin, default: a}", "E203", "parameters.p.type"),
            ("{type: String, default: a}", "E203", "parameters.p.type"),
            ("{type: string, default: a, defualt: b}", "E202", "parameters.p.defualt"),
            ("{type: string, default: a, tags: a}", "E201", "parameters.p.tags"),
        ],
    )
    def test_written_wrongly(self, text: str, code: str, path: str) -> None:
        found = declared(text).only

        assert (found.code, found.kind, found.path) == (code, "InvalidSchemaError", path)

    @pytest.mark.parametrize("name", ["OS::stack_id", "OS::stack_name", "OS::project_id", "OS::region"])
    def test_pseudo_parameters_cannot_be_declared(self, name: str) -> None:
        found = resolve(f"parameters: {{'{name}': {{type: string, default: a}}}}").only

        assert (found.code, found.kind) == ("E206", "InvalidSchemaError")

    def test_reading_one_that_is_written_wrongly_is_not_reported_again(self) -> None:
        resolved = resolve(
            """
            parameters: {p: {type: strin}}
            outputs: {o: {value: {get_param: p}}}
            """
        )

        assert resolved.codes == ["E203"]

    def test_reading_one_that_does_not_exist_has_a_hint(self) -> None:
        resolved = resolve(
            """
            parameters: {flavor: {type: string, default: small}}
            resources: {r: {type: OS::Heat::TestResource, properties: {value: {get_param: flavour}}}}
            """
        )

        assert resolved.only.hint == "did you mean `get_param: flavor`?"

    def test_the_name_of_a_resource(self) -> None:
        resolved = resolve(
            """
            parameters: {same: {type: string, default: a}}
            resources: {same: {type: OS::Heat::None}}
            """
        )

        assert resolved.only.code == "E116"

    def test_flags(self) -> None:
        parameter = declared(
            "{type: string, default: a, hidden: 'yes', immutable: true}"
        ).stack.template.parameters

        assert parameter["p"].hidden
        assert parameter["p"].immutable

    def test_a_flag_that_is_neither_true_nor_false_is_false_and_warned_about(self) -> None:
        resolved = declared("{type: string, default: a, hidden: maybe}")

        assert resolved.only.code == "W201"
        assert not resolved.stack.template.parameters["p"].hidden

    def test_all_keys(self) -> None:
        resolved = declared(
            "{type: string, default: a, label: L, description: D, hidden: false, immutable: false, "
            "tags: [t, u], constraints: [], schema: {}}"
        )
        parameter = resolved.stack.template.parameters["p"]

        assert not resolved.diagnostics
        assert (parameter.label, parameter.description, parameter.tags) == ("L", "D", ("t", "u"))


class TestCfn:
    def declared(self, text: str, **parameters: Any) -> Resolved:
        return resolve(
            f"AWSTemplateFormatVersion: 2010-09-09\nParameters: {{P: {text}}}\n",
            version=None,
            parameters=parameters,
        )

    @pytest.mark.parametrize(
        ("kind", "value", "seen"),
        [
            ("String", 1, "1"),
            ("Number", "2", 2),
            ("CommaDelimitedList", "a,b", ["a", "b"]),
            ("Json", '{"a": 1}', {"a": 1}),
            ("Boolean", "yes", True),
        ],
    )
    def test_types(self, kind: str, value: Any, seen: Any) -> None:
        assert self.declared(f"{{Type: {kind}}}", P=value).params == {"P": seen}

    @pytest.mark.parametrize(
        ("kind", "constraint", "allowed", "refused"),
        [
            ("String", "MinLength: 2, MaxLength: '3'", "abc", "abcd"),
            ("Number", "MinValue: 1, MaxValue: 2", "2", "3"),
            ("String", "AllowedValues: [a]", "a", "b"),
            ("String", "AllowedPattern: '[a-z]'", "a", "A"),
        ],
    )
    def test_constraints(self, kind: str, constraint: str, allowed: str, refused: str) -> None:
        assert not self.declared(f"{{Type: {kind}, {constraint}}}", P=allowed).diagnostics
        text = f"{{Type: {kind}, {constraint}, ConstraintDescription: not that}}"
        found = self.declared(text, P=refused).only
        assert (found.code, found.message) == ("E210", "Parameter 'P' is invalid: not that")

    @pytest.mark.parametrize("word", ["true", "'true'", "'True'"])
    def test_no_echo_hides(self, word: str) -> None:
        assert self.declared(f"{{Type: String, NoEcho: {word}}}", P="pw").params == {"P": MASK}

    def test_keys_of_hot_are_unknown(self) -> None:
        assert self.declared("{Type: String, Default: a, hidden: true}").only.code == "E202"


class TestHidden:
    TEMPLATE = """
        parameters: {password: {type: string, hidden: true, constraints: [{length: {min: 3}}]}}
        resources: {r: {type: OS::Heat::TestResource, properties: {value: {get_param: password}}}}
        outputs: {o: {value: {get_param: password}}}
        """

    def test_masked_everywhere(self) -> None:
        resolved = resolve(self.TEMPLATE, parameters={"password": "s3cr3t"})

        assert resolved.params == {"password": MASK}
        assert resolved.outputs == {"o": MASK}
        assert resolved.properties("r")["value"] == MASK
        assert "s3cr3t" not in repr(resolved.view)
        assert resolved.stack.parameters.values["password"] == Secret("s3cr3t")

    def test_a_value_against_a_constraint_is_not_shown(self) -> None:
        found = resolve(self.TEMPLATE, parameters={"password": "pw"}).only

        assert found.code == "E210"
        assert found.message == "Parameter 'password' is invalid: the value is not allowed"

    def test_a_value_of_the_wrong_type_is_not_shown(self) -> None:
        found = declared("{type: number, hidden: true}", parameters={"p": "s3cr3t"}).only

        assert found.message == "Parameter 'p' is invalid: the value is not valid"

    @pytest.mark.parametrize(
        ("kind", "value"), [("json", {"a": "s3cr3t"}), ("comma_delimited_list", "s3cr3t,b"), ("number", 5)]
    )
    def test_of_every_type(self, kind: str, value: Any) -> None:
        assert declared(f"{{type: {kind}, hidden: true}}", parameters={"p": value}).params == {"p": MASK}

    def test_in_the_environment(self) -> None:
        environment = {"parameters": {"password": "s3cr3t"}, "parameter_defaults": {"password": "0ther"}}
        resolved = resolve(self.TEMPLATE, environment=environment)
        shown = resolved.stack.environment.shown(hidden=["password"])

        assert shown["parameters"] == {"password": MASK}
        assert shown["parameter_defaults"] == {"password": MASK}


class TestPseudoParameters:
    HOT = "outputs: {o: {value: {get_param: '%s'}}}"
    CFN = "HeatTemplateFormatVersion: 2012-12-12\nOutputs: {o: {Value: {Ref: '%s'}}}\n"
    IDENTITY = StackIdentity(name="web", id="0b5e", project="c0ffee", region="eu-west-1")

    @pytest.mark.parametrize(
        ("name", "value"), [("OS::stack_name", "web"), ("OS::stack_id", "0b5e"), ("OS::project_id", "c0ffee")]
    )
    def test_of_hot(self, name: str, value: str) -> None:
        assert resolve(self.HOT % name, identity=self.IDENTITY).outputs == {"o": value}

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("AWS::StackName", "web"),
            ("AWS::StackId", "arn:openstack:heat::c0ffee:stacks/web/0b5e"),
            ("AWS::Region", "eu-west-1"),
        ],
    )
    def test_of_cfn(self, name: str, value: str) -> None:
        assert resolve(self.CFN % name, version=None, identity=self.IDENTITY).outputs == {"o": value}

    @pytest.mark.parametrize("name", ["AWS::StackName", "OS::region"])
    def test_that_hot_does_not_have(self, name: str) -> None:
        assert resolve(self.HOT % name).only.kind == "UserParameterMissing"

    def test_the_id_of_a_stack_that_does_not_exist_is_unknown(self) -> None:
        assert isinstance(resolve(self.HOT % "OS::stack_id").stack.outputs["o"], Unknown)

    def test_cannot_be_given(self) -> None:
        resolved = resolve("resources: {}", parameters={"OS::stack_name": "mine"})

        assert resolved.only.kind == "UnknownUserParameter"

    def test_are_not_part_of_the_view(self) -> None:
        assert resolve("resources: {}").params == {}


class TestGroups:
    PARAMETERS = "parameters: {a: {type: string, default: x}, b: {type: string, default: x}}\n"

    def grouped(self, text: str) -> Resolved:
        return resolve(self.PARAMETERS + f"parameter_groups: {text}\n")

    def test_of_declared_parameters(self) -> None:
        resolved = self.grouped("[{label: One, description: first, parameters: [b, a]}]")
        (group,) = resolved.stack.template.parameter_groups

        assert not resolved.diagnostics
        assert (group.label, group.description, group.parameters) == ("One", "first", ("b", "a"))

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("{label: One}", "Parameter Groups error: parameter_groups: must be a list of groups"),
            (
                "[{label: One}]",
                "Parameter Groups error: parameter_groups[0]: the group requires a list of `parameters`",
            ),
            (
                "[{label: One, parameters: a}]",
                "Parameter Groups error: parameter_groups.One: `parameters` must be a list of names",
            ),
            (
                "[{label: One, parameters: [c]}]",
                "Parameter Groups error: parameter_groups.One: there is no parameter `c`",
            ),
            (
                "[{label: One, parameters: [a]}, {label: Two, parameters: [a]}]",
                "Parameter Groups error: parameter_groups.Two: `a` is already in the group `One`",
            ),
        ],
    )
    def test_written_wrongly(self, text: str, message: str) -> None:
        found = self.grouped(text).only

        assert (found.code, found.full_message) == ("E117", message)
