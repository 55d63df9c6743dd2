"""Environments: their sections, several of them merged, and the operator's below them all."""

from __future__ import annotations

import json
from typing import Any

import pytest

from calor.language import environment as environments
from calor.language.diagnostics import Report
from calor.language.environment import Environment, parse
from calor.language.merging import merge
from calor.language.operator import load
from calor.language.parameters import ParameterType
from calor.language.registry import Registry
from tests.unit.language.resolving import WORLD, Resolved, child, resolve


def parsed(data: Any, *, flat: bool = False) -> tuple[Environment, Report]:
    report = Report()
    return environments.parse(data, report, flat=flat), report


class TestSections:
    def test_all_of_them(self) -> None:
        environment, report = parsed(
            {
                "parameters": {"a": 1},
                "parameter_defaults": {"b": 2},
                "resource_registry": {"A::B": "C::D"},
                "event_sinks": [{"type": "zaqar-queue", "target": "q"}],
                "encrypted_param_names": ["a"],
                "parameter_merge_strategies": {"default": "merge"},
            }
        )

        assert not len(report)
        assert environment.parameters == {"a": 1}
        assert environment.parameter_defaults == {"b": 2}
        assert environment.registry.user == {"A::B": "C::D"}
        assert environment.event_sinks == ({"type": "zaqar-queue", "target": "q"},)
        assert environment.encrypted_param_names == ("a",)

    @pytest.mark.parametrize("data", [None, {}])
    def test_none_at_all(self, data: Any) -> None:
        environment, report = parsed(data)

        assert not len(report)
        assert environment == Environment()

    @pytest.mark.parametrize(
        ("data", "code"),
        [
            ([], "E301"),
            ("text", "E301"),
            ({"resource_registri": {}}, "E302"),
            ({"parameters": None}, "E303"),
            ({"resource_registry": None}, "E303"),
            ({"parameters": ["a=b"]}, "E304"),
            ({"event_sinks": {"type": "zaqar-queue"}}, "E304"),
            ({"resource_registry": {"A::B": 1}}, "E305"),
            ({"resource_registry": {"A::B": {"C": "D"}}}, "E305"),
            ({"resource_registry": {"resources": "text"}}, "E305"),
        ],
    )
    def test_written_wrongly(self, data: Any, code: str) -> None:
        _, report = parsed(data)

        assert [(found.code, found.kind) for found in report] == [(code, "ValueError")]

    def test_a_misspelt_section_has_a_hint(self) -> None:
        _, report = parsed({"resource_registri": {}})

        assert [found.hint for found in report] == ["did you mean `resource_registry`?"]

    def test_old_clients_send_parameters_at_the_top(self) -> None:
        environment, report = parsed({"a": 1, "parameter_defaults": {"b": 2}}, flat=True)

        assert not len(report)
        assert environment.parameters == {"a": 1}
        assert environment.parameter_defaults == {"b": 2}

    def test_in_a_request(self) -> None:
        template = "parameters: {a: {type: string}}"

        assert resolve(template, environment="parameters:\n  a: x\n").params == {"a": "x"}
        assert resolve(template, environment={"parameters": {"a": "x"}}).params == {"a": "x"}

    def test_errors_point_into_the_environment(self) -> None:
        resolved = resolve(
            "resources: {}",
            environment_files=["env.yaml"],
            files={"env.yaml": "parameter_defaults: {}\nresource_registri:\n  A::B: C::D\n"},
        )

        assert resolved.only.code == "E302"
        assert str(resolved.only.where) == "env.yaml:2:1"


class TestHooksAndRestrictions:
    def registry(self, resources: dict[str, Any]) -> tuple[Registry, Report]:
        report = Report()
        return parse({"resource_registry": {"resources": resources}}, report).registry, report

    def test_of_a_resource(self) -> None:
        registry, report = self.registry(
            {"a": {"hooks": "pre-create", "restricted_actions": ["update", "replace"]}}
        )

        assert not len(report)
        assert registry.hooks("a") == ("pre-create",)
        assert registry.restricted_actions("a") == ("update", "replace")
        assert registry.hooks("b") == ()

    def test_of_all_that_a_pattern_fits(self) -> None:
        registry, _ = self.registry(
            {
                "*server": {"hooks": ["pre-update"]},
                "web*": {"hooks": "post-delete"},
                "db": {"hooks": "pre-delete"},
            }
        )

        assert sorted(registry.hooks("web_server")) == ["post-delete", "pre-update"]
        assert registry.hooks("Web_Server") == ()

    def test_of_resources_in_nested_stacks(self) -> None:
        registry, report = self.registry({"web": {"inner": {"deep": {"hooks": "pre-create"}}}})
        below = registry.nested("web", None).nested("inner", None)

        assert not len(report)
        assert registry.hooks("deep") == ()
        assert below.hooks("deep") == ("pre-create",)

    @pytest.mark.parametrize(
        "hook", ["pre-create", "pre-update", "pre-delete", "post-create", "post-update", "post-delete"]
    )
    def test_hooks_that_exist(self, hook: str) -> None:
        registry, report = self.registry({"a": {"hooks": hook}})

        assert not len(report)
        assert registry.hooks("a") == (hook,)

    @pytest.mark.parametrize(
        ("content", "kind"),
        [
            ({"hooks": "pre-creat"}, "InvalidBreakPointHook"),
            ({"hooks": ["pre-create", "during"]}, "InvalidBreakPointHook"),
            ({"restricted_actions": "delete"}, "InvalidRestrictedAction"),
            ({"inner": {"hooks": "never"}}, "InvalidBreakPointHook"),
        ],
    )
    def test_that_do_not_exist(self, content: dict[str, Any], kind: str) -> None:
        _, report = self.registry({"a": content})

        assert [(found.code, found.kind) for found in report] == [("E306", kind)]


KINDS = {
    "text": ParameterType.STRING,
    "number": ParameterType.NUMBER,
    "list": ParameterType.LIST,
    "json": ParameterType.JSON,
    "flag": ParameterType.BOOLEAN,
}


def merged(*data: dict[str, Any]) -> tuple[dict[str, Any], Report]:
    report = Report()
    named = [(f"env{number}", each) for number, each in enumerate(data, 1)]
    return merge(named, KINDS, report), report


def combined(strategy: str, name: str, *values: Any, section: str = "parameters") -> Any:
    data = [{section: {name: value}, "parameter_merge_strategies": {"default": strategy}} for value in values]
    result, report = merged(*data)
    assert not len(report), [found.message for found in report]
    return result[section][name]


class TestMerging:
    @pytest.mark.parametrize("name", list(KINDS))
    def test_overwriting_is_the_rule(self, name: str) -> None:
        result, report = merged({"parameters": {name: "first"}}, {"parameters": {name: "second"}})

        assert not len(report)
        assert result == {"parameters": {name: "second"}}

    @pytest.mark.parametrize(
        ("name", "one", "other", "result"),
        [
            ("text", "a", "b", "ab"),
            ("number", 1, 2, 3),
            ("list", ["a"], ["b"], ["a", "b"]),
            ("list", "a,b", "c", "a,b,c"),
            ("list", ["a"], "b,c", ["a", "b", "c"]),
            ("json", {"a": 1, "b": {"x": 1}}, {"b": {"y": 2}}, {"a": 1, "b": {"y": 2}}),
        ],
    )
    @pytest.mark.parametrize("section", ["parameters", "parameter_defaults"])
    def test_merge(self, section: str, name: str, one: Any, other: Any, result: Any) -> None:
        assert combined("merge", name, one, other, section=section) == result

    @pytest.mark.parametrize(
        ("one", "other", "result"),
        [
            ({"a": {"x": 1}}, {"a": {"y": 2}}, {"a": {"x": 1, "y": 2}}),
            ({"a": [1]}, {"a": [2]}, {"a": [1, 2]}),
            ({"a": "x"}, {"a": "y"}, {"a": "xy"}),
            ({"a": {"b": {"c": "x"}}}, {"a": {"b": {"c": "y", "d": 1}}}, {"a": {"b": {"c": "xy", "d": 1}}}),
            ({"a": 1}, {"a": 2}, {"a": 2}),
        ],
    )
    def test_deep_merge(self, one: Any, other: Any, result: Any) -> None:
        assert combined("deep_merge", "json", one, other) == result

    @pytest.mark.parametrize(
        ("strategy", "name", "values"),
        [
            ("overwrite", "text", ["a", "b", "c"]),
            ("merge", "text", ["a", "b", "c"]),
            ("merge", "number", [1, 2, 3]),
            ("merge", "list", [["a"], ["b"], ["c"]]),
            ("merge", "list", ["a", "b", "c"]),
            ("merge", "json", [{"a": 1}, {"a": 2, "b": 2}, {"b": 3}]),
            ("deep_merge", "json", [{"a": {"x": [1]}}, {"a": {"x": [2]}}, {"a": {"x": [3], "y": 4}}]),
        ],
    )
    def test_it_makes_no_difference_what_is_merged_first(
        self, strategy: str, name: str, values: list[Any]
    ) -> None:
        one, two, three = values
        first = combined(strategy, name, combined(strategy, name, one, two), three)
        last = combined(strategy, name, one, combined(strategy, name, two, three))

        assert first == last == combined(strategy, name, one, two, three)

    def test_what_is_given_is_not_changed(self) -> None:
        one: dict[str, Any] = {"parameters": {"json": {"a": {"x": [1]}}}}
        other: dict[str, Any] = {"parameters": {"json": {"a": {"x": [2]}}}}
        strategies = {"parameter_merge_strategies": {"default": "deep_merge"}}
        merged({**one, **strategies}, {**other, **strategies})

        assert one == {"parameters": {"json": {"a": {"x": [1]}}}}
        assert other == {"parameters": {"json": {"a": {"x": [2]}}}}

    def test_a_strategy_of_its_own_for_a_parameter(self) -> None:
        strategies = {"parameter_merge_strategies": {"list": "merge"}}
        result, report = merged(
            {"parameters": {"list": "a", "text": "a"}, **strategies},
            {"parameters": {"list": "b", "text": "b"}, **strategies},
        )

        assert not len(report)
        assert result == {"parameters": {"list": "a,b", "text": "b"}}

    def test_parameters_that_no_template_has_are_overwritten(self) -> None:
        assert combined("merge", "unheard of", "a", "b") == "b"

    def test_booleans_cannot_be_merged(self) -> None:
        strategies = {"parameter_merge_strategies": {"default": "merge"}}
        _, report = merged(
            {"parameters": {"flag": True}, **strategies}, {"parameters": {"flag": False}, **strategies}
        )

        assert [(found.code, found.kind) for found in report] == [("E307", "InvalidMergeStrategyForParam")]

    def test_environments_that_disagree(self) -> None:
        _, report = merged(
            {"parameters": {"list": "a"}, "parameter_merge_strategies": {"list": "merge"}},
            {"parameters": {"list": "b"}, "parameter_merge_strategies": {"list": "overwrite"}},
        )

        assert [(found.code, found.kind) for found in report] == [
            ("E307", "ConflictingMergeStrategyForParam")
        ]

    def test_a_strategy_that_does_not_exist(self) -> None:
        _, report = merged({"parameters": {"list": "a"}, "parameter_merge_strategies": {"list": "append"}})

        assert [(found.code, found.kind) for found in report] == [("E307", "ValueError")]

    def test_nulls_overwrite_nothing(self) -> None:
        result, _ = merged(
            {"parameters": {"text": "a"}, "resource_registry": {"A::B": "C::D"}},
            {"parameters": {"text": None}, "resource_registry": {"A::B": None}},
        )

        assert result == {"parameters": {"text": "a"}, "resource_registry": {"A::B": "C::D"}}

    def test_other_sections_are_merged_at_their_top(self) -> None:
        result, _ = merged(
            {"resource_registry": {"A": "1", "B": "1"}, "event_sinks": [1]},
            {"resource_registry": {"B": "2"}, "event_sinks": [2]},
        )

        assert result == {"resource_registry": {"A": "1", "B": "2"}, "event_sinks": [1, 2]}

    def test_strategies_are_dropped(self) -> None:
        result, _ = merged({"parameters": {}, "parameter_merge_strategies": {"default": "merge"}})

        assert result == {"parameters": {}}


class TestEnvironmentFiles:
    TEMPLATE = "parameters: {colours: {type: comma_delimited_list, default: ''}, name: {type: string, default: none}}"

    def resolved(self, *environments: dict[str, Any], **options: Any) -> Resolved:
        files = {f"{number}.yaml": json.dumps(each) for number, each in enumerate(environments, 1)}
        return resolve(self.TEMPLATE, files=files, environment_files=list(files), **options)

    def test_later_ones_win(self) -> None:
        assert (
            self.resolved({"parameters": {"name": "a"}}, {"parameters": {"name": "b"}}).params["name"] == "b"
        )

    def test_the_types_of_parameters_are_those_of_the_template(self) -> None:
        strategies = {"parameter_merge_strategies": {"colours": "merge"}}
        resolved = self.resolved(
            {"parameters": {"colours": "red"}, **strategies},
            {"parameters": {"colours": "blue"}, **strategies},
        )

        assert resolved.params["colours"] == ["red", "blue"]

    def test_the_types_of_parameters_of_nested_templates_count_too(self) -> None:
        strategies = {"parameter_merge_strategies": {"sizes": "merge"}}
        inner = child(
            "parameters: {sizes: {type: comma_delimited_list}}\noutputs: {o: {value: {get_param: sizes}}}"
        )
        resolved = resolve(
            "resources: {r: {type: inner.yaml}}",
            files={
                "inner.yaml": inner,
                "1.env": json.dumps({"parameter_defaults": {"sizes": "s"}, **strategies}),
                "2.env": json.dumps({"parameter_defaults": {"sizes": "l"}, **strategies}),
            },
            environment_files=["1.env", "2.env"],
        )

        assert not resolved.diagnostics
        assert resolved.below("r").outputs == {"o": ["s", "l"]}

    def test_the_command_line_wins_over_all(self) -> None:
        resolved = self.resolved({"parameters": {"name": "a"}}, parameters={"name": "line"})

        assert resolved.params["name"] == "line"

    def test_the_merged_environment_sent_beside_them_is_not_used_again(self) -> None:
        resolved = self.resolved(
            {"parameters": {"name": "a"}}, environment={"parameters": {"name": "beside"}}
        )

        assert resolved.params["name"] == "a"

    def test_one_that_was_not_sent(self) -> None:
        found = resolve(self.TEMPLATE, environment_files=["gone.yaml"]).only

        assert found.code == "E308"
        assert "gone.yaml" in found.message


class TestOperator:
    FILES = {"file:///etc/templates/made.yaml": child("outputs: {o: {value: made}}")}

    def run_in_loading_thread(self, *texts: str) -> tuple[Any, Report]:
        report = Report()

        def read_file(url: str) -> str:
            if url not in self.FILES:
                raise FileNotFoundError(2, "No such file", url)
            return self.FILES[url]

        named = {f"/etc/environment.d/{number}.yaml": text for number, text in enumerate(texts, 1)}
        return load(named, read_file, report), report

    def test_types_for_everyone(self) -> None:
        operator, report = self.run_in_loading_thread(
            "resource_registry: {'Corp::Server': 'file:///etc/templates/made.yaml'}"
        )
        resolved = resolve("resources: {r: {type: Corp::Server}}", world=operator.over(WORLD))

        assert not len(report)
        assert not resolved.diagnostics
        assert resolved.below("r").outputs == {"o": "made"}

    def test_a_user_cannot_reach_the_files_of_the_server(self) -> None:
        operator, _ = self.run_in_loading_thread(
            "resource_registry: {'Corp::Server': 'file:///etc/templates/made.yaml'}"
        )
        world = operator.over(WORLD)

        for type_name in ("file:///etc/templates/made.yaml", "file:///etc/passwd.yaml"):
            assert resolve(f"resources: {{r: {{type: '{type_name}'}}}}", world=world).codes == ["E402"]

    def test_a_users_mapping_wins(self) -> None:
        operator, _ = self.run_in_loading_thread("resource_registry: {'Corp::Server': 'OS::Heat::None'}")
        resolved = resolve(
            "resources: {r: {type: Corp::Server}}",
            world=operator.over(WORLD),
            environment={"resource_registry": {"Corp::Server": "OS::Heat::TestResource"}},
        )

        assert resolved.resource("r").resource_type is WORLD.declaration("OS::Heat::TestResource")

    def test_a_type_that_is_taken_away(self) -> None:
        operator, _ = self.run_in_loading_thread("resource_registry: {'OS::Heat::TestResource': null}")

        resolved = resolve("resources: {r: {type: OS::Heat::TestResource}}", world=operator.over(WORLD))
        assert resolved.codes == ["E401"]

    def test_types_that_are_taken_away_by_a_wildcard(self) -> None:
        operator, _ = self.run_in_loading_thread("resource_registry: {'OS::Nova::*': null}")
        world = operator.over(WORLD)

        assert resolve("resources: {r: {type: OS::Nova::KeyPair}}", world=world).codes == ["E401"]
        assert resolve("resources: {r: {type: OS::Heat::None}}", world=world).codes == []

    def test_files_are_read_in_the_order_of_their_names(self) -> None:
        operator, report = self.run_in_loading_thread(
            "parameter_defaults: {a: 1, b: 1}", "parameter_defaults: {b: 2}"
        )

        assert not len(report)
        assert operator.parameter_defaults == {"a": 1, "b": 2}

    def test_what_is_wrong_is_reported_with_its_file(self) -> None:
        _, report = self.run_in_loading_thread(
            "parameters: {}\nnonsense: {}\n", "a: [", "resource_registry: {'A::B': 'file:///x.yaml'}"
        )
        found = report.sorted()

        assert [(one.code, str(one.where)) for one in found] == [
            ("E302", "/etc/environment.d/1.yaml:2:1"),
            ("E101", "/etc/environment.d/2.yaml:2:1"),
            ("E501", "/etc/environment.d/3.yaml:1:21"),
        ]
