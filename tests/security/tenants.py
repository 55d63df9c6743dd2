"""Two tenants of one server: the victim, whose project is the door's own, and somebody who knows the victim's ids."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Table, select

from tests.support.api import OTHER, PROJECT, Door, Stage, open_door, token

VERSION = {"heat_template_version": "2021-04-16"}


def victim(stage: Stage, **settings: Any) -> Door:
    return open_door(stage, enable_adopt=True, enable_abandon=True, **settings)


def attacker(stage: Stage, roles: str = "member,reader") -> Door:
    return victim(stage).by(token("mallory", OTHER, roles), OTHER)


def template(**resources: Any) -> dict[str, Any]:
    return {**VERSION, "resources": resources}


def made(door: Door, resources: dict[str, Any], name: str = "s") -> str:
    """The path of a stack that was created."""
    path = door.create(name, template(**resources))
    assert door.settled(path)["stack_status"] == "CREATE_COMPLETE", door.settled(path)
    return path


def adopt(door: Door, resources: dict[str, Any], data: dict[str, Any], name: str = "t") -> Any:
    """The answer to adopting resources with such data."""
    left = json.dumps({"template": template(**resources), "resources": data})
    return door("POST", "/stacks", {"stack_name": name, "adopt_stack_data": left})


def adopted(door: Door, resources: dict[str, Any], data: dict[str, Any], name: str = "t") -> tuple[str, Any]:
    """The path of an adopted stack, and the stack when its adoption has ended."""
    answer = adopt(door, resources, data, name)
    assert answer.status_code == 201, answer.text
    path = f"/stacks/{name}/{answer.json()['stack']['id']}"
    return path, door.settled(path)


def rows(stage: Stage, table: Table) -> list[Any]:
    with stage.database.connect() as connection:
        return list(connection.execute(select(table)))


__all__ = ["OTHER", "PROJECT", "adopt", "adopted", "attacker", "made", "rows", "template", "victim"]
