"""Stacks, resources and events as JSON."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache

from calor.api.addresses import link, resource_url, stack_url
from calor.resources.values import JsonObject
from calor.service.masking import without_signals
from calor.service.queries.definitions import Output
from calor.service.queries.events import ShownEvent
from calor.service.queries.resources import ShownResource
from calor.service.queries.stacks import StackLine
from calor.stacks.deployment_progress import status_reason
from calor.stacks.software import deployed, document_of
from calor.store import records


def moment(seconds: float | None) -> str | None:
    return None if seconds is None else _second(int(seconds))


# Most events of a stack occur within a few seconds.
@lru_cache(256)
def _second(number: int) -> str:
    return datetime.fromtimestamp(number, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def stack_line(base: str, stack: StackLine, *, with_project: bool) -> JsonObject:
    shown = {
        "id": stack.id,
        "links": [link(stack_url(base, stack))],
        "stack_name": stack.name,
        "description": "",
        "stack_status": f"{stack.action}_{stack.status}",
        "stack_status_reason": stack.reason,
        "creation_time": moment(stack.created_at),
        "updated_time": moment(stack.updated_at),
        "deletion_time": moment(stack.deleted_at),
        "stack_owner": stack.username,
        "parent": stack.parent,
        "stack_user_project_id": stack.user_project,
        "tags": stack.tags or None,
    }
    return {**shown, "project": stack.project} if with_project else shown


def stack(base: str, shown: records.Stack, parameters: object) -> JsonObject:
    return {
        "id": shown.id,
        "links": [link(stack_url(base, shown))],
        "stack_name": shown.name,
        "stack_status": shown.state,
        "stack_status_reason": shown.reason,
        "description": shown.description,
        "template_description": shown.description,
        "creation_time": moment(shown.created_at),
        "updated_time": moment(shown.updated_at),
        "deletion_time": moment(shown.deleted_at),
        "parameters": parameters,
        "capabilities": [],
        "notification_topics": [],
        "disable_rollback": shown.disable_rollback,
        "timeout_mins": shown.timeout_mins,
        "stack_owner": shown.username,
        "parent": shown.parent,
        "stack_user_project_id": shown.user_project,
        "tags": shown.tags,
    }


def output(shown: Output) -> JsonObject:
    made = {"output_key": shown.name, "output_value": shown.value, "description": shown.description}
    if shown.secret:
        made["sensitive"] = True
    return made if shown.error is None else {**made, "output_error": shown.error}


def resource(base: str, shown: ShownResource, *, with_detail: bool = False) -> JsonObject:
    line, place = shown.line, shown.place
    links = [link(resource_url(base, place, line.name)), link(stack_url(base, place), "stack")]
    if shown.nested is not None:
        links.append(link(stack_url(base, shown.nested), "nested"))
    made: JsonObject = {
        "resource_name": line.name,
        "logical_resource_id": line.name,
        "physical_resource_id": line.physical_id or "",
        "resource_type": line.type,
        "resource_status": f"{line.action}_{line.status}",
        "resource_status_reason": line.reason,
        "creation_time": moment(line.created_at),
        "updated_time": moment(line.updated_at if line.updated_at is not None else line.created_at),
        "required_by": list(shown.required_by),
        "links": links,
    }
    if place.parent_resource is not None:
        made["parent_resource"] = place.parent_resource
    if with_detail:
        made["description"] = shown.description
        made["attributes"] = dict(line.attributes or {})
        if shown.secrets:
            made["sensitive_attributes"] = list(shown.secrets)
    return made


def event(base: str, shown: ShownEvent, root: records.Stack | None = None) -> JsonObject:
    """An event; with a link to the root stack if events of nested stacks are included."""
    one, place = shown.event, shown.place
    resource = resource_url(base, place, one.resource)
    links = [
        link(f"{resource}/events/{one.id}"),
        link(resource, "resource"),
        link(stack_url(base, place), "stack"),
    ]
    if root is not None:
        links.append(link(stack_url(base, root), "root_stack"))
    return {
        "id": one.id,
        "event_time": moment(one.at),
        "resource_name": one.resource,
        "logical_resource_id": one.resource,
        "physical_resource_id": one.physical_id,
        "resource_status": f"{one.action}_{one.status}",
        "resource_status_reason": one.reason,
        "links": links,
    }


def previewed_stack(base: str, raw: JsonObject) -> JsonObject:
    """A stack that does not exist: its id is the string None, and its resources are unchanged."""
    shown = dict(raw)
    identity = shown.pop("stack_identity")
    address = f"{base}/v1/{identity['tenant']}/stacks/{identity['stack_name']}/{identity['stack_id']}"
    return {"id": identity["stack_id"], "links": [link(address)], **shown}


def previewed_update(raw: JsonObject) -> JsonObject:
    """Resources grouped by what would happen to them, with times in the API's format; and the plan."""
    changes = {
        group: [
            {
                **one,
                "creation_time": moment(one["creation_time"]),
                "updated_time": moment(one["updated_time"]),
            }
            for one in resources
        ]
        for group, resources in raw["resource_changes"].items()
    }
    return {**raw, "resource_changes": changes}


def snapshot(shown: records.Snapshot) -> JsonObject:
    data = shown.data
    return {
        "id": shown.id,
        "name": shown.name,
        "action": shown.action,
        "status": shown.status,
        "status_reason": shown.reason,
        "data": data and {name: value for name, value in data.items() if not name.startswith("_")},
        "creation_time": moment(shown.created_at),
    }


def config(shown: records.SoftwareConfig, *, reveals: bool = True) -> JsonObject:
    made = document_of(shown)
    return made if reveals else without_signals(made)


def deployed_config(shown: records.SoftwareConfig, *, reveals: bool) -> JsonObject:
    """In the metadata of a server."""
    made = deployed(shown)
    return made if reveals else without_signals(made)


def config_line(shown: records.SoftwareConfig, *, with_project: bool) -> JsonObject:
    made = {
        "id": shown.id,
        "name": shown.name,
        "group": shown.group,
        "creation_time": moment(shown.created_at),
    }
    return {**made, "project": shown.project} if with_project else made


def deployment(shown: records.SoftwareDeployment, now: float) -> JsonObject:
    made: JsonObject = {
        "id": shown.id,
        "server_id": shown.server,
        "config_id": shown.config,
        "input_values": shown.input_values,
        "output_values": shown.output_values,
        "action": shown.action,
        "status": shown.status,
        "status_reason": status_reason(shown, now),
        "creation_time": moment(shown.created_at),
    }
    if shown.updated_at is not None:
        made["updated_time"] = moment(shown.updated_at)
    if shown.fetched_at is not None or shown.progress is not None:
        progress = shown.progress or {}
        made["progress"] = {
            "fetched_time": moment(shown.fetched_at),
            "started_time": moment(progress.get("started_at")),
            "updated_time": moment(progress.get("at")),
            "log": progress.get("log", ""),
        }
    return made
