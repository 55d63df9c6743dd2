"""Conditions: what they may be made of, and what becomes of what depends on them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.language.resolving import Resolved, resolve

PARAMETERS = """
parameters:
  flag: {type: boolean, default: true}
  size: {type: number, default: 3}
  text: {type: string, default: prod}
"""


def conditions(section: str, more: str = "", **parameters: Any) -> Resolved:
    return resolve(f"{PARAMETERS}\nconditions: {section}\n{more}", parameters=parameters)


class TestSection:
    @pytest.mark.parametrize(
        ("condition", "truth"),
        [
            ("true", True),
            ("no", False),
            ("{get_param: flag}", True),
            ("{equals: [{get_param: size}, 3]}", True),
            ("{equals: [{get_param: size}, '3']}", False),
            ("{not: {get_param: flag}}", False),
            ("{and: [true, {get_param: flag}, {equals: [a, b]}]}", False),
            ("{or: [false, {get_param: flag}]}", True),
            ("{contains: [{get_param: text}, [prod, test]]}", True),
            ("{yaql: {expression: '$.data > 2', data: {get_param: size}}}", True),
        ],
    )
    def test_forms(self, condition: str, truth: bool) -> None:
        resolved = conditions(f"{{c: {condition}}}")

        assert not resolved.diagnostics
        assert resolved.stack.conditions == {"c": truth}

    def test_they_can_use_each_other_in_any_order(self) -> None:
        resolved = conditions("{both: {and: [one, {not: other}]}, one: true, other: {not: one}}")

        assert not resolved.diagnostics
        assert resolved.stack.conditions == {"both": True, "one": True, "other": False}

    def test_they_follow_the_parameters(self) -> None:
        assert conditions("{c: {equals: [{get_param: text}, test]}}", text="test").stack.conditions == {
            "c": True
        }
        assert conditions("{c: {get_param: flag}}", flag="off").stack.conditions == {"c": False}

    @pytest.mark.parametrize(
        "condition",
        [
            "{get_resource: r}",
            "{get_attr: [r, output]}",
            "{equals: [{get_attr: [r, output]}, a]}",
            "{list_join: ['', [a]]}",
            "{if: [a, b, c]}",
            "{equals: [a]}",
            "{and: [true]}",
            "{not: null}",
        ],
    )
    def test_functions_that_are_not_for_conditions_or_written_wrongly(self, condition: str) -> None:
        resolved = conditions(f"{{c: {condition}}}", "resources: {r: {type: OS::Heat::TestResource}}")

        assert resolved.errors
        assert {found.code for found in resolved.errors} <= {"E404", "E405"}
        assert all(found.path.startswith("conditions.c") for found in resolved.errors)

    @pytest.mark.parametrize("condition", ["text", "1", "[true]", "{a: b, c: d}", "null"])
    def test_neither_true_nor_false_nor_a_function(self, condition: str) -> None:
        found = conditions(f"{{c: {condition}}}").only

        assert (found.code, found.path) == ("E405", "conditions.c")

    @pytest.mark.parametrize(
        "condition", ["{get_param: text}", "{get_param: size}", "{not: {get_param: text}}"]
    )
    def test_a_function_that_gives_neither_true_nor_false(self, condition: str) -> None:
        assert conditions(f"{{c: {condition}}}").only.code == "E405"

    def test_an_unknown_one_has_a_hint(self) -> None:
        resolved = conditions("{create_volume: true, c: {not: create_volumes}}")

        assert resolved.only.code == "E405"
        assert resolved.only.hint == "did you mean `create_volume`?"

    def test_a_circle_is_named_in_order(self) -> None:
        resolved = conditions("{a: {not: b}, b: {and: [c, true]}, c: {or: [a, false]}}")
        messages = [found.message for found in resolved.errors]

        assert any("a → b → c → a" in message for message in messages), messages

    def test_one_that_needs_itself(self) -> None:
        assert any("c → c" in found.message for found in conditions("{c: {not: c}}").errors)

    def test_an_unknown_parameter(self) -> None:
        found = conditions("{c: {get_param: flags}}").only

        assert found.kind == "UserParameterMissing"
        assert found.hint == "did you mean `get_param: flag`?"


class TestUse:
    def test_a_resource_whose_condition_is_false_is_not_there(self) -> None:
        resolved = conditions(
            "{wanted: true, unwanted: false}",
            """
resources:
  there: {type: OS::Heat::TestResource, condition: wanted}
  gone: {type: OS::Heat::TestResource, condition: unwanted}
  also_gone: {type: OS::Heat::TestResource, condition: {not: wanted}}
  plain: {type: OS::Heat::TestResource, condition: false}
""",
        )

        assert not resolved.diagnostics
        assert list(resolved.stack.resources) == ["there"]

    def test_what_is_gone_is_not_looked_at(self) -> None:
        resolved = conditions(
            "{unwanted: false}",
            """
resources:
  gone:
    type: No::Such::Type
    condition: unwanted
    properties: {a: {get_resource: nowhere}}
""",
        )

        assert not resolved.diagnostics

    def test_a_reference_to_what_is_gone_shows_why(self) -> None:
        resolved = conditions(
            "{unwanted: false}",
            """
resources:
  gone: {type: OS::Heat::TestResource, condition: unwanted}
  user: {type: OS::Heat::TestResource, properties: {value: {get_resource: gone}}}
""",
        )

        assert (resolved.only.code, resolved.only.kind) == ("E403", "InvalidTemplateReference")
        assert resolved.only.hint == "the condition of `gone` is false"

    def test_to_depend_on_what_is_gone_is_to_depend_on_nothing(self) -> None:
        resolved = conditions(
            "{unwanted: false}",
            """
resources:
  gone: {type: OS::Heat::TestResource, condition: unwanted}
  user: {type: OS::Heat::TestResource, depends_on: gone}
""",
        )

        assert not resolved.diagnostics
        assert resolved.edges == []

    def test_an_output_whose_condition_is_false_is_null(self) -> None:
        resolved = conditions(
            "{unwanted: false}",
            "outputs: {o: {value: {get_resource: nowhere}, condition: unwanted}, p: {value: 1}}",
        )

        assert not resolved.diagnostics
        assert resolved.outputs == {"o": None, "p": 1}

    @pytest.mark.parametrize(
        "use",
        [
            "resources: {r: {type: OS::Heat::None, condition: unwnted}}",
            "outputs: {o: {value: 1, condition: unwnted}}",
        ],
    )
    def test_an_unknown_one_has_a_hint(self, use: str) -> None:
        found = conditions("{unwanted: false}", use).only

        assert found.code == "E405"
        assert found.hint == "did you mean `unwanted`?"

    def test_only_the_branch_that_is_taken_makes_dependencies(self) -> None:
        template = """
parameters: {first: {type: boolean}}
conditions: {c: {get_param: first}}
resources:
  a: {type: OS::Heat::TestResource}
  b: {type: OS::Heat::TestResource}
  user:
    type: OS::Heat::TestResource
    properties: {value: {if: [c, {get_resource: a}, {get_resource: b}]}}
"""

        assert resolve(template, parameters={"first": True}).edges == [("user", "a")]
        assert resolve(template, parameters={"first": False}).edges == [("user", "b")]

    def test_a_property_that_vanishes_takes_its_default(self) -> None:
        resolved = conditions(
            "{unwanted: false}",
            "resources: {r: {type: OS::Heat::TestResource, properties: {value: {if: [unwanted, given]}}}}",
        )

        assert not resolved.diagnostics
        assert resolved.resource("r").given == {}
        assert resolved.properties("r")["value"] == "test_string"

    def test_cloudformation(self) -> None:
        resolved = resolve(
            """
            AWSTemplateFormatVersion: 2010-09-09
            Parameters: {Env: {Type: String, Default: prod}}
            Conditions: {IsProd: {'Fn::Equals': [{Ref: Env}, prod]}, NotProd: {'Fn::Not': [IsProd]}}
            Resources:
              A: {Type: 'OS::Heat::TestResource', Condition: IsProd}
              B: {Type: 'OS::Heat::TestResource', Condition: NotProd}
            Outputs: {O: {Value: {'Fn::If': [IsProd, big, small]}, Condition: IsProd}}
            """,
            version=None,
        )

        assert not resolved.diagnostics
        assert resolved.stack.conditions == {"IsProd": True, "NotProd": False}
        assert list(resolved.stack.resources) == ["A"]
        assert resolved.outputs == {"O": "big"}
