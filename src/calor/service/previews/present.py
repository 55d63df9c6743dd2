"""Reads what a plan starts from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import Connection, select

from calor.engine import definitions
from calor.engine.ids import physical_name
from calor.engine.states import LiveStates, ResourceState
from calor.language.environment import Environment
from calor.language.library import World
from calor.language.template import Template
from calor.plan.places import Means
from calor.plan.present import PresentStack
from calor.store import contents, records, tables
from calor.store.sealing import Seal


def present_stack(connection: Connection, stack: records.Stack) -> PresentStack:
    """A stack and all below it: four queries, however many there are."""
    table = tables.stack
    query = select(table).where(table.c.root == stack.root, table.c.deleted_at.is_(None))
    stacks = {row.id: records.record(records.Stack, row) for row in connection.execute(query)}
    rows: dict[str, list[ResourceState]] = {id: [] for id in stacks}
    resources = tables.resource
    for row in connection.execute(select(resources).where(resources.c.stack.in_(stacks))):
        rows[row.stack].append(ResourceState.of(records.record(records.Resource, row)))
    written = _written(connection, [one for one in stacks.values() if not one.is_root])
    children: dict[str, list[str]] = {}
    for one in stacks.values():
        if one.parent is not None:
            children.setdefault(one.parent, []).append(one.id)

    def made(id: str) -> PresentStack:
        one = stacks[id]
        return PresentStack(
            id=one.id,
            name=one.name,
            project=one.project,
            depth=one.depth,
            complete=one.status == "COMPLETE",
            definition=one.definition,
            rows=rows[id],
            resources=written.get(one.definition, {}),
            below={child: made(child) for child in children.get(id, ())},
            timeout=one.timeout_mins * 60 if one.timeout_mins else None,
        )

    return made(stack.id)


def _written(connection: Connection, stacks: list[records.Stack]) -> dict[str, Mapping[str, Any]]:
    """The resources in the templates of stacks, by the digests of their definitions."""
    documents = contents.get(connection, {stack.definition for stack in stacks})
    templates = contents.get(connection, {document["template"] for document in documents.values()})
    return {
        digest: templates[document["template"]].get("resources") or {}
        for digest, document in documents.items()
    }


def means_of(
    world: World,
    request: Mapping[str, Any],
    seal: Seal | None = None,
    go_on: Callable[[], None] = lambda: None,
) -> Means:
    """What a plan for a request is made with. `go_on` raises to end one that takes too long."""
    files = {name: contents.encode(text, seal)[0] for name, text in (request.get("files") or {}).items()}

    def digest(template: Template, parameters: Mapping[str, Any], environment: Environment) -> str:
        shown = environment.shown()
        return definitions.encode_nested(dict(template.data), parameters, shown, files, seal)[0]

    return Means(world, LiveStates, digest, physical_name, go_on)
