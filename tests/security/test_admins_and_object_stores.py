"""What the author of a stack has named is not used with the rights, or in the project, of an admin who acts on it."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any, cast
from uuid import uuid4

import pytest

from calor.service.caller import Caller
from calor.stacks.software import METADATA_LOCATION
from calor.stacks.vault import Vault
from calor.store import tables
from tests.support.api import OTHER, PROJECT, Stage

SERVER = "server"
MEMBER = Caller("m", "member", PROJECT, roles=("member",), token="member")
ADMIN = Caller("a", "admin", PROJECT, roles=("admin",), token="admin", is_admin=True, own_project=OTHER)
LOCAL_ADMIN = Caller("l", "local", PROJECT, roles=("admin", "member"), token="local", is_admin=True)


class Calls:
    """What the cloud was asked, and by whom."""

    def __init__(self) -> None:
        self.made: list[tuple[Any, ...]] = []

    def services(self, who: str) -> Any:
        def note(*request: Any, **more: Any) -> None:
            self.made.append((who, *request))

        return SimpleNamespace(send=note, request=note)


@pytest.fixture
def calls(stage: Stage) -> Calls:
    made = Calls()
    vault = SimpleNamespace(
        services_for=made.services, services=lambda secret: made.services(secret.decode())
    )
    stage.use_vault(cast(Vault, vault))
    return made


@pytest.fixture
def stack(stage: Stage) -> str:
    stage.insert(tables.credentials, id="c", project=PROJECT, secret=b"owner")
    id = stage.add_stack("s", credentials="c")
    place = {METADATA_LOCATION: ["ops", "config.json"]}
    stage.add_resource(id, "srv", type="OS::Nova::Server", physical_id=SERVER, data=place)
    return id


@pytest.mark.parametrize(("caller", "who"), [(ADMIN, "owner"), (LOCAL_ADMIN, "local"), (MEMBER, "member")])
@pytest.mark.usefixtures("stack")
def test_a_server_is_notified_of_deployments_in_its_own_project(
    stage: Stage, calls: Calls, caller: Caller, who: str
) -> None:
    config = stage.commands.software.create_config(MEMBER, {"name": "c", "group": "script", "config": "x"})
    fields = {"server": SERVER, "config": config.id, "action": "CREATE", "status": "IN_PROGRESS"}
    deployment = stage.commands.software.create_deployment(MEMBER, fields)
    calls.made.clear()

    stage.commands.software.delete_deployment(caller, deployment)

    assert calls.made == [(who, "object", "PUT", "ops", "config.json")]


@pytest.mark.parametrize(("caller", "who"), [(ADMIN, "owner"), (LOCAL_ADMIN, "owner"), (MEMBER, "member")])
def test_parts_of_snapshots_are_deleted_without_the_rights_of_an_admin(
    stage: Stage, calls: Calls, stack: str, caller: Caller, who: str
) -> None:
    kept = {"type": "OS::Nova::Server", "resource_data": {"snapshot_image_id": "somebody's"}}
    row = {"id": str(uuid4()), "stack": stack, "project": PROJECT, "name": "n", "action": "CREATE"}
    row |= {
        "status": "COMPLETE",
        "reason": "",
        "created_at": time.time(),
        "data": {"resources": {"srv": kept}},
    }
    stage.insert(tables.snapshot, **row)
    [snapshot] = stage.queries.snapshots.of(stage.queries.stacks.get(MEMBER, "s", stack))

    stage.commands.snapshots.delete(caller, snapshot)

    assert calls.made == [(who, "image", "DELETE", "images", "somebody's")]
