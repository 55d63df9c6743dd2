"""Values not known yet, and values that are nobody's business: neither gets lost on its way through functions."""

from __future__ import annotations

import copy
import json
import logging
from typing import Any

import pytest

from calor.cli.main import main
from calor.language.lint import lint
from calor.language.values import MASK, Secret, Unknown, bare, has_secret, has_unknown, masked
from calor.language.view import resolved_view
from tests.unit.language.resolving import Resolved, resolve

PASSWORD = "s3cr3t"

# Each function with VALUE in it; what comes out depends on VALUE.
OF_TEXT = {
    "str_replace, value": "{str_replace: {template: aXb, params: {X: VALUE}}}",
    "str_replace, template": "{str_replace: {template: VALUE, params: {X: y}}}",
    "str_replace_strict": "{str_replace_strict: {template: aXb, params: {X: VALUE}}}",
    "str_replace_vstrict": "{str_replace_vstrict: {template: aXb, params: {X: VALUE}}}",
    "list_join, item": "{list_join: ['-', [a, VALUE]]}",
    "list_join, delimiter": "{list_join: [VALUE, [a, b]]}",
    "str_split, text": "{str_split: [',', VALUE]}",
    "str_split, item": "{str_split: [',', VALUE, 0]}",
    "digest": "{digest: [sha256, VALUE]}",
    "make_url": "{make_url: {scheme: http, username: me, password: VALUE, host: h}}",
    "map_merge": "{map_merge: [{a: 1}, {b: VALUE}]}",
    "map_replace": "{map_replace: [{a: VALUE}, {keys: {a: b}}]}",
    "list_concat": "{list_concat: [[a], [VALUE]]}",
    "list_concat_unique": "{list_concat_unique: [[a], [VALUE]]}",
    "filter": "{filter: [[a], [a, VALUE]]}",
    "repeat, item": "{repeat: {template: x-%v%, for_each: {'%v%': [a, VALUE]}}}",
    "repeat, template": "{repeat: {template: ['%v%', VALUE], for_each: {'%v%': [a]}}}",
    "contains": "{contains: [a, VALUE]}",
    "yaql": "{yaql: {expression: '$.data.v', data: {v: VALUE}}}",
    "if": "{if: [true, VALUE, other]}",
    "in a map": "{a: {b: [VALUE]}}",
    "nested": "{list_join: ['', [{str_replace: {template: X, params: {X: {list_join: ['', [VALUE]]}}}}]]}",
}
each_function = pytest.mark.parametrize("expression", OF_TEXT.values(), ids=OF_TEXT.keys())

TEMPLATE = f"""
parameters:
  password: {{type: string, hidden: true, default: {PASSWORD}}}
  many: {{type: json, hidden: true, default: {{a: [{PASSWORD}], b: {{c: {PASSWORD}}}}}}}
  names: {{type: comma_delimited_list, hidden: true, default: 'x,{PASSWORD}'}}
resources:
  a: {{type: OS::Heat::TestResource}}
  r: {{type: OS::Heat::Value, properties: {{value: EXPRESSION}}}}
outputs:
  o: {{value: EXPRESSION}}
"""


def with_value(expression: str, value: str) -> Resolved:
    return resolve(TEMPLATE.replace("EXPRESSION", expression.replace("VALUE", value)))


class TestUnknown:
    @each_function
    def test_what_is_made_of_a_reference_is_not_known(self, expression: str) -> None:
        resolved = with_value(expression, "{get_resource: a}")

        assert not resolved.diagnostics
        assert has_unknown(resolved.stack.outputs["o"])
        assert has_unknown(resolved.resource("r").values["value"])
        assert resolved.edges == [("r", "a")]

    @each_function
    def test_what_is_made_of_an_attribute_is_not_known_and_no_error(self, expression: str) -> None:
        resolved = with_value(expression, "{get_attr: [a, output]}")

        assert not resolved.diagnostics
        assert has_unknown(resolved.stack.outputs["o"])

    def test_the_rest_of_a_collection_is_known(self) -> None:
        value = with_value("[a, {get_resource: a}]", "").stack.outputs["o"]

        assert value[0] == "a"
        assert isinstance(value[1], Unknown)

    def test_what_merely_passes_a_value_on_leaves_the_others_known(self) -> None:
        value = with_value("{map_merge: [{x: 1}, {y: {get_resource: a}}]}", "").stack.outputs["o"]

        assert value["x"] == 1
        assert isinstance(value["y"], Unknown)

    def test_properties_made_by_one_function_are_known_or_not_each_by_itself(self) -> None:
        resolved = resolve(
            """
            resources:
              a: {type: OS::Heat::TestResource}
              r:
                type: OS::Heat::TestResource
                properties: {map_merge: [{wait_secs: {get_attr: [a, output]}}, {value: x}]}
            """
        )

        assert not resolved.diagnostics
        assert isinstance(resolved.resource("r").values["wait_secs"], Unknown)
        assert resolved.resource("r").values["value"] == "x"

    def test_until_it_is_known_it_looks_as_it_does_in_heat(self) -> None:
        assert with_value("{list_join: ['/', [x, {get_resource: a}]]}", "").outputs["o"] == "x/a"
        assert with_value("{list_join: ['/', [x, {get_attr: [a, output]}]]}", "").outputs["o"] == "x/"

    def test_a_value_that_is_wrong_beside_an_unknown_one_is_still_wrong(self) -> None:
        resolved = with_value("{list_join: ['-', [{get_resource: a}, 1]]}", "")

        assert [found.code for found in resolved.errors] == ["E407", "E418"]

    def test_two_unknown_values_are_not_known_to_be_equal(self) -> None:
        one = Unknown("x")

        assert one == one
        assert one != Unknown("x")
        assert one != "x"

    def test_it_does_not_print_as_text(self) -> None:
        assert repr(Unknown("x")) == "<known after creation>"
        assert "x" not in f"{Unknown('x')}"

    def test_without_wrappers_it_is_its_stand_in(self) -> None:
        assert bare({"a": [Unknown("x")], "b": Unknown(None)}) == {"a": ["x"], "b": None}
        assert masked({"a": [Unknown("x")]}) == {"a": ["x"]}


class TestSecret:
    @each_function
    def test_what_is_made_of_a_secret_is_one(self, expression: str) -> None:
        resolved = with_value(expression, "{get_param: password}")

        assert not resolved.diagnostics
        assert has_secret(resolved.stack.outputs["o"])
        assert has_secret(resolved.resource("r").values["value"])
        shown = json.dumps(resolved.view)
        assert PASSWORD not in shown
        assert MASK in shown

    @each_function
    def test_whoever_may_see_it_sees_what_was_made(self, expression: str) -> None:
        secret = with_value(expression, "{get_param: password}")
        plain = with_value(expression, PASSWORD)

        assert resolved_view(secret.stack, show_secrets=True)["outputs"] == plain.outputs

    @each_function
    def test_a_secret_made_of_something_unknown_is_both(self, expression: str) -> None:
        both = "{list_join: ['', [{get_param: password}, {get_resource: a}]]}"
        resolved = with_value(expression, both)

        assert not resolved.diagnostics
        assert has_secret(resolved.stack.outputs["o"])
        assert has_unknown(resolved.stack.outputs["o"])
        assert PASSWORD not in json.dumps(resolved.view)

    def test_properties_made_by_one_function_keep_it(self) -> None:
        resolved = resolve(
            f"""
            parameters: {{password: {{type: string, hidden: true, default: {PASSWORD}}}}}
            resources:
              r:
                type: OS::Heat::TestResource
                properties: {{map_merge: [{{value: {{get_param: password}}}}, {{client_name: c}}]}}
            """
        )

        assert not resolved.diagnostics
        assert resolved.resource("r").values["value"] == Secret(PASSWORD)
        assert resolved.resource("r").values["client_name"] == "c"
        assert PASSWORD not in json.dumps(resolved.view)

    @pytest.mark.parametrize(
        "read",
        [
            "{get_param: many}",
            "{get_param: [many, a]}",
            "{get_param: [many, a, 0]}",
            "{get_param: [many, b, c]}",
            "{get_param: names}",
            "{get_param: [names, 1]}",
        ],
    )
    def test_parts_of_a_secret_are_secret(self, read: str) -> None:
        resolved = with_value(read, "")

        assert has_secret(resolved.stack.outputs["o"])
        assert PASSWORD not in json.dumps(resolved.view)

    @pytest.mark.parametrize(
        "expression",
        [
            "{list_join: ['-', {get_param: password}]}",
            "{list_join: ['-', [{get_param: many}, {get_param: password}, 5]]}",
            "{str_split: [',', {get_param: password}, 7]}",
            "{digest: [{get_param: password}, text]}",
            "{make_url: {scheme: http, host: h, port: {get_param: password}}}",
            "{map_merge: [{get_param: password}]}",
            "{map_replace: [{a: b, s3cr3t: c}, {keys: {a: {get_param: password}}}]}",
            "{list_concat: [{get_param: password}]}",
            "{filter: [[a], {get_param: password}]}",
            "{repeat: {template: x%v%, for_each: {'%v%': {get_param: password}}}}",
            "{str_replace_strict: {template: x, params: {get_param: many}}}",
            "{yaql: {expression: '$.data + 1', data: {get_param: password}}}",
            "{yaql: {expression: {list_join: ['', [{get_param: password}, ' +']]}, data: 1}}",
            "{get_file: {get_param: password}}",
            "{get_param: {get_param: password}}",
            "{get_attr: [a, {get_param: password}]}",
            "{get_resource: {get_param: password}}",
        ],
    )
    def test_no_message_shows_it(self, expression: str) -> None:
        resolved = with_value(expression, "")

        assert resolved.errors
        for found in resolved.diagnostics:
            assert PASSWORD not in f"{found.full_message} {found.hint}"
        assert PASSWORD not in json.dumps(resolved.view).replace('"s3cr3t": "c"', "")

    @pytest.mark.parametrize(
        ("type_name", "name"),
        [
            ("OS::Heat::TestResource", "wait_secs"),
            ("OS::Heat::TestResource", "fail"),
            ("OS::Heat::TestResource", "action_wait_secs"),
            ("OS::Heat::RandomString", "length"),
            ("OS::Heat::RandomString", "character_classes"),
            ("OS::Neutron::Subnet", "ip_version"),
            ("OS::Neutron::Subnet", "cidr"),
        ],
    )
    def test_no_error_about_a_property_shows_it(self, type_name: str, name: str) -> None:
        resolved = resolve(
            f"""
            parameters: {{password: {{type: string, hidden: true, default: {PASSWORD}}}}}
            resources: {{r: {{type: {type_name}, properties: {{network: n, {name}: {{get_param: password}}}}}}}}
            """
        )

        assert resolved.errors
        assert PASSWORD not in " ".join(
            f"{found.full_message} {found.hint}" for found in resolved.diagnostics
        )

    def test_no_error_about_a_policy_or_a_condition_shows_it(self) -> None:
        resolved = resolve(
            f"""
            parameters: {{password: {{type: string, hidden: true, default: {PASSWORD}}}}}
            conditions: {{c: {{get_param: password}}}}
            resources:
              r:
                type: OS::Heat::TestResource
                deletion_policy: {{get_param: password}}
                condition: {{not: {{get_param: password}}}}
              s: {{type: OS::Heat::ResourceGroup, update_policy: {{rolling_update: {{get_param: password}}}},
                   properties: {{resource_def: {{type: OS::Heat::None}}}}}}
            """
        )

        assert resolved.errors
        assert PASSWORD not in " ".join(
            f"{found.full_message} {found.hint}" for found in resolved.diagnostics
        )

    def test_no_error_of_a_nested_stack_shows_it(self) -> None:
        inner = """\
            heat_template_version: 2021-04-16
            parameters: {word: {type: string}}
            resources: {i: {type: OS::Heat::TestResource, properties: {wait_secs: {get_param: word}}}}
            outputs: {o: {value: {str_split: [',', {get_param: word}, 9]}}}
            """
        resolved = resolve(
            f"""
            parameters: {{password: {{type: string, hidden: true, default: {PASSWORD}}}}}
            resources: {{r: {{type: inner.yaml, properties: {{word: {{get_param: password}}}}}}}}
            """,
            files={"inner.yaml": inner},
        )

        assert resolved.errors
        assert PASSWORD not in " ".join(
            f"{found.full_message} {found.hint}" for found in resolved.diagnostics
        )

    def test_it_never_prints(self, caplog: pytest.LogCaptureFixture) -> None:
        secret = Secret(PASSWORD)
        with caplog.at_level(logging.DEBUG):
            logging.getLogger("test").info("a %s, %r, %s", secret, secret, {"deep": [secret]})

        for text in (str(secret), repr(secret), f"{secret}", f"{secret:>40}", "%s" % secret, repr([secret])):  # noqa: UP031
            assert PASSWORD not in text
            assert MASK in text
        assert PASSWORD not in caplog.text

    def test_it_is_not_text(self) -> None:
        secret = Secret(PASSWORD)

        assert not isinstance(secret, str)
        with pytest.raises(TypeError):
            "".join([secret])  # type: ignore[list-item]
        with pytest.raises(TypeError):
            json.dumps(secret)

    def test_a_copy_is_one(self) -> None:
        assert copy.deepcopy(Secret(PASSWORD)) == Secret(PASSWORD)
        assert Secret("a") != Secret("b")
        assert Secret("a") != "a"

    def test_a_definition_does_not_show_it(self) -> None:
        resolved = with_value("{get_param: password}", "")

        assert PASSWORD not in repr(resolved.stack.parameters)
        assert PASSWORD not in repr(resolved.stack.resources["r"].values)
        assert PASSWORD not in repr(resolved.stack.outputs)

    def test_in_an_output_it_is_warned_about(self) -> None:
        resolved = with_value("{get_param: password}", "")
        warnings = [found for found in lint(resolved.stack) if found.code == "W306"]

        assert len(warnings) == 1
        assert PASSWORD not in warnings[0].message


class TestCommand:
    @pytest.fixture
    def path(self, tmp_path: Any) -> str:
        path = tmp_path / "t.yaml"
        path.write_text(
            "heat_template_version: 2021-04-16\n"
            "parameters: {password: {type: string, hidden: true}}\n"
            "resources: {r: {type: OS::Heat::TestResource, properties: {value: {get_param: password}}}}\n"
            "outputs: {o: {value: {list_join: ['', [pw=, {get_param: password}]]}}}\n"
        )
        return str(path)

    @pytest.mark.parametrize("form", ["yaml", "json"])
    def test_secrets_are_not_shown(self, path: str, form: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["template", "resolve", path, "-P", f"password={PASSWORD}", "--format", form]) == 0
        shown = capsys.readouterr()

        assert PASSWORD not in shown.out + shown.err
        assert MASK in shown.out

    @pytest.mark.parametrize("form", ["yaml", "json"])
    def test_unless_they_are_asked_for(
        self, path: str, form: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        arguments = [
            "template",
            "resolve",
            path,
            "-P",
            f"password={PASSWORD}",
            "--format",
            form,
            "--show-secrets",
        ]
        assert main(arguments) == 0

        assert f"pw={PASSWORD}" in capsys.readouterr().out
