"""Users that stacks make for what runs on their servers: what they reach, and that it is all they reach."""

from __future__ import annotations

from typing import Any

import pytest

from calor.api.heat.routes import ROUTES
from calor.store import tables
from tests.support.api import EMPTY, Door, error, token

USERS = "9" * 32
"""The project of the stack's users."""
ALLOWED = {"stacks:lookup", "resource:metadata", "resource:signal", "software_deployments:metadata"}


@pytest.fixture
def stack(door: Door) -> str:
    id = door.stage.add_stack("a", user_project=USERS)
    handle = "OS::Heat::WaitConditionHandle"
    door.stage.add_resource(id, "mine", type=handle, metadata={"a": 1}, data={"user_id": "id-of-agent"})
    door.stage.add_resource(id, "other", type=handle, metadata={"b": 2}, data={"user_id": "somebody"})
    return id


@pytest.fixture
def agent(door: Door) -> Door:
    return door.by(token("agent", USERS, "heat_stack_user"), USERS)


class TestWhatTheyReach:
    def test_the_stack_by_its_name_and_id(self, door: Door, agent: Door, stack: str) -> None:
        for named in ("a", stack):
            answer = agent("GET", f"/stacks/{named}")
            assert answer.status_code == 302
            assert answer.headers["location"].endswith(f"/stacks/a/{stack}")

    def test_the_metadata_of_the_resource_they_belong_to(self, agent: Door, stack: str) -> None:
        assert agent.get(f"/stacks/a/{stack}/resources/mine/metadata") == {"metadata": {"a": 1}}

    @pytest.mark.parametrize("name", ["other", "nobody"])
    def test_not_that_of_others(self, agent: Door, stack: str, name: str) -> None:
        error(agent("GET", f"/stacks/a/{stack}/resources/{name}/metadata"), 403)

    def test_signals_to_the_resource_they_belong_to(self, agent: Door, stack: str) -> None:
        assert agent("POST", f"/stacks/a/{stack}/resources/mine/signal", {}).status_code == 200
        error(agent("POST", f"/stacks/a/{stack}/resources/other/signal", {}), 403)

    def test_stacks_below_that_began_before_the_users_had_a_project(
        self, door: Door, agent: Door, stack: str
    ) -> None:
        below = door.stage.add_stack("below", root=stack, parent=stack, parent_resource="r", depth=1)
        door.stage.add_resource(below, "mine", metadata={"c": 3}, data={"user_id": "id-of-agent"})

        assert agent.get(f"/stacks/below/{below}/resources/mine/metadata") == {"metadata": {"c": 3}}
        assert agent("GET", "/stacks/below").status_code == 302

    @pytest.mark.usefixtures("stack")
    def test_what_a_server_has_to_apply_by_name(self, door: Door, agent: Door) -> None:
        for name in ("20-second", "10-first"):
            config = {"name": name, "config": "#!", "inputs": [{"name": "i", "value": 1}]}
            id = door("POST", "/software_configs", config).json()["software_config"]["id"]
            body = {"server_id": "physical-mine", "config_id": id, "stack_user_project_id": USERS}
            assert door("POST", "/software_deployments", body).status_code == 200

        found = agent.get("/software_deployments/metadata/physical-mine")["metadata"]

        assert [one["name"] for one in found] == ["10-first", "20-second"]
        assert set(found[0]) == {
            "id",
            "name",
            "group",
            "config",
            "inputs",
            "outputs",
            "options",
            "creation_time",
        }
        assert found[0]["inputs"] == [{"name": "i", "value": 1}]

    @pytest.mark.usefixtures("stack")
    def test_that_they_have_fetched_it_is_noted(self, door: Door, agent: Door) -> None:
        config = door("POST", "/software_configs", {"name": "c"}).json()["software_config"]["id"]
        body = {"server_id": "physical-mine", "config_id": config, "stack_user_project_id": USERS}
        id = door("POST", "/software_deployments", {**body, "status": "IN_PROGRESS"}).json()
        deployment = f"/software_deployments/{id['software_deployment']['id']}"

        door.get("/software_deployments/metadata/physical-mine")
        assert "progress" not in door.get(deployment)["software_deployment"]

        agent.get("/software_deployments/metadata/physical-mine")
        assert door.get(deployment)["software_deployment"]["progress"]["fetched_time"]

    @pytest.mark.usefixtures("stack")
    def test_they_are_asked_to_report_progress_of_what_belongs_to_a_resource(
        self, door: Door, agent: Door
    ) -> None:
        signal = {"name": "deploy_signal_transport", "value": "CFN_SIGNAL"}
        inputs = [signal, {"name": "deploy_resource_name", "value": "mine"}]
        config = door("POST", "/software_configs", {"name": "c", "inputs": inputs}).json()["software_config"]
        body = {"server_id": "physical-mine", "config_id": config["id"], "stack_user_project_id": USERS}
        door("POST", "/software_deployments", body)

        [deployed] = agent.get("/software_deployments/metadata/physical-mine")["metadata"]

        assert deployed["reports_progress"] is True
        assert "reports_progress" not in config

    def test_nothing_of_servers_of_other_stacks(self, door: Door, agent: Door) -> None:
        id = door("POST", "/software_configs", {"name": "c"}).json()["software_config"]["id"]
        door("POST", "/software_deployments", {"server_id": "server", "config_id": id})

        assert agent.get("/software_deployments/metadata/server") == {"metadata": []}


class TestWhatTheyDoNotReach:
    def test_every_other_route(self, door: Door, agent: Door, stack: str) -> None:
        for route in ROUTES:
            if route.rule in ALLOWED:
                continue
            path = route.path.replace("{stack_name}", "a").replace("{stack_id}", stack)
            path = path.replace("{resource_name}", "mine").replace("{", "").replace("}", "")
            body: dict[str, Any] = {"template": EMPTY, "stack_name": "new"}
            if path.endswith("/actions"):
                body = {"suspend": None}

            answer = agent(route.method, path, body)

            assert answer.status_code == 403, (route.method, route.path, answer.text)

        assert door.get(f"/stacks/a/{stack}")["stack"]["stack_status"] == "CREATE_COMPLETE"

    def test_with_further_roles_in_their_own_project(self, door: Door, stack: str) -> None:
        """A role there is none in the project of the stack."""
        member = door.by(token("agent", USERS, "heat_stack_user,member,reader"), USERS)
        path = f"/stacks/a/{stack}"

        error(member("GET", path), 404)
        error(member("DELETE", path), 404)
        error(member("PUT", path, {"template": EMPTY}), 404)
        error(member("POST", f"{path}/actions", {"suspend": None}), 404)
        error(member("GET", f"{path}/resources/mine"), 404)
        assert member.get("/stacks") == {"stacks": []}

    def test_other_stacks(self, door: Door, agent: Door) -> None:
        other = door.stage.add_stack("other", user_project="8" * 32)
        door.stage.add_resource(other, "mine", data={"user_id": "id-of-agent"})

        error(agent("GET", "/stacks/other"), 404)
        error(agent("GET", f"/stacks/other/{other}/resources/mine/metadata"), 404)
        error(agent("POST", f"/stacks/other/{other}/resources/mine/signal", {}), 404)

    def test_metadata_of_others_where_users_are_in_the_stacks_own_project(
        self, door: Door, stack: str
    ) -> None:
        agent = door.by(token("agent", roles="heat_stack_user"))

        assert agent.get(f"/stacks/a/{stack}/resources/mine/metadata") == {"metadata": {"a": 1}}
        error(agent("GET", f"/stacks/a/{stack}/resources/other/metadata"), 403)

    def test_a_stack_that_is_gone(self, door: Door, agent: Door, stack: str) -> None:
        door.stage.change(tables.stack, stack, deleted_at=1.0, action="DELETE")

        error(agent("GET", f"/stacks/a/{stack}/resources/mine/metadata"), 404)
        error(agent("POST", f"/stacks/a/{stack}/resources/mine/signal", {}), 404)


class TestPolicies:
    """AWS::IAM::User: its policies say what it may read."""

    @pytest.mark.parametrize(
        ("policies", "allowed"),
        [
            ([], True),
            (["wide"], True),
            (["wide", {"not": "text"}], True),
            (["wide", "narrow"], False),
            (["narrow"], False),
            (["missing"], False),
        ],
    )
    def test_all_of_them_must_allow_it(
        self, door: Door, agent: Door, stack: str, policies: list[Any], allowed: bool
    ) -> None:
        add = door.stage.add_resource
        for name, resources in (("wide", ["other", "more"]), ("narrow", ["more"])):
            policy = {"AllowedResources": resources}
            add(stack, name, type="OS::Heat::AccessPolicy", properties=policy)
        properties = {"Policies": policies}
        data = {"user_id": "id-of-iam"}
        add(stack, "user", type="AWS::IAM::User", properties=properties, data=data)
        iam = door.by(token("iam", USERS, "heat_stack_user"), USERS)

        answer = iam("GET", f"/stacks/a/{stack}/resources/other/metadata")

        assert answer.status_code == (200 if allowed else 403)
