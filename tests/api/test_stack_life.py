"""A stack from its creation to its end, as a client sees it."""

from __future__ import annotations

import json
from typing import Any

from tests.support.api import PROJECT, SMALL, Door, Stage, error, open_door


def test_a_stack_is_created_shown_listed_and_deleted(live: Door) -> None:
    answer = live("POST", "/stacks", {"stack_name": "web", "template": SMALL, "tags": "a,b"})

    assert answer.status_code == 201
    made = answer.json()["stack"]
    address = f"http://heat.test:8004/v1/{PROJECT}/stacks/web/{made['id']}"
    assert made["links"] == [{"href": address, "rel": "self"}]
    assert answer.headers["location"] == address

    path = f"/stacks/web/{made['id']}"
    stack = live.settled(path)
    assert stack["stack_status"] == "CREATE_COMPLETE"
    assert stack["stack_status_reason"] == "Stack CREATE completed successfully"
    assert live.get("/stacks")["stacks"][0]["stack_status"] == "CREATE_COMPLETE"

    resources = live.get(f"{path}/resources")["resources"]
    assert {one["resource_name"]: one["resource_status"] for one in resources} == {
        "first": "CREATE_COMPLETE",
        "second": "CREATE_COMPLETE",
    }
    reported = [
        (one["resource_name"], one["resource_status"])
        for one in live.get(f"{path}/events", sort_dir="asc")["events"]
    ]
    assert reported == [
        ("web", "CREATE_IN_PROGRESS"),
        ("first", "CREATE_IN_PROGRESS"),
        ("first", "CREATE_COMPLETE"),
        ("second", "CREATE_IN_PROGRESS"),
        ("second", "CREATE_COMPLETE"),
        ("web", "CREATE_COMPLETE"),
    ]

    assert live("DELETE", path).status_code == 204
    assert live.settled(path)["stack_status"] == "DELETE_COMPLETE"
    assert live.get("/stacks")["stacks"] == []
    assert live("DELETE", path).status_code == 404


def changed(value: str) -> dict[str, Any]:
    resources = {
        **SMALL["resources"],
        "first": {**SMALL["resources"]["first"], "properties": {"value": value}},
    }
    return {**SMALL, "resources": resources}


def test_a_new_stack_is_previewed(live: Door) -> None:
    answer = live("POST", "/stacks/preview", {"stack_name": "new", "template": SMALL})

    stack = answer.json()["stack"]
    assert answer.status_code == 200
    assert stack["id"] == "None"
    assert {one["resource_name"] for one in stack["resources"]} == {"first", "second"}
    assert {(one["resource_action"], one["resource_status"]) for one in stack["resources"]} == {
        ("INIT", "COMPLETE")
    }
    assert live.get("/stacks")["stacks"] == []


def test_a_name_that_no_stack_can_have_is_refused_in_the_preview_too(live: Door) -> None:
    answer = live("POST", "/stacks/preview", {"stack_name": "", "template": SMALL})

    assert error(answer, 400)["type"] == "StackValidationFailed"


def test_an_update_is_previewed_and_made(live: Door) -> None:
    path = live.create()
    live.settled(path)

    changes = live("PUT", f"{path}/preview", {"template": changed("two")}).json()["resource_changes"]
    assert [one["resource_name"] for one in changes["updated"]] == ["first"]
    assert [one["resource_name"] for one in changes["unchanged"]] == ["second"]
    assert changes["updated"][0]["creation_time"].endswith("Z")
    assert changes["updated"][0]["reason"] == "value changes in place"

    assert live("PUT", path, {"template": changed("two")}).status_code == 202
    stack = live.settled(path)
    assert stack["stack_status"] == "UPDATE_COMPLETE"
    assert stack["updated_time"] is not None
    assert live.get(f"{path}/template") == changed("two")


def test_the_preview_of_an_update_has_its_steps(live: Door) -> None:
    path = live.create()
    live.settled(path)

    answer = live("PATCH", f"{path}/preview?show_nested=true", {"template": changed("two")}).json()

    assert [(step["action"], step["path"]) for step in answer["plan"]] == [
        ("update", ["first"]),
        ("keep", ["second"]),
    ]
    [change] = answer["plan"][0]["changes"]
    assert (change["property"], change["after"]) == ("value", "two")


def test_put_forgets_and_patch_keeps(live: Door) -> None:
    path = live.create(parameters={"size": 5}, tags="a")
    live.settled(path)

    live("PATCH", path, {"parameters": {"flag": "false"}})
    stack = live.settled(path)
    assert (stack["parameters"]["size"], stack["parameters"]["flag"]) == ("5", "False")
    assert stack["tags"] == ["a"]
    assert live.get("/stacks", tags="a")["stacks"]

    live("PUT", path, {"template": SMALL})
    stack = live.settled(path)
    assert (stack["parameters"]["size"], stack["parameters"]["flag"]) == ("3", "True")
    assert stack["tags"] == []
    assert live.get("/stacks", tags="a")["stacks"] == []


def test_actions_are_carried_out(live: Door) -> None:
    path = live.create()
    live.settled(path)

    for verb in ("suspend", "resume", "check"):
        assert live("POST", f"{path}/actions", {verb: None}).json() is None
        assert live.settled(path)["stack_status"] == f"{verb.upper()}_COMPLETE"
    error(live("POST", f"{path}/actions", {"cancel_update": None}), 400)


def test_a_suspended_stack_is_not_updated(live: Door) -> None:
    path = live.create()
    live.settled(path)
    live("POST", f"{path}/actions", {"suspend": None})
    live.settled(path)

    refused = error(live("PUT", path, {"template": SMALL}), 400)
    assert refused["type"] == "NotSupported"
    assert refused["message"] == "Updating a stack when it is suspended is not supported."
    assert error(live("PUT", f"{path}/preview", {"template": SMALL}), 400) == refused


def test_a_stack_goes_back_to_its_snapshot(live: Door) -> None:
    path = live.create()
    live.settled(path)

    made = live("POST", f"{path}/snapshots", {"name": "before"}).json()
    assert (made["name"], made["status"], made["data"]) == ("before", "IN_PROGRESS", None)
    assert live.settled(path)["stack_status"] == "SNAPSHOT_COMPLETE"
    kept = live.get(f"{path}/snapshots/{made['id']}")["snapshot"]
    assert kept["status"] == "COMPLETE"
    assert set(kept["data"]["resources"]) == {"first", "second"}
    assert not any(name.startswith("_") for name in kept["data"])
    assert [one["id"] for one in live.get(f"{path}/snapshots")["snapshots"]] == [made["id"]]

    live("PUT", path, {"template": changed("two")})
    live.settled(path)
    assert live("POST", f"{path}/snapshots/{made['id']}/restore").status_code == 202
    assert live.settled(path)["stack_status"] == "RESTORE_COMPLETE"
    assert live.get(f"{path}/template") == SMALL

    assert live("DELETE", f"{path}/snapshots/{made['id']}").status_code == 204
    error(live("GET", f"{path}/snapshots/{made['id']}"), 404)


def test_an_abandoned_stack_is_adopted(running: Stage) -> None:
    live = open_door(running, enable_abandon=True, enable_adopt=True)
    path = live.create()
    live.settled(path)
    before = {one["resource_name"]: one for one in live.get(f"{path}/resources")["resources"]}

    assert live.get(f"{path}/export")["name"] == "s"
    data = live("DELETE", f"{path}/abandon").json()
    assert live.settled(path)["stack_status"] == "DELETE_COMPLETE"
    assert live.get("/stacks")["stacks"] == []

    answer = live("POST", "/stacks", {"stack_name": "s", "adopt_stack_data": json.dumps(data)})
    path = f"/stacks/s/{answer.json()['stack']['id']}"
    assert live.settled(path)["stack_status"] == "ADOPT_COMPLETE"
    for one in live.get(f"{path}/resources")["resources"]:
        assert one["physical_resource_id"] == before[one["resource_name"]]["physical_resource_id"]


def test_software_configs_and_deployments(door: Door) -> None:
    config = door("POST", "/software_configs", {"name": "c", "config": "#!", "group": "script"}).json()
    id = config["software_config"]["id"]
    body = {"server_id": "server", "config_id": id, "status": "IN_PROGRESS"}
    made = door("POST", "/software_deployments", body).json()["software_deployment"]
    path = f"/software_deployments/{made['id']}"

    assert error(door("DELETE", f"/software_configs/{id}"), 400)
    changed = door("PUT", path, {"status": "COMPLETE", "output_values": {"a": 1}}).json()
    assert changed["software_deployment"]["status"] == "COMPLETE"
    assert door.get(path)["software_deployment"]["output_values"] == {"a": 1}
    assert [one["id"] for one in door.get("/software_deployments/metadata/server")["metadata"]] == [id]
    assert door("DELETE", path).status_code == 204
    assert door("DELETE", f"/software_configs/{id}").status_code == 204
    assert door.get("/software_configs")["software_configs"] == []
