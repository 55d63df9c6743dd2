"""Who may do what."""

from __future__ import annotations

from pathlib import Path

import pytest

from calor.service.caller import Caller
from calor.service.errors import UnusableType
from calor.service.policy import Policy, PolicyUnusable
from tests.support.api import OTHER, PROJECT, SMALL, Door, Stage, error, open_door, token

READER = token(roles="reader")
ADMIN = token("root", OTHER, "admin,member,reader")
STACK_USER = token(roles="heat_stack_user")


def caller(*roles: str) -> Caller:
    return Caller("id", "name", PROJECT, roles=roles)


class TestAuthentication:
    def test_no_token(self, door: Door) -> None:
        answer = door.by("")("GET", "/stacks")

        assert error(answer, 401)["type"] == "HTTPUnauthorized"
        assert answer.headers["www-authenticate"] == 'Keystone uri="http://keystone.test/v3"'

    def test_a_token_of_another_project(self, door: Door) -> None:
        error(door.by(token(project=OTHER))("GET", "/stacks"), 403)

    def test_an_admin_may_act_in_any_project(self, door: Door) -> None:
        path = door.create("a")

        shown = door.by(ADMIN).get("/stacks")["stacks"]
        assert [one["project"] for one in shown] == [PROJECT]
        assert door.by(ADMIN).get(path)["stack"]["stack_name"] == "a"
        assert door.by(ADMIN, OTHER).get(path)["stack"]["stack_name"] == "a"

    def test_the_project_is_shown_to_admins_only(self, door: Door) -> None:
        door.create("a")

        assert "project" not in door.get("/stacks")["stacks"][0]


class TestRoles:
    @pytest.mark.parametrize(
        ("method", "path"),
        [
            ("GET", "/stacks"),
            ("GET", "/stacks/detail"),
            ("GET", "/resource_types"),
            ("GET", "/template_versions"),
            ("GET", "/software_configs"),
            ("GET", "/software_deployments"),
            ("GET", "/build_info"),
        ],
    )
    def test_readers_read(self, door: Door, method: str, path: str) -> None:
        assert door.by(READER)(method, path).status_code == 200
        error(door.by(STACK_USER)(method, path), 403)

    @pytest.mark.parametrize(
        ("method", "path", "body"),
        [
            ("POST", "/stacks", {"stack_name": "b", "template": SMALL}),
            ("POST", "/validate", {"template": SMALL}),
            ("PUT", "{stack}", {"template": SMALL}),
            ("PATCH", "{stack}", {"template": SMALL}),
            ("PATCH", "{stack}", {}),
            ("DELETE", "{stack}", None),
            ("POST", "{stack}/actions", {"suspend": None}),
            ("POST", "{stack}/snapshots", {}),
            ("POST", "{stack}/resources/first/signal", None),
            ("PATCH", "{stack}/resources/first", {"mark_unhealthy": True}),
            ("POST", "/software_configs", {}),
        ],
    )
    def test_readers_change_nothing(self, door: Door, method: str, path: str, body: object) -> None:
        stack = door.create("a")

        error(door.by(READER)(method, path.format(stack=stack), body), 403)

    def test_users_of_stacks_find_them_and_read_metadata_of_their_own(self, door: Door) -> None:
        own = "9" * 32
        stack = door.stage.add_stack("a", user_project=own)
        door.stage.add_resource(stack, "mine", metadata={"a": 1}, data={"user_id": "id-of-agent"})
        door.stage.add_resource(stack, "other", data={"user_id": "somebody"})
        agent = door.by(token("agent", own, "heat_stack_user"), own)
        path = f"/stacks/a/{stack}"

        assert agent("GET", "/stacks/a").status_code == 302
        assert agent.get(f"{path}/resources/mine/metadata") == {"metadata": {"a": 1}}
        error(agent("GET", f"{path}/resources/other/metadata"), 403)
        error(agent("GET", path), 403)

    def test_services_are_for_admins(self, door: Door) -> None:
        error(door("GET", "/services"), 403)
        assert door.by(ADMIN).get("/services") == {"services": []}

    @pytest.mark.parametrize("path", ["/stacks", "/software_configs"])
    def test_nobody_lists_all_projects(self, door: Door, path: str) -> None:
        error(door.by(ADMIN)("GET", path, params={"global_tenant": "True"}), 403)


class TestPolicyFiles:
    def test_a_file_overrides_the_defaults(self, stage: Stage, tmp_path: Path) -> None:
        rules = tmp_path / "policy.yaml"
        rules.write_text('"stacks:index": "!"\n"stacks:global_index": "role:admin"\n')
        stage.policy = stage.commands.admission.policy = Policy(str(rules))
        stage.add_stack("mine")
        stage.add_stack("theirs", project=OTHER)
        door = open_door(stage)

        error(door("GET", "/stacks"), 403)
        assert door("GET", "/stacks/detail").status_code == 200

    @pytest.mark.parametrize("text", ["a: [", "- a\n", '"stacks:index": "role:a or"\n"a": 3\n'])
    def test_one_that_cannot_be_understood(self, tmp_path: Path, text: str) -> None:
        rules = tmp_path / "policy.yaml"
        rules.write_text(text)

        with pytest.raises(PolicyUnusable, match=r"policy\.yaml cannot be used"):
            Policy(str(rules))

    def test_so_do_the_files_of_a_directory(self, stage: Stage, tmp_path: Path) -> None:
        (tmp_path / "policy.d").mkdir()
        (tmp_path / "policy.d" / "more.yaml").write_text('"stacks:index": "!"\n')
        stage.policy = stage.commands.admission.policy = Policy(policy_dirs=[str(tmp_path / "policy.d")])
        door = open_door(stage)

        error(door("GET", "/stacks"), 403)
        assert door("GET", "/stacks/detail").status_code == 200

    def test_all_projects_for_whom_it_lets(self, stage: Stage, tmp_path: Path) -> None:
        rules = tmp_path / "policy.yaml"
        rules.write_text('"stacks:global_index": "role:admin"\n')
        stage.policy = stage.commands.admission.policy = Policy(str(rules))
        stage.add_stack("mine")
        stage.add_stack("theirs", project=OTHER)

        shown = open_door(stage).by(ADMIN).get("/stacks", global_tenant="true")["stacks"]

        assert {one["stack_name"] for one in shown} == {"mine", "theirs"}


class TestTypes:
    @pytest.mark.parametrize("name", ["OS::Nova::Flavor", "OS::Keystone::User", "OS::Neutron::Segment"])
    def test_some_are_for_admins(self, policy: Policy, name: str) -> None:
        assert policy.allows_type(caller("admin"), name)
        assert not policy.allows_type(caller("member"), name)

    def test_the_others_are_for_all(self, policy: Policy) -> None:
        assert policy.allows_type(caller("member"), "OS::Nova::Server")

    def test_one_that_is_not_allowed_is_named(self, policy: Policy) -> None:
        with pytest.raises(UnusableType, match="OS::Nova::Quota"):
            policy.enforce_types(caller("member"), ["OS::Nova::Server", "OS::Nova::Quota"])

    def test_lists_have_only_allowed_ones(self, door: Door) -> None:
        names = door.get("/resource_types")["resource_types"]

        assert "OS::Nova::Server" in names
        assert "OS::Nova::Flavor" not in names
        error(door("GET", "/resource_types/OS::Nova::Flavor"), 403)
        assert "OS::Nova::Flavor" in door.by(ADMIN).get("/resource_types")["resource_types"]
