"""Stacks below resources: templates used as types, what the registry maps to what, and groups."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from calor.language.values import MASK, Secret, Unknown, bare
from tests.unit.language.resolving import WORLD, Resolved, child, resolve

SERVER = child(
    """
    parameters:
      name: {type: string}
      size: {type: number, default: 1, constraints: [{range: {max: 9}}]}
      tags: {type: comma_delimited_list, default: ''}
      extra: {type: json, default: {}}
    resources:
      inner: {type: OS::Heat::TestResource, properties: {value: {get_param: name}}}
    outputs:
      address: {value: {get_attr: [inner, output]}}
      given: {value: {get_param: name}}
    """
)


def with_server(properties: str, more: str = "", **options: Any) -> Resolved:
    return resolve(
        f"resources: {{r: {{type: server.yaml, properties: {properties}}}}}\n{more}",
        files={"server.yaml": SERVER},
        **options,
    )


class TestTemplatesAsTypes:
    def test_parameters_are_properties(self) -> None:
        resolved = with_server("{name: web, size: '2'}")

        assert not resolved.diagnostics
        assert resolved.below("r").parameters.values["name"] == "web"
        assert resolved.below("r").parameters.values["size"] == 2
        assert resolved.below("r").resources["inner"].values["value"] == "web"

    def test_what_is_not_given_takes_the_default_of_the_parameter(self) -> None:
        assert with_server("{name: web}").below("r").parameters.values["size"] == 1

    @pytest.mark.parametrize(
        ("properties", "code", "path"),
        [
            ("{}", "E412", "resources.r.properties"),
            ("{name: web, nam: a}", "E410", "resources.r.properties"),
            ("{name: web, size: 10}", "E415", "resources.r.properties.size"),
            ("{name: web, size: big}", "E414", "resources.r.properties.size"),
            ("{name: web, tags: {a: b}}", "E414", "resources.r.properties.tags"),
        ],
    )
    def test_properties_are_held_against_the_parameters(self, properties: str, code: str, path: str) -> None:
        found = with_server(properties).only

        assert (found.code, found.path) == (code, path)

    @pytest.mark.parametrize(
        ("written", "seen"),
        [
            ("[a, b]", ["a", "b"]),
            ("'a,b'", ["a", "b"]),
            ("[]", []),
            ("[a, null]", ["a", ""]),
        ],
    )
    def test_lists_are_passed_on(self, written: str, seen: list[str]) -> None:
        resolved = with_server(f"{{name: web, tags: {written}}}")

        assert not resolved.diagnostics
        assert resolved.below("r").parameters.values["tags"] == seen

    @pytest.mark.parametrize(
        ("written", "seen"),
        [
            ("{a: [1]}", {"a": [1]}),
            ("'{\"a\": [1]}'", {"a": [1]}),
            ("[1, {a: b}]", [1, {"a": "b"}]),
            ("'[1]'", [1]),
            ("[]", []),
        ],
    )
    def test_maps_are_passed_on_and_so_is_whatever_else_json_can_be(self, written: str, seen: Any) -> None:
        resolved = with_server(f"{{name: web, extra: {written}}}")

        assert not resolved.diagnostics
        assert resolved.below("r").parameters.values["extra"] == seen

    def test_text_that_is_not_json_shows_where_it_is_read(self) -> None:
        found = with_server("{name: web, extra: text}").only

        assert (found.code, found.path) == ("E209", "resources.r<server.yaml>")
        # A server finds out only when it makes the nested stack.
        assert found.deferred

    def test_unknown_and_hidden_parts_of_a_list_make_all_of_its_text_so(self) -> None:
        resolved = resolve(
            """
            parameters: {password: {type: string, hidden: true, default: s3cr3t}}
            resources:
              a: {type: OS::Heat::TestResource}
              r: {type: server.yaml, properties: {name: n, extra: [{get_resource: a}, {get_param: password}]}}
            """,
            files={"server.yaml": SERVER},
        )

        assert not resolved.diagnostics
        extra = resolved.below("r").parameters.values["extra"]
        assert isinstance(extra, Unknown)
        assert extra.secret
        assert bare(extra) == ["a", "s3cr3t"]
        assert "s3cr3t" not in repr(resolved.view)

    @pytest.mark.parametrize("value", ["[a]", "5"])
    def test_one_that_does_not_fit_is_not_reported_missing_below(self, value: str) -> None:
        inner = child(
            "parameters: {m: {type: json}, s: {type: string}}\noutputs: {o: {value: [{get_param: m}, {get_param: s}]}}"
        )
        resolved = resolve(
            f"resources: {{r: {{type: x.yaml, properties: {{m: 5, s: {value}}}}}}}", files={"x.yaml": inner}
        )

        assert {found.code for found in resolved.diagnostics} == {"E414"}

    def test_outputs_are_attributes(self) -> None:
        resolved = with_server("{name: web}", "outputs: {o: {value: {get_attr: [r, address]}}}")

        assert not resolved.diagnostics
        assert isinstance(resolved.stack.outputs["o"], Unknown)

    def test_what_is_not_known_yet_stays_unknown_below(self) -> None:
        resolved = resolve(
            """
            resources:
              a: {type: OS::Heat::TestResource}
              r: {type: server.yaml, properties: {name: {get_attr: [a, output]}, size: {get_attr: [a, output]}}}
            """,
            files={"server.yaml": SERVER},
        )

        assert not resolved.diagnostics
        assert isinstance(resolved.below("r").parameters.values["name"], Unknown)
        assert resolved.edges == [("r", "a")]

    def test_what_is_hidden_above_is_secret_below(self) -> None:
        resolved = resolve(
            """
            parameters: {password: {type: string, hidden: true}}
            resources: {r: {type: server.yaml, properties: {name: {get_param: password}}}}
            """,
            files={"server.yaml": SERVER},
            parameters={"password": "s3cr3t"},
        )
        below = resolved.below("r")

        assert below.parameters.values["name"] == Secret("s3cr3t")
        assert below.resources["inner"].values["value"] == Secret("s3cr3t")

    def test_a_template_that_was_not_sent(self) -> None:
        found = resolve("resources: {r: {type: missing.yaml}}").only

        assert (found.code, found.message) == (
            "E402",
            "the template missing.yaml is not among the files of the request",
        )

    def test_a_template_from_the_web(self) -> None:
        fetched: list[str] = []

        def fetch(url: str) -> str:
            fetched.append(url)
            return SERVER

        resolved = resolve(
            """
            resources:
              r: {type: 'http://example.com/server.yaml', properties: {name: a}}
              s: {type: 'http://example.com/server.yaml', properties: {name: b}}
            """,
            world=replace(WORLD, fetch=fetch),
        )

        assert not resolved.diagnostics
        assert fetched == ["http://example.com/server.yaml"]

    @pytest.mark.parametrize("content", ["resources: {}", "[a]", "a: [", "just text"])
    def test_a_file_that_is_not_a_template(self, content: str) -> None:
        found = resolve("resources: {r: {type: x.yaml}}", files={"x.yaml": content}).only

        assert found.code == "E402"
        assert found.message.startswith("x.yaml is not a template: ")

    def test_the_stack_name_below_is_the_name_of_the_resource(self) -> None:
        text = child("outputs: {o: {value: {get_param: 'OS::stack_name'}}}")

        assert resolve("resources: {r: {type: x.yaml}}", files={"x.yaml": text}).below("r").outputs == {
            "o": "r"
        }

    def test_parameter_defaults_reach_everywhere(self) -> None:
        leaf = child("parameters: {colour: {type: string}}\noutputs: {o: {value: {get_param: colour}}}")
        middle = child("resources: {leaf: {type: leaf.yaml}}")
        resolved = resolve(
            "resources: {middle: {type: middle.yaml}}",
            files={"leaf.yaml": leaf, "middle.yaml": middle},
            environment={"parameter_defaults": {"colour": "red"}},
        )

        assert not resolved.diagnostics
        assert resolved.below("middle", "leaf").outputs == {"o": "red"}

    def test_parameters_do_not(self) -> None:
        leaf = child(
            "parameters: {colour: {type: string, default: blue}}\noutputs: {o: {value: {get_param: colour}}}"
        )
        resolved = resolve(
            "parameters: {colour: {type: string}}\nresources: {leaf: {type: leaf.yaml}}",
            files={"leaf.yaml": leaf},
            parameters={"colour": "red"},
        )

        assert resolved.below("leaf").outputs == {"o": "blue"}


class TestErrorsBelow:
    def test_have_the_path_from_the_top(self) -> None:
        broken = child("resources: {inner: {type: OS::Heat::TestResource, properties: {vlaue: x}}}")
        found = resolve("resources: {r: {type: x.yaml}}", files={"x.yaml": broken}).only

        assert found.code == "E410"
        assert found.path == "resources.r<x.yaml>.resources.inner.properties"
        assert found.full_message.startswith(
            "Property error: resources.r<x.yaml>.resources.inner.properties: "
        )

    def test_are_placed_in_their_own_file(self) -> None:
        broken = "heat_template_version: 2021-04-16\nresources:\n  inner:\n    type: No::Such\n"
        found = resolve("resources: {r: {type: x.yaml}}", files={"x.yaml": broken}).only

        assert found.where is not None
        assert (found.where.file, found.where.line) == ("x.yaml", 4)

    def test_two_levels_down(self) -> None:
        files = {
            "a.yaml": child("resources: {b: {type: b.yaml}}"),
            "b.yaml": child("resources: {c: {type: No::Such}}\noutputs: {o: {value: {str_split: x}}}"),
        }
        resolved = resolve("resources: {a: {type: a.yaml}}", files=files)

        assert sorted(found.path for found in resolved.diagnostics) == [
            "resources.a<a.yaml>.resources.b<b.yaml>",
            "resources.a<a.yaml>.resources.b<b.yaml>.outputs.o.value.str_split",
        ]

    def test_a_cycle(self) -> None:
        text = child(
            "resources: {x: {type: OS::Heat::None, depends_on: y}, y: {type: OS::Heat::None, depends_on: x}}"
        )
        found = resolve("resources: {r: {type: x.yaml}}", files={"x.yaml": text}).only

        assert (found.code, found.path) == ("E409", "resources.r<x.yaml>")


class TestDepth:
    def test_a_template_that_uses_itself(self) -> None:
        text = child("resources: {again: {type: x.yaml}}")
        found = resolve("resources: {r: {type: x.yaml}}", files={"x.yaml": text}).only

        assert (found.code, found.kind) == ("E417", "RequestLimitExceeded")
        assert "deeper than 5 levels" in found.message

    def test_the_limit_itself_is_allowed(self) -> None:
        files = {
            f"{level}.yaml": child(f"resources: {{r: {{type: {level + 1}.yaml}}}}") for level in range(1, 5)
        }
        files["5.yaml"] = child("resources: {}")

        assert not resolve("resources: {r: {type: 1.yaml}}", files=files).diagnostics
        files["5.yaml"] = child("resources: {r: {type: 6.yaml}}")
        files["6.yaml"] = child("resources: {}")
        assert resolve("resources: {r: {type: 1.yaml}}", files=files).codes == ["E417"]


class TestRegistry:
    MADE = child("parameters: {value: {type: string, default: x}}\noutputs: {output: {value: made}}")

    def types(self, registry: dict[str, Any], template: str, **files: str) -> dict[str, str]:
        """What each resource turns out to be: a type's name or a template's."""
        resolved = resolve(
            template,
            environment={"resource_registry": registry},
            files={"made.yaml": self.MADE, "other.yaml": self.MADE, **files},
        )
        assert not resolved.diagnostics, resolved.messages
        found = {}
        for name, resource in resolved.stack.resources.items():
            assert resource.resource_type is not None
            found[name] = getattr(resource.resource_type, "url", resource.resource_type.type_name)
        return found

    def test_a_type_for_a_type(self) -> None:
        assert self.types({"My::Test": "OS::Heat::TestResource"}, "resources: {r: {type: My::Test}}") == {
            "r": "OS::Heat::TestResource"
        }

    def test_a_chain(self) -> None:
        registry = {"A::B": "C::D", "C::D": "OS::Heat::None"}

        assert self.types(registry, "resources: {r: {type: A::B}}") == {"r": "OS::Heat::None"}

    def test_a_template_for_a_type(self) -> None:
        assert self.types({"My::Test": "made.yaml"}, "resources: {r: {type: My::Test}}") == {"r": "made.yaml"}

    def test_a_wildcard_for_a_wildcard(self) -> None:
        registry = {"Mine::*": "OS::Heat::*"}

        assert self.types(registry, "resources: {r: {type: Mine::None}, s: {type: Mine::TestResource}}") == {
            "r": "OS::Heat::None",
            "s": "OS::Heat::TestResource",
        }

    def test_a_wildcard_for_one_type(self) -> None:
        assert self.types({"Mine::*": "OS::Heat::None"}, "resources: {r: {type: Mine::Any}}") == {
            "r": "OS::Heat::None"
        }

    def test_of_several_mappings_the_first_by_name_wins_and_a_wildcard_is_before_what_is_longer(self) -> None:
        registry = {
            "Mine::Web": "made.yaml",
            "Mine::We*": "OS::Heat::RandomString",
            "Mine::*": "OS::Heat::None",
        }

        assert self.types(registry, "resources: {r: {type: Mine::Web}}") == {"r": "OS::Heat::None"}
        del registry["Mine::*"]
        assert self.types(registry, "resources: {r: {type: Mine::Web}}") == {"r": "OS::Heat::RandomString"}
        del registry["Mine::We*"]
        assert self.types(registry, "resources: {r: {type: Mine::Web}}") == {"r": "made.yaml"}

    def test_a_wildcard_cannot_stand_for_templates(self) -> None:
        resolved = resolve(
            "resources: {r: {type: Mine::Web}}",
            environment={"resource_registry": {"Mine::*": "made.yaml"}},
            files={"made.yaml": self.MADE},
        )

        assert resolved.only.code == "E401"

    def test_a_mapping_for_one_resource_names_its_type_in_full(self) -> None:
        resolved = resolve(
            "resources: {r: {type: Mine::Web}}",
            environment={"resource_registry": {"resources": {"r": {"Mine::*": "OS::Heat::None"}}}},
        )

        assert resolved.only.code == "E401"

    def test_a_mapping_for_one_resource_wins(self) -> None:
        registry = {
            "My::Test": "made.yaml",
            "resources": {"special": {"My::Test": "other.yaml"}},
        }
        template = "resources: {plain: {type: My::Test}, special: {type: My::Test}}"

        assert self.types(registry, template) == {"plain": "made.yaml", "special": "other.yaml"}

    def test_a_mapping_for_one_resource_needs_its_very_name(self) -> None:
        registry = {"My::Test": "made.yaml", "resources": {"spec*": {"My::Test": "other.yaml"}}}

        assert self.types(registry, "resources: {special: {type: My::Test}}") == {"special": "made.yaml"}

    def test_a_mapping_that_leads_nowhere_is_passed_over(self) -> None:
        registry = {"OS::Heat::None": "No::Such::Type"}

        assert self.types(registry, "resources: {r: {type: OS::Heat::None}}") == {"r": "OS::Heat::None"}

    def test_null_undoes_a_mapping(self) -> None:
        assert self.types({"OS::Heat::None": None}, "resources: {r: {type: OS::Heat::None}}") == {
            "r": "OS::Heat::None"
        }

    @pytest.mark.parametrize("name", ["Mine::Web", "Mine::*", "M*"])
    def test_null_undoes_the_mappings_that_were_given_before_it(self, name: str) -> None:
        resolved = resolve(
            "resources: {r: {type: Mine::Web}}",
            environment={"resource_registry": {"Mine::Web": "OS::Heat::None", name: None}},
        )

        assert resolved.only.code == "E401"

    def test_a_circle_ends(self) -> None:
        resolved = resolve(
            "resources: {r: {type: A::A}}",
            environment={"resource_registry": {"A::A": "B::B", "B::B": "A::A"}},
        )

        assert resolved.only.code == "E401"

    def test_inside_of_a_template_its_own_type_means_the_original(self) -> None:
        wrapped = child(
            """
            parameters: {value: {type: string, default: x}}
            resources: {inner: {type: OS::Heat::RandomString}}
            outputs: {value: {value: {get_attr: [inner, value]}}}
            """
        )
        resolved = resolve(
            "resources: {r: {type: OS::Heat::RandomString}}",
            environment={"resource_registry": {"OS::Heat::RandomString": "wrapped.yaml"}},
            files={"wrapped.yaml": wrapped},
        )
        inner = resolved.below("r").resources["inner"]

        assert not resolved.diagnostics
        assert inner.resource_type is not None
        assert inner.resource_type.type_name == "OS::Heat::RandomString"
        assert inner.child is None

    def test_mappings_reach_into_nested_stacks(self) -> None:
        outer = child("resources: {inner: {type: My::Test}, free: {type: My::Test}}")
        registry = {
            "My::Test": "OS::Heat::None",
            "resources": {"web*": {"inner": {"My::Test": "OS::Heat::TestResource"}}},
        }
        resolved = resolve(
            "resources: {web1: {type: outer.yaml}, db: {type: outer.yaml}}",
            environment={"resource_registry": registry},
            files={"outer.yaml": outer},
        )

        def type_below(parent: str, name: str) -> str:
            found = resolved.below(parent).resources[name].resource_type
            assert found is not None
            return found.type_name

        assert not resolved.diagnostics
        assert type_below("web1", "inner") == "OS::Heat::TestResource"
        assert type_below("web1", "free") == "OS::Heat::None"
        assert type_below("db", "inner") == "OS::Heat::None"

    def test_old_names_of_types_are_known(self) -> None:
        resolved = resolve("resources: {r: {type: OS::Quantum::Net}}")

        assert not resolved.diagnostics
        assert resolved.resource("r").resource_type is WORLD.declaration("OS::Neutron::Net")


class TestInPlaceOfAType:
    """A template that stands for a type has to take what users of the type give, and give what they read."""

    def standing_for(self, type_name: str, template: str, properties: str) -> Resolved:
        return resolve(
            f"resources: {{r: {{type: {type_name}, properties: {properties}}}}}",
            environment={"resource_registry": {type_name: "x.yaml"}},
            files={"x.yaml": child(template)},
        )

    def test_one_that_fits(self) -> None:
        resolved = self.standing_for(
            "OS::Heat::Value",
            "parameters: {value: {type: string}}\noutputs: {value: {value: {get_param: value}}}",
            "{value: a}",
        )

        assert not resolved.diagnostics

    def test_without_a_required_property(self) -> None:
        resolved = self.standing_for("OS::Heat::Value", "outputs: {value: {value: 1}}", "{}")

        assert resolved.only.code == "E419"
        assert resolved.only.message.endswith("lacks the parameter `value`, which OS::Heat::Value requires")

    def test_without_an_attribute(self) -> None:
        resolved = self.standing_for("OS::Heat::Value", "parameters: {value: {type: string}}", "{value: a}")

        assert resolved.only.message.endswith("lacks the output `value`, an attribute of OS::Heat::Value")

    def test_with_a_parameter_of_its_own_that_nobody_gives(self) -> None:
        resolved = self.standing_for(
            "OS::Heat::Value",
            "parameters: {value: {type: string}, own: {type: string}}\noutputs: {value: {value: 1}}",
            "{value: a, own: b}",
        )

        assert resolved.only.message.endswith(
            "lacks a default for `own`, which OS::Heat::Value does not have"
        )

    def test_with_a_parameter_of_another_type(self) -> None:
        resolved = self.standing_for(
            "OS::Heat::RandomString",
            "parameters: {length: {type: string, default: x}}\noutputs: {value: {value: 1}}",
            "{}",
        )

        assert resolved.only.message.endswith("lacks `length` as number: it is string")

    FACADE = "parameters: {one: {type: string}, two: {type: string}}\noutputs: {here: {value: noop}}"

    @pytest.mark.parametrize(
        ("concrete", "lacking"),
        [
            ("parameters: {one: {type: string}}\noutputs: {here: {value: 1}}", "the parameter `two`"),
            ("parameters: {one: {type: string}, two: {type: string}}", "the output `here`"),
            (
                "parameters: {one: {type: number}, two: {type: string}}\noutputs: {here: {value: 1}}",
                "`one` as string",
            ),
        ],
    )
    def test_a_template_for_one_resource_stands_for_the_one_of_the_others(
        self, concrete: str, lacking: str
    ) -> None:
        registry = {"My::Thing": "facade.yaml", "resources": {"r": {"My::Thing": "concrete.yaml"}}}
        given = "{one: 1}" if "two" not in concrete else "{one: 1, two: b}"

        def resolved(text: str) -> Resolved:
            return resolve(
                f"resources: {{r: {{type: My::Thing, properties: {given}}}}}",
                environment={"resource_registry": registry},
                files={"facade.yaml": child(self.FACADE), "concrete.yaml": child(text)},
            )

        assert resolved(concrete).only.code == "E419"
        assert f"replaces My::Thing, but lacks {lacking}" in resolved(concrete).only.message
        if given != "{one: 1}":
            assert not resolved(self.FACADE).diagnostics

    def test_a_name_of_its_own_is_held_against_nothing(self) -> None:
        assert not self.standing_for("My::Own", "parameters: {a: {type: string}}", "{a: b}").diagnostics


class TestResourceFacade:
    CHILD = child(
        """
        outputs:
          metadata: {value: {resource_facade: metadata}}
          deletion_policy: {value: {resource_facade: deletion_policy}}
          update_policy: {value: {resource_facade: update_policy}}
        """
    )

    def below(self, resource: str) -> dict[str, Any]:
        resolved = resolve(f"resources: {{r: {resource}}}", files={"x.yaml": self.CHILD})
        assert not resolved.diagnostics, resolved.messages
        outputs: dict[str, Any] = bare(resolved.below("r").outputs)
        return outputs

    def test_is_that_of_the_parent(self) -> None:
        outputs = self.below("{type: x.yaml, metadata: {a: [1]}, deletion_policy: Retain}")

        assert outputs == {"metadata": {"a": [1]}, "deletion_policy": "Retain", "update_policy": {}}

    def test_when_the_parent_has_none(self) -> None:
        assert self.below("{type: x.yaml}") == {
            "metadata": {},
            "deletion_policy": "Delete",
            "update_policy": {},
        }

    def test_functions_of_the_parent_are_resolved_there(self) -> None:
        assert self.below("{type: x.yaml, metadata: {n: {get_param: 'OS::stack_name'}}}")["metadata"] == {
            "n": "golden"
        }

    def test_in_the_cloudformation_format(self) -> None:
        text = "HeatTemplateFormatVersion: 2012-12-12\nOutputs: {o: {Value: {'Fn::ResourceFacade': DeletionPolicy}}}\n"
        resolved = resolve("resources: {r: {type: x.yaml, deletion_policy: Retain}}", files={"x.yaml": text})

        assert resolved.below("r").outputs == {"o": "Retain"}


class TestGroups:
    def group(self, properties: str, **options: Any) -> Resolved:
        return resolve(
            f"resources: {{g: {{type: OS::Heat::ResourceGroup, properties: {properties}}}}}", **options
        )

    def test_members_are_checked(self) -> None:
        resolved = self.group(
            "{count: 3, resource_def: {type: OS::Heat::TestResource, properties: {vlaue: x}}}"
        )

        assert resolved.only.code == "E410"
        assert resolved.only.path == "resources.g<nested_stack>.resources[0].properties"

    def test_the_index_is_put_into_properties(self) -> None:
        resolved = self.group(
            "{count: 2, resource_def: {type: OS::Heat::TestResource, properties: {value: web-%index%}}}"
        )

        assert not resolved.diagnostics
        assert resolved.below("g").resources["0"].values["value"] == "web-0"

    def test_an_empty_group_is_not_looked_into(self) -> None:
        assert not self.group("{count: 0, resource_def: {type: No::Such::Type}}").diagnostics

    def test_members_can_be_templates(self) -> None:
        resolved = self.group(
            "{count: 2, resource_def: {type: server.yaml, properties: {name: 'web%index%'}}}",
            files={"server.yaml": SERVER},
        )

        assert not resolved.diagnostics
        assert resolved.below("g", "0").parameters.values["name"] == "web0"

    def test_an_unknown_type_of_members(self) -> None:
        found = self.group("{resource_def: {type: No::Such::Type}}").only

        assert (found.code, found.path) == ("E401", "resources.g<nested_stack>")

    def test_what_is_not_known_yet_reaches_the_members(self) -> None:
        resolved = resolve(
            """
            resources:
              a: {type: OS::Heat::TestResource}
              g:
                type: OS::Heat::ResourceGroup
                properties:
                  resource_def: {type: OS::Heat::TestResource, properties: {wait_secs: {get_attr: [a, output]}}}
            """
        )

        assert not resolved.diagnostics
        assert resolved.edges == [("g", "a")]

    def test_what_is_hidden_stays_hidden_in_the_members(self) -> None:
        resolved = resolve(
            """
            parameters: {password: {type: string, hidden: true}}
            resources:
              g:
                type: OS::Heat::ResourceGroup
                properties:
                  resource_def: {type: OS::Heat::TestResource, properties: {value: {get_param: password}}}
            """,
            parameters={"password": "s3cr3t"},
        )

        assert not resolved.diagnostics
        assert "s3cr3t" not in repr(resolved.view)
        assert repr(resolved.below("g").resources["0"].values["value"]) == MASK

    def test_a_chain_of_types(self) -> None:
        resolved = resolve(
            "resources: {c: {type: OS::Heat::ResourceChain, properties: "
            "{resources: [OS::Heat::TestResource, OS::Heat::None]}}}"
        )

        assert not resolved.diagnostics
        assert len(resolved.below("c").resources) == 2


class TestValuesBelow:
    """What is wrong with values in stacks below is told before anything is made."""

    def refusing(self, resolved: Resolved) -> list[tuple[str, str]]:
        return [(found.code, found.path) for found in resolved.diagnostics if found.is_fatal]

    FLAVORS = replace(WORLD, custom=lambda name, value: f"no {name} {value}" if value == "nope" else None)

    def test_in_a_group(self) -> None:
        resolved = resolve(
            """
            parameters: {flavor: {type: string}}
            resources:
              g:
                type: OS::Heat::ResourceGroup
                properties:
                  count: 2
                  resource_def:
                    type: OS::Nova::Server
                    properties: {flavor: {get_param: flavor}, image: i, networks: none}
            """,
            parameters={"flavor": "nope"},
            world=self.FLAVORS,
        )
        path = "resources.g<nested_stack>.resources[0].properties"
        assert ("E415", path + ".flavor") in self.refusing(resolved)
        assert ("E414", path + ".networks") in self.refusing(resolved)

    def test_two_levels_down(self) -> None:
        resolved = resolve(
            "resources: {a: {type: a.yaml, properties: {f: nope}}}",
            files={
                "a.yaml": child(
                    """
                    parameters: {f: {type: string}}
                    resources: {b: {type: b.yaml, properties: {f: {get_param: f}}}}
                    """
                ),
                "b.yaml": child(
                    """
                    parameters: {f: {type: string}}
                    resources: {s: {type: OS::Nova::Server, properties: {flavor: {get_param: f}, image: i}}}
                    """
                ),
            },
            world=self.FLAVORS,
        )
        path = "resources.a<a.yaml>.resources.b<b.yaml>.resources.s.properties.flavor"
        assert self.refusing(resolved) == [("E415", path)]

    def test_what_is_not_known_yet_is_passed_over(self) -> None:
        resolved = resolve(
            """
            resources:
              v: {type: OS::Heat::Value, properties: {value: nope}}
              a: {type: a.yaml, properties: {f: {get_attr: [v, value]}}}
            """,
            files={
                "a.yaml": child(
                    """
                    parameters: {f: {type: string}}
                    resources: {s: {type: OS::Nova::Server, properties: {flavor: {get_param: f}, image: i}}}
                    """
                )
            },
            world=self.FLAVORS,
        )
        assert self.refusing(resolved) == []

    def test_parameters_of_a_template_named_by_its_address(self) -> None:
        world = replace(
            WORLD,
            fetch=lambda url: child("parameters: {n: {type: number, constraints: [{range: {max: 3}}]}}"),
        )
        resolved = resolve(
            """
            resources:
              s:
                type: AWS::CloudFormation::Stack
                properties: {TemplateURL: http://t/t.yaml, Parameters: {n: 4}}
            """,
            world=world,
        )
        assert self.refusing(resolved) == [("E210", "resources.s<nested_stack>")]
