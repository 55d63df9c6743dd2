"""Software configurations and deployments as they are read."""

from __future__ import annotations

from typing import Any

import pytest

from calor.store import tables
from tests.support.api import OTHER, PROJECT, Door, Stage, error, token


def add_config(stage: Stage, id: str, **values: Any) -> None:
    row = {
        "project": PROJECT,
        "name": f"name-of-{id}",
        "group": "script",
        "config": {"config": f"text of {id}", "inputs": [{"name": "i"}]},
        "created_at": 1.0,
    }
    stage.insert(tables.software_config, id=id, **{**row, **values})


def add_deployment(stage: Stage, id: str, config: str, server: str = "server", **values: Any) -> None:
    row = {
        "project": PROJECT,
        "stack_user_project": None,
        "input_values": {},
        "output_values": None,
        "action": "CREATE",
        "status": "COMPLETE",
        "reason": None,
        "created_at": 1.0,
        "updated_at": None,
    }
    stage.insert(tables.software_deployment, id=id, config=config, server=server, **{**row, **values})


@pytest.fixture
def stocked(door: Door) -> Door:
    add_config(door.stage, "c1", name="b", created_at=1.0)
    add_config(door.stage, "c2", name="a", created_at=2.0)
    add_config(door.stage, "theirs", project=OTHER)
    add_deployment(door.stage, "d1", "c1")
    add_deployment(door.stage, "d2", "c2", stack_user_project="9" * 32, updated_at=5.0)
    add_deployment(door.stage, "d3", "c2", server="other")
    add_deployment(door.stage, "theirs", "theirs", project=OTHER)
    return door


class TestConfigs:
    def test_lists(self, stocked: Door) -> None:
        shown = stocked.get("/software_configs")["software_configs"]

        assert [one["id"] for one in shown] == ["c2", "c1"]
        assert set(shown[0]) == {"id", "name", "group", "creation_time"}

    def test_pages(self, stocked: Door) -> None:
        first = stocked.get("/software_configs", limit=1)["software_configs"]
        rest = stocked.get("/software_configs", marker=first[0]["id"])["software_configs"]

        assert [one["id"] for one in (*first, *rest)] == ["c2", "c1"]

    def test_a_single_one(self, stocked: Door) -> None:
        shown = stocked.get("/software_configs/c1")["software_config"]

        assert shown["config"] == "text of c1"
        assert shown["inputs"] == [{"name": "i"}]
        assert (shown["outputs"], shown["options"]) == ([], {})

    @pytest.mark.parametrize("id", ["theirs", "nothing"])
    def test_others(self, stocked: Door, id: str) -> None:
        error(stocked("GET", f"/software_configs/{id}"), 404)
        error(stocked("DELETE", f"/software_configs/{id}"), 404)


class TestDeployments:
    def test_lists(self, stocked: Door) -> None:
        shown = stocked.get("/software_deployments")["software_deployments"]
        of_server = stocked.get("/software_deployments", server_id="other")["software_deployments"]

        assert [one["id"] for one in shown] == ["d1", "d2", "d3"]
        assert [one["id"] for one in of_server] == ["d3"]

    def test_a_single_one(self, stocked: Door) -> None:
        assert "updated_time" not in stocked.get("/software_deployments/d1")["software_deployment"]
        shown = stocked.get("/software_deployments/d2")["software_deployment"]
        assert shown["updated_time"] == "1970-01-01T00:00:05Z"

    @pytest.mark.parametrize("id", ["theirs", "nothing"])
    def test_others(self, stocked: Door, id: str) -> None:
        error(stocked("GET", f"/software_deployments/{id}"), 404)
        error(stocked("PUT", f"/software_deployments/{id}", {}), 404)
        error(stocked("DELETE", f"/software_deployments/{id}"), 404)

    def test_what_a_server_has_to_apply(self, stocked: Door) -> None:
        shown = stocked.get("/software_deployments/metadata/server")["metadata"]

        assert [(one["name"], one["config"]) for one in shown] == [
            ("a", "text of c2"),
            ("b", "text of c1"),
        ]

    def test_a_server_asks_as_a_user_of_its_stack(self, stocked: Door) -> None:
        own = "9" * 32
        stack = stocked.stage.add_stack("servers", user_project=own)
        stocked.stage.add_resource(stack, "s", physical_id="server", data={"user_id": "id-of-agent"})
        agent = stocked.by(token("agent", own, "heat_stack_user"), own)

        shown = agent.get("/software_deployments/metadata/server")["metadata"]

        assert [one["id"] for one in shown] == ["c2"]
