"""What an update takes over of the stack, and what it does not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.api import SMALL, Door, Stage, error, open_door, token


def having(parameters: dict[str, Any]) -> dict[str, Any]:
    return {"heat_template_version": "2021-04-16", "parameters": parameters, "resources": {}}


TWO = having({"a": {"type": "string", "default": "x"}, "b": {"type": "string", "default": "y"}})


def values(stack: dict[str, Any]) -> tuple[str, str]:
    return stack["parameters"].get("a"), stack["parameters"].get("b")


class TestPatch:
    def patched(self, live: Door, path: str, **body: Any) -> Any:
        assert live("PATCH", path, body).status_code == 202
        return live.settled(path)

    def test_parameters_the_template_has_no_more_are_dropped(self, live: Door) -> None:
        path = live.create(template=TWO, parameters={"a": "1", "b": "2"})
        live.settled(path)

        stack = self.patched(
            live, path, template=having({"a": TWO["parameters"]["a"]}), parameters={"c": "3"}
        )

        assert stack["stack_status"] == "UPDATE_COMPLETE"
        assert values(stack) == ("1", None)

    @pytest.mark.parametrize(
        "where", [{"parameters": {"a": "1"}}, {"environment": {"parameters": {"a": "1"}}}]
    )
    def test_cleared_parameters_go_back_to_their_defaults(self, live: Door, where: dict[str, Any]) -> None:
        path = live.create(template=TWO, **where)
        assert values(live.settled(path)) == ("1", "y")

        assert values(self.patched(live, path, clear_parameters=["a"])) == ("x", "y")

    def test_what_is_given_wins_wherever_it_is_given(self, live: Door) -> None:
        path = live.create(template=TWO, parameters={"a": "1", "b": "1"})
        live.settled(path)

        assert values(self.patched(live, path, environment={"parameters": {"a": "2"}})) == ("2", "1")
        assert values(self.patched(live, path, parameters={"b": "3"})) == ("2", "3")

    def test_environments_are_merged(self, live: Door) -> None:
        before = {
            "parameter_defaults": {"a": "1"},
            "resource_registry": {"X": "OS::Heat::None", "resources": {"r": {"Y": "OS::Heat::None"}}},
        }
        path = live.create(template=TWO, environment=before)
        live.settled(path)
        after = {
            "parameter_defaults": {"b": "2"},
            "resource_registry": {"resources": {"s": {"Z": "OS::Heat::None"}}},
        }

        stack = self.patched(live, path, environment=after)

        assert values(stack) == ("1", "2")
        registry = live.get(f"{path}/environment")["resource_registry"]
        assert registry["X"] == "OS::Heat::None"
        assert set(registry["resources"]) == {"r", "s"}

    def test_environment_files_are_merged_over_what_there_is(self, live: Door) -> None:
        files = {"one.yaml": "parameters: {a: '1'}", "two.yaml": "parameters: {b: '2'}"}
        path = live.create(template=TWO, files=files, environment_files=["one.yaml"])
        assert values(live.settled(path)) == ("1", "y")

        assert values(self.patched(live, path, environment_files=["two.yaml"])) == ("1", "2")
        assert values(self.patched(live, path, parameters={"a": "3"})) == ("3", "2")

    def test_files_are_kept(self, live: Door) -> None:
        path = live.create(template=TWO, files={"a": "1", "b": "1"})
        live.settled(path)

        self.patched(live, path, files={"b": "2"})

        assert live.get(f"{path}/files") == {"a": "1", "b": "2"}

    def test_tags_are_kept_unless_others_are_given(self, live: Door) -> None:
        path = live.create(template=TWO, tags="a,b")
        live.settled(path)

        assert self.patched(live, path)["tags"] == ["a", "b"]
        assert self.patched(live, path, tags="c")["tags"] == ["c"]
        assert self.patched(live, path, tags="")["tags"] == []

    def test_put_can_do_the_same(self, live: Door) -> None:
        path = live.create(template=TWO, parameters={"a": "1"})
        live.settled(path)

        assert live("PUT", path, {"existing": True, "parameters": {"b": "2"}}).status_code == 202

        assert values(live.settled(path)) == ("1", "2")


class TestPut:
    def test_a_template_is_needed(self, door: Door) -> None:
        error(door("PUT", door.create(template=TWO), {}), 400)

    def test_what_is_not_given_is_as_it_was_for_timeout_and_rollback(self, live: Door) -> None:
        path = live.create(template=TWO, timeout_mins=7, disable_rollback=False)
        live.settled(path)

        live("PUT", path, {"template": TWO})

        stack = live.settled(path)
        assert (stack["timeout_mins"], stack["disable_rollback"]) == (7, False)

    @pytest.mark.parametrize("method", ["PUT", "PATCH"])
    def test_immutable_parameters(self, live: Door, method: str) -> None:
        fixed = having({"a": {"type": "string", "default": "x", "immutable": True}})
        path = live.create(template=fixed, parameters={"a": "1"})
        live.settled(path)

        found = error(live(method, path, {"template": fixed, "parameters": {"a": "2"}}), 400)
        assert found["type"] == "ImmutableParameterModified"
        previewed = live(method, f"{path}/preview", {"template": fixed, "parameters": {"a": "2"}})
        assert error(previewed, 400) == found
        assert live(method, path, {"template": fixed, "parameters": {"a": "1"}}).status_code == 202
        live.settled(path)
        assert live(method, path, {"template": TWO, "parameters": {"a": "1"}}).status_code == 202

    def test_a_stack_that_is_part_of_another_is_not_changed_by_itself(self, live: Door) -> None:
        group = {
            "type": "OS::Heat::ResourceGroup",
            "properties": {"count": 1, "resource_def": {"type": "OS::Heat::TestResource"}},
        }
        path = live.create(template={**TWO, "resources": {"g": group}})
        live.settled(path)
        id = live.get(f"{path}/resources/g")["resource"]["physical_resource_id"]
        below = live("GET", f"/stacks/{id}").headers["location"].partition("/stacks/")[2]

        for method, body in (("PUT", {"template": SMALL}), ("DELETE", None)):
            assert error(live(method, f"/stacks/{below}", body), 400)["type"] == "NotSupported"
        assert error(live("POST", f"/stacks/{below}/actions", {"check": None}), 400)


class TestAnswers:
    def test_a_template_by_its_address_that_is_none(self, door: Door) -> None:
        for url in ("file:///etc/passwd", "ftp://host/t", "nothing", "http://"):
            body = {"stack_name": "s", "template_url": url}
            assert error(door("POST", "/stacks", body), 400)["type"] == "HTTPBadRequest"

    def test_containers_of_files_are_refused_with_a_word(self, door: Door) -> None:
        body = {"stack_name": "s", "template": TWO, "files_container": "c"}

        assert "files_container" in error(door("POST", "/stacks", body), 400)["message"]

    def test_a_patch_that_changes_nothing_has_a_rule_of_its_own(self, stage: Stage, tmp_path: Any) -> None:
        from calor.service.policy import Policy

        rules = tmp_path / "policy.yaml"
        rules.write_text('"stacks:update_no_change": "role:reader"\n')
        stage.policy = stage.commands.admission.policy = Policy(str(rules))
        path = open_door(stage).create(template=TWO)
        reader = open_door(stage).by(token(roles="reader"))

        assert reader("PATCH", path, {}).status_code == 202
        error(reader("PATCH", path, {"parameters": {"a": "1"}}), 403)

    def test_actions_wait_for_the_one_under_way(self, door: Door) -> None:
        path = door.create(template=TWO)

        for verb in ("suspend", "resume", "check"):
            found = error(door("POST", f"{path}/actions", {verb: None}), 409)
            assert found["type"] == "ActionInProgress"
        error(door("POST", f"{path}/snapshots", {}), 409)

    def test_only_a_failed_stack_is_tried_again(self, door: Door) -> None:
        error(door("POST", f"{door.create(template=TWO)}/actions", {"retry": None}), 400)

    def test_the_operators_defaults_are_not_shown(self, stage: Stage) -> None:
        from dataclasses import replace

        from calor.service.commands import Commands
        from calor.service.queries import Queries

        world = replace(stage.world, common_defaults={"a": "operator's", "z": "1"})
        stage.queries = Queries(stage.database, world)
        stage.commands = Commands(stage.database, stage.writer, world, lambda: None, policy=stage.policy)
        door = open_door(stage)
        path = door.create(template=TWO, environment={"parameter_defaults": {"b": "mine"}})

        assert values(door.get(path)["stack"]) == ("operator's", "mine")
        assert door.get(f"{path}/environment")["parameter_defaults"] == {"b": "mine"}
