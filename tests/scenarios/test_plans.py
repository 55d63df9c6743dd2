"""Previews of updates."""

from __future__ import annotations

import json
from typing import Any

import pytest

from calor.plan.kinds import Kind
from calor.plan.steps import Plan, Step
from calor.service.commands import NewStack, StackChange
from calor.store import records
from tests.support.workbench import CALLER, Workbench, probe, template

CHILD = """
heat_template_version: 2018-08-31
parameters: {q: {type: string, default: ''}}
conditions: {grown: {equals: [{get_param: q}, grown]}}
resources:
  one: {type: Test::Probe, properties: {value: {get_param: q}}}
  two: {type: Test::Probe, condition: grown, properties: {value: fixed}}
outputs: {out: {value: {get_attr: [one, value]}}}
"""


def settled(bench: Workbench, resources: dict[str, Any], **options: Any) -> records.Stack:
    stack = bench.wait(bench.create(template(resources), **options))
    assert stack.state == "CREATE_COMPLETE", stack.reason
    return stack


def plan(bench: Workbench, stack: records.Stack, resources: dict[str, Any], **request: Any) -> Plan:
    _, _, made = bench.commands.previews.plan_update(
        CALLER, stack, {"template": template(resources), **request}
    )
    return made


def reported(made: Plan) -> list[tuple[str, str]]:
    return [(step.kind.value, "/".join(step.path)) for step in made.all_steps()]


def step(made: Plan, *path: str) -> Step:
    return next(one for one in made.all_steps() if one.path == path)


def preview(
    bench: Workbench, stack: records.Stack, resources: dict[str, Any], nested: bool = False, **request: Any
) -> dict[str, Any]:
    change = StackChange({"template": template(resources), **request})
    return bench.commands.previews.update(CALLER, stack, change, nested)


def names(shown: dict[str, Any]) -> dict[str, list[str]]:
    return {
        group: [one["resource_name"] for one in items]
        for group, items in shown["resource_changes"].items()
        if items
    }


class TestSteps:
    def test_come_in_the_order_in_which_they_are_done(self, bench: Workbench) -> None:
        stack = settled(bench, {"a": probe("1", fixed="x"), "b": probe({"get_resource": "a"}), "c": probe()})

        made = plan(
            bench, stack, {"a": probe("1", fixed="y"), "b": probe({"get_resource": "a"}), "d": probe()}
        )

        assert reported(made) == [
            ("replace", "a"),
            ("create", "d"),
            ("delete", "c"),
            ("undecided", "b"),
            ("delete", "a"),
        ]

    def test_show_why_and_what_changes(self, bench: Workbench) -> None:
        stack = settled(bench, {"a": probe("1"), "b": probe("2")})

        made = plan(bench, stack, {"a": probe("3")})

        assert step(made, "a").reason == "value changes in place"
        assert [(one.name, one.before, one.after) for one in step(made, "a").changes] == [("value", "1", "3")]
        assert step(made, "b").reason == "it is no longer in the template"

    def test_a_value_propagates_its_change(self, bench: Workbench) -> None:
        """A type can say that an attribute follows from a property; then nothing is left open."""

        def resources(value: str) -> dict[str, Any]:
            return {
                "v": {"type": "OS::Heat::Value", "properties": {"value": value}},
                "a": probe({"get_attr": ["v", "value"]}),
                "b": probe({"get_attr": ["a", "value"]}),
            }

        stack = settled(bench, resources("1"))

        made = plan(bench, stack, resources("2"))

        assert reported(made) == [("update", "v"), ("update", "a"), ("undecided", "b")]
        assert step(made, "b").possible == {Kind.KEEP, Kind.UPDATE}

    def test_a_part_of_a_value_that_stays_changes_nothing(self, bench: Workbench) -> None:
        def resources(stays: Any, other: Any, name: Any = "stays") -> dict[str, Any]:
            value = {"stays": stays, "list": [other], "other": other}
            return {
                "v": {"type": "OS::Heat::Value", "properties": {"value": value}},
                "a": probe({"get_attr": ["v", "value", name]}),
                "b": probe({"get_attr": ["v", "value", "list", 0]}),
            }

        stack = settled(bench, resources("1", "2"))

        made = plan(bench, stack, resources("1", "3"))
        assert reported(made) == [("update", "v"), ("keep", "a"), ("update", "b")]
        made = plan(bench, stack, resources("2", "2"))
        assert reported(made) == [("update", "v"), ("update", "a"), ("keep", "b")]
        # Where nothing is, a key may be once they are stored as strings.
        made = plan(bench, stack, resources("1", "3", "none"))
        assert step(made, "a").kind is Kind.UNDECIDED

    def test_an_updated_resource_keeps_its_reference(self, bench: Workbench) -> None:
        stack = settled(bench, {"a": probe("1"), "b": probe({"get_resource": "a"})})

        assert reported(plan(bench, stack, {"a": probe("2"), "b": probe({"get_resource": "a"})})) == [
            ("update", "a"),
            ("keep", "b"),
        ]

    def test_what_is_retained_is_said_to_live_on(self, bench: Workbench) -> None:
        stack = settled(bench, {"a": {**probe("1"), "deletion_policy": "Retain"}, "b": probe()})

        made = plan(bench, stack, {"b": probe()})

        assert "deletion policy" in step(made, "a").reason

    def test_a_new_deletion_policy_alone_touches_nothing_and_holds_from_then_on(
        self, bench: Workbench
    ) -> None:
        stack = settled(bench, {"a": probe("1"), "b": probe()})
        kept = {"a": {**probe("1"), "deletion_policy": "Retain"}, "b": probe()}
        assert reported(plan(bench, stack, kept)) == [("keep", "a"), ("keep", "b")]

        bench.update(stack, template(kept))
        made = plan(bench, bench.wait(stack), {"b": probe()})

        assert "deletion policy" in step(made, "a").reason

    def test_what_failed_is_replaced_and_what_never_began_is_created(self, bench: Workbench) -> None:
        stack = bench.create(template({"a": probe(fails="create"), "b": probe(depends_on="a")}))
        stack = bench.wait(stack)

        made = plan(bench, stack, {"a": probe(), "b": probe(depends_on="a")})

        assert reported(made) == [("replace", "a"), ("create", "b"), ("delete", "a")]
        assert step(made, "a").reason == "it is in state CREATE_FAILED"

    def test_a_plan_for_nothing_deletes_dependants_first(self, bench: Workbench) -> None:
        stack = settled(bench, {"a": probe(), "b": probe(depends_on="a")})

        assert reported(bench.commands.previews.plan_delete(stack)) == [("delete", "b"), ("delete", "a")]


FIXED_CHILD = """
heat_template_version: 2018-08-31
parameters: {q: {type: string}}
resources:
  one: {type: 'Test::Probe', properties: {fixed: {get_param: q}}}
"""


class TestReplacementsThatFollow:
    """What is replaced for sure has another id for sure, and whoever reads that changes for sure."""

    def thing(self, value: str) -> dict[str, Any]:
        properties = {"value": value, "update_replace": True}
        return {"type": "OS::Heat::TestResource", "properties": properties}

    def test_are_certain(self, bench: Workbench) -> None:
        def resources(value: str) -> dict[str, Any]:
            return {
                "a": self.thing(value),
                "updated": probe({"get_resource": "a"}),
                "replaced": probe(fixed={"get_resource": "a"}),
                "open": probe({"list_join": ["-", ["t", {"get_attr": ["a", "show"]}]]}),
            }

        stack = settled(bench, resources("1"))

        made = plan(bench, stack, resources("2"))

        assert reported(made) == [
            ("replace", "a"),
            ("update", "updated"),
            ("replace", "replaced"),
            ("undecided", "open"),
            ("delete", "replaced"),
            ("delete", "a"),
        ]

    def test_go_through_nested_stacks_and_groups(self, bench: Workbench) -> None:
        def resources(value: str) -> dict[str, Any]:
            member = {"type": "Test::Probe", "properties": {"fixed": {"get_resource": "a"}}}
            return {
                "a": self.thing(value),
                "n": {"type": "child.yaml", "properties": {"q": {"get_resource": "a"}}},
                "g": {"type": "OS::Heat::ResourceGroup", "properties": {"count": 1, "resource_def": member}},
            }

        files = {"child.yaml": FIXED_CHILD}
        stack = settled(bench, resources("1"), files=files)

        made = plan(bench, stack, resources("2"), files=files)

        assert [one for one in reported(made) if "/" in one[1] and one[0] != "delete"] == [
            ("replace", "n/one"),
            ("replace", "g/0"),
        ]

    def test_a_deployment_is_updated_when_its_config_is_replaced(self, bench: Workbench) -> None:
        def resources(text: str, **given: Any) -> dict[str, Any]:
            config = {"group": "script", "config": text, "inputs": [{"name": "i", **given}]}
            deployment = {
                "config": {"get_resource": "c"},
                "server": "server-1",
                "signal_transport": "NO_SIGNAL",
            }
            return {
                "c": {"type": "OS::Heat::SoftwareConfig", "properties": config},
                "d": {"type": "OS::Heat::SoftwareDeployment", "properties": deployment},
            }

        stack = settled(bench, resources("one"))

        changed = plan(bench, stack, resources("two"))
        assert reported(changed) == [("replace", "c"), ("update", "d"), ("delete", "c")]
        # An input that says so may have it replaced, which shows when it is done.
        moody = plan(bench, stack, resources("two", replace_on_change=True))
        assert step(moody, "d").possible == {Kind.UPDATE, Kind.REPLACE}
        bench.update(stack, template(resources("two")))
        assert bench.wait(stack).state == "UPDATE_COMPLETE"
        assert ("d", "UPDATE_COMPLETE") in bench.events(stack)

    def test_deployments_of_a_group_are_updated_when_an_input_changes(self, bench: Workbench) -> None:
        def resources(value: str) -> dict[str, Any]:
            config = {"group": "script", "config": "text", "inputs": [{"name": "i"}]}
            group = {
                "config": {"get_resource": "c"},
                "servers": {"one": "server-1"},
                "input_values": {"i": value},
                "signal_transport": "NO_SIGNAL",
            }
            return {
                "c": {"type": "OS::Heat::SoftwareConfig", "properties": config},
                "g": {"type": "OS::Heat::SoftwareDeploymentGroup", "properties": group},
            }

        stack = settled(bench, resources("1"))

        changed = plan(bench, stack, resources("2"))

        assert sorted(reported(changed)) == [("keep", "c"), ("update", "g"), ("update", "g/one")]

    def test_what_may_be_replaced_is_said_to_be(self, bench: Workbench) -> None:
        resources = {"a": probe("1"), "b": probe(fixed={"get_attr": ["a", "value"]})}
        stack = settled(bench, resources)

        shown = preview(bench, stack, {**resources, "a": probe("2")})

        [item] = shown["resource_changes"]["replaced"]
        assert (item["resource_name"], item["decision"], item["may_be_replaced"]) == ("b", "undecided", True)
        assert shown["plan"][1]["may_be_replaced"] is True
        assert "may_be_replaced" not in shown["plan"][0]


class TestStacksBelow:
    def nested(self, q: Any) -> dict[str, Any]:
        return {"n": {"type": "child.yaml", "properties": {"q": q}}}

    def test_are_planned_as_well(self, bench: Workbench) -> None:
        files = {"child.yaml": CHILD}
        stack = settled(bench, self.nested("x"), files=files)

        made = plan(bench, stack, self.nested("grown"), files=files)

        assert reported(made) == [("update", "n"), ("update", "n/one"), ("create", "n/two")]

    def test_that_stay_the_same_are_not_even_opened(self, bench: Workbench) -> None:
        files = {"child.yaml": CHILD}
        stack = settled(bench, self.nested("x"), files=files)

        assert reported(plan(bench, stack, self.nested("x"), files=files)) == [("keep", "n")]

    def test_another_template_is_taken_in_place(self, bench: Workbench) -> None:
        files = {"child.yaml": CHILD, "other.yaml": CHILD.replace("one", "uno")}
        stack = settled(bench, self.nested("x"), files=files)
        other = {"n": {"type": "other.yaml", "properties": {"q": "x"}}}

        made = plan(bench, stack, other, files=files)

        assert reported(made) == [("update", "n"), ("create", "n/uno"), ("delete", "n/one")]
        bench.update(stack, template(other), files=files)
        assert bench.wait(stack).state == "UPDATE_COMPLETE"
        assert bench.resources(stack)["n"].type == "other.yaml"

    def test_whose_conditions_hang_on_what_is_not_known_are_left_open(self, bench: Workbench) -> None:
        files = {"child.yaml": CHILD}
        resources = {"a": probe("x"), **self.nested({"get_attr": ["a", "value"]})}
        stack = settled(bench, resources, files=files)

        made = plan(bench, stack, {**resources, "a": probe("grown")}, files=files)

        below = step(made, "n").nested
        assert step(made, "n").kind is Kind.UNDECIDED
        assert below is not None
        assert (below.steps, below.open is None) == ((), False)

    def test_go_with_all_that_is_in_them(self, bench: Workbench) -> None:
        stack = settled(bench, {**self.nested("x"), "b": probe()}, files={"child.yaml": CHILD})

        assert reported(plan(bench, stack, {"b": probe()})) == [
            ("keep", "b"),
            ("delete", "n"),
            ("delete", "n/one"),
        ]


class TestGroups:
    def group(self, count: int, value: Any, **policy: Any) -> dict[str, Any]:
        properties = {"count": count, "resource_def": probe(value)}
        made: dict[str, Any] = {"type": "OS::Heat::ResourceGroup", "properties": properties}
        return {"g": {**made, "update_policy": {"rolling_update": policy}} if policy else made}

    def test_members_come_change_and_go(self, bench: Workbench) -> None:
        stack = settled(bench, self.group(2, "%index%"))

        assert reported(plan(bench, stack, self.group(3, "%index%"))) == [
            ("update", "g"),
            ("keep", "g/0"),
            ("keep", "g/1"),
            ("create", "g/2"),
        ]
        assert reported(plan(bench, stack, self.group(1, "new"))) == [
            ("update", "g"),
            ("update", "g/0"),
            ("delete", "g/1"),
        ]

    def test_of_a_group_that_stays_its_members_are_counted(self, bench: Workbench) -> None:
        stack = settled(bench, self.group(2, "%index%"))

        shown = preview(bench, stack, {**self.group(2, "%index%"), "a": probe()})

        kept = next(one for one in shown["plan"] if one["path"] == ["g"])
        assert (kept["action"], kept["unchanged_below"]) == ("keep", 2)

    def test_batches_are_foreseen_with_the_members_that_stand_in_meanwhile(self, bench: Workbench) -> None:
        policy = {"max_batch_size": 1, "min_in_service": 2}
        stack = settled(bench, self.group(2, "old", **policy))

        made = plan(bench, stack, self.group(2, "new", **policy))

        assert reported(made) == [
            ("update", "g"),
            ("create", "g/2"),
            ("update", "g/1"),
            ("update", "g/0"),
            ("delete", "g/2"),
        ]

    def test_members_are_not_held_against_what_stands_for_an_unknown_value(self, bench: Workbench) -> None:
        """That is the name of the resource, which here is also what it gives."""

        def resources(salt: str) -> dict[str, Any]:
            letters = [{"sequence": "c", "min": 1}]
            given = {"length": 1, "character_classes": [], "character_sequences": letters, "salt": salt}
            properties = {"min_size": 1, "max_size": 1, "resource": probe({"get_resource": "c"})}
            return {
                "c": {"type": "OS::Heat::RandomString", "properties": given},
                "g": {"type": "OS::Heat::AutoScalingGroup", "properties": properties},
            }

        stack = settled(bench, resources("one"))
        [member] = [row for one in bench.nested(stack) for row in bench.resources(one).values()]
        assert (member.properties or {})["value"] == "c"

        assert reported(plan(bench, stack, resources("two"))) == [
            ("replace", "c"),
            ("undecided", "g"),
            ("delete", "c"),
        ]

    def test_unknown_values_of_members_do_not_hide_the_members(self, bench: Workbench) -> None:
        def resources(fixed: str) -> dict[str, Any]:
            return {"a": probe("1", fixed=fixed), **self.group(2, {"get_resource": "a"})}

        stack = settled(bench, resources("x"))

        assert reported(plan(bench, stack, resources("y"))) == [
            ("replace", "a"),
            ("undecided", "g"),
            ("undecided", "g/0"),
            ("undecided", "g/1"),
            ("delete", "a"),
        ]

    def test_new_members_of_scaling_groups_are_numbered_until_they_have_names(self, bench: Workbench) -> None:
        def group(size: int) -> dict[str, Any]:
            properties = {"min_size": 1, "max_size": 3, "desired_capacity": size, "resource": probe("m")}
            return {"g": {"type": "OS::Heat::AutoScalingGroup", "properties": properties}}

        stack = settled(bench, group(1))

        kinds = [(kind, path) for kind, path in reported(plan(bench, stack, group(3))) if kind == "create"]
        assert kinds == [("create", "g/new-1"), ("create", "g/new-2")]

    def test_a_group_in_which_nothing_changes_leaves_its_dependants_alone(self, bench: Workbench) -> None:
        resources = {**self.group(1, "m"), "a": probe({"get_attr": ["g", "refs", 0]}), "b": probe()}
        stack = settled(bench, resources)

        made = plan(bench, stack, {**resources, "b": probe("new")})

        assert (step(made, "g").kind, step(made, "a").kind) == (Kind.KEEP, Kind.KEEP)


class TestRestrictions:
    @pytest.mark.parametrize(
        ("action", "change", "group"),
        [("update", {"value": "2"}, "updated"), ("replace", {"fixed": "y"}, "replaced")],
    )
    def test_are_planned_and_carried_out(
        self, bench: Workbench, action: str, change: dict[str, Any], group: str
    ) -> None:
        stack = settled(bench, {"a": probe("1")})
        following = {"a": probe(**{"value": "1", **change})}
        environment = {"resource_registry": {"resources": {"a": {"restricted_actions": action}}}}

        shown = preview(bench, stack, following, environment=environment)
        [item] = shown["resource_changes"][group]
        request = {"template": template(following), "environment": environment}
        bench.commands.stacks.update(CALLER, stack, StackChange(request))
        ended = bench.wait(stack)

        words = f"{action} is restricted for resource."
        assert (item["decision"], item["reason"]) == ("forbidden", words)
        assert ended.reason == f"Resource UPDATE failed: ResourceActionRestricted: resources.a: {words}"
        assert bench.resources(stack)["a"].properties["value"] == "1"


class TestAnswers:
    def test_of_updates_list_resources_as_heat_does(self, bench: Workbench) -> None:
        stack = settled(bench, {"a": probe("1"), "b": probe("1", fixed="x"), "c": probe(), "d": probe()})

        shown = preview(
            bench, stack, {"a": probe("2"), "b": probe("1", fixed="y"), "c": probe(), "e": probe()}
        )

        assert names(shown) == {
            "unchanged": ["c"],
            "updated": ["a"],
            "replaced": ["b"],
            "added": ["e"],
            "deleted": ["d"],
        }
        [updated] = shown["resource_changes"]["updated"]
        assert updated["changes"] == [{"property": "value", "before": "1", "after": "2"}]
        assert "properties" not in updated

    def test_list_the_dependants_of_a_resource(self, bench: Workbench) -> None:
        resources = {"a": probe("1"), "b": probe(depends_on="a")}
        stack = settled(bench, resources)

        [first, second] = preview(bench, stack, resources)["resource_changes"]["unchanged"]

        assert (first["required_by"], second["required_by"]) == (["b"], [])

    def test_have_nested_resources_on_request(self, bench: Workbench) -> None:
        files = {"child.yaml": CHILD}
        resources = {"n": {"type": "child.yaml", "properties": {"q": "x"}}}
        stack = settled(bench, resources, files=files)
        grown = {"n": {"type": "child.yaml", "properties": {"q": "grown"}}}

        assert names(preview(bench, stack, grown, files=files)) == {"updated": ["n"]}
        shown = preview(bench, stack, grown, nested=True, files=files)

        [child] = bench.nested(stack)
        parent, one = shown["resource_changes"]["updated"]
        [two] = shown["resource_changes"]["added"]
        assert (one["resource_name"], one["parent_resource"]) == ("one", "n")
        assert (two["resource_name"], two["parent_resource"]) == ("two", "n")
        assert parent["nested_stack_id"]["stack_id"] == one["stack_identity"]["stack_id"] == child.id

    def test_mark_what_is_undecided(self, bench: Workbench) -> None:
        resources = {"a": probe("1"), "b": probe({"get_attr": ["a", "value"]})}
        stack = settled(bench, resources)

        shown = preview(bench, stack, {**resources, "a": probe("2")})

        [_, item] = shown["resource_changes"]["updated"]
        assert (item["resource_name"], item["decision"]) == ("b", "undecided")
        assert item["changes"] == [{"property": "value", "before": "1", "after": None, "after_known": False}]
        assert shown["plan"][1]["possible"] == ["keep", "update"]

    def test_never_tell_hidden_values_neither_new_nor_old(self, bench: Workbench) -> None:
        made = template({"a": probe({"get_param": "key"}), "b": probe("plain")})
        made["parameters"] = {"key": {"type": "string", "hidden": True}}
        request = {"template": made, "environment": {"parameters": {"key": "hush"}}}
        stack = bench.wait(bench.commands.stacks.create(CALLER, NewStack("s", request)))
        following = {**made, "resources": {"a": probe("open"), "b": probe({"get_param": "key"})}}
        change = StackChange({"template": following, "environment": {"parameters": {"key": "sesame"}}})

        plan_shown = bench.commands.previews.update(CALLER, stack, change, False)["plan"]

        assert [change for one in plan_shown for change in one["changes"]] == [
            {"property": "value", "before": "******", "after": "open"},
            {"property": "value", "before": "******", "after": "******"},
        ]

    def test_of_new_stacks_have_the_plan(self, bench: Workbench) -> None:
        request = {"template": template(TestGroups().group(2, "m")), "files": {}}

        shown = bench.commands.previews.create(CALLER, NewStack("new", request))

        [group] = shown["plan"]
        assert (group["action"], group["resource_name"]) == ("create", "g")
        assert [one["path"] for one in group["nested"]] == [["g", "0"], ["g", "1"]]
        json.dumps(shown)


class TestRollback:
    def test_rolls_back_to_the_existing_resource_instead_of_replacing_again(self, bench: Workbench) -> None:
        reference = {"get_resource": "a"}
        first = {"a": probe("1", fixed="x"), "b": probe(reference)}
        stack = settled(bench, first, disable_rollback=False)
        before = bench.resources(stack)["a"].physical_id

        bench.update(stack, template({"a": probe("1", fixed="y"), "b": probe(reference, fails="update")}))
        ended = bench.wait(stack)
        while ended.action == "UPDATE":
            ended = bench.wait(stack)

        assert ended.state == "ROLLBACK_COMPLETE"
        assert bench.resources(stack)["a"].physical_id == before
        assert bench.resources(stack)["a"].replaced_by is None
