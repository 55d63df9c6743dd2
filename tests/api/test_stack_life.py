"""A stack from its creation to its end, as a client sees it."""

from __future__ import annotations

from door import PROJECT, SMALL, Door


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
    told = [
        (one["resource_name"], one["resource_status"])
        for one in live.get(f"{path}/events", sort_dir="asc")["events"]
    ]
    assert told == [
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
