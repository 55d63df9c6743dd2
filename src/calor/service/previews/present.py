"""Reads the current state of stacks, which plans start from."""

from __future__ import annotations

from collections.abc import Callable

from calor.language.environment import Environment
from calor.language.library import World
from calor.language.template import Template
from calor.lifecycle import Status
from calor.plan.nested_forecast import ForecastInputs
from calor.plan.present import PresentStack
from calor.resources.values import JsonMapping
from calor.stacks import definitions
from calor.stacks.ids import physical_name
from calor.stacks.states import ResourceState, RowStates
from calor.store import contents, records
from calor.store import resources as resource_rows
from calor.store import stacks as stack_rows
from calor.store.database import Connection
from calor.store.sealing import Seal


def present_stack(connection: Connection, stack: records.Stack) -> PresentStack:
    """A stack and all its nested stacks, with four queries."""
    stacks = {one.id: one for one in stack_rows.live_tree(connection, stack.root)}
    rows: dict[str, list[ResourceState]] = {id: [] for id in stacks}
    for row in resource_rows.of_stacks(connection, stacks):
        rows[row.stack].append(ResourceState.of(row))
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
            complete=one.status == Status.COMPLETE,
            definition=one.definition,
            rows=rows[id],
            resources=written.get(one.definition, {}),
            below={child: made(child) for child in children.get(id, ())},
            timeout=one.timeout_mins * 60 if one.timeout_mins else None,
        )

    return made(stack.id)


def _written(connection: Connection, stacks: list[records.Stack]) -> dict[str, JsonMapping]:
    """The resources in the templates of stacks, by the digests of their definitions."""
    documents = contents.get(connection, {stack.definition for stack in stacks})
    templates = contents.get(connection, {document["template"] for document in documents.values()})
    return {
        digest: templates[document["template"]].get("resources") or {}
        for digest, document in documents.items()
    }


def means_of(
    world: World,
    request: JsonMapping,
    seal: Seal | None = None,
    check: Callable[[], None] = lambda: None,
) -> ForecastInputs:
    """The means for planning a request. `check` raises an error to end a plan that takes too long."""
    files = {name: contents.encode(text, seal)[0] for name, text in (request.get("files") or {}).items()}

    def digest(template: Template, parameters: JsonMapping, environment: Environment) -> str:
        shown = environment.shown()
        return definitions.encode_nested(dict(template.data), parameters, shown, files, seal)[0]

    return ForecastInputs(world, RowStates, digest, physical_name, check)
