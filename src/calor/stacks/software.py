"""Rows of software configurations and deployments, and the data for agents on servers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from calor.lifecycle import Action, Status
from calor.resources.values import JsonMapping
from calor.stacks.deployment_progress import REPORTS, wants_reports
from calor.stacks.ids import new_id
from calor.store import records
from calor.store import resources as resource_rows
from calor.store import software as software_rows
from calor.store.database import Connection
from calor.store.records import Document
from calor.types.heat.software.config_base import UNGROUPED

_PARTS = ("config", "inputs", "outputs", "options")
_NAMES = {"status_reason": "reason"}
"""Columns whose names differ from the fields'."""


def new_config(project: str, fields: JsonMapping, now: float) -> records.SoftwareConfig:
    """A config with `name`, `group`, `config`, `inputs`, `outputs` and `options`. It never changes."""
    return records.SoftwareConfig(
        id=new_id(),
        project=project,
        name=fields.get("name"),
        group=fields.get("group") or UNGROUPED,
        config={name: fields.get(name) for name in _PARTS},
        created_at=now,
    )


def new_deployment(project: str, fields: JsonMapping, now: float) -> records.SoftwareDeployment:
    """A deployment of a `config` to a `server`, with `action`, `status`, `status_reason`, `input_values`,
    `output_values` and the `stack_user_project`, whose users may read it."""
    return records.SoftwareDeployment(
        id=new_id(),
        project=project,
        server=fields["server"],
        config=fields["config"],
        stack_user_project=fields.get("stack_user_project"),
        input_values=fields.get("input_values"),
        output_values=fields.get("output_values"),
        action=fields.get("action") or Action.INIT,
        status=fields.get("status") or Status.COMPLETE,
        reason=fields.get("status_reason") or "",
        created_at=now,
        updated_at=now,
    )


def changed_deployment(fields: JsonMapping, now: float) -> Document:
    """The columns to set for changed fields."""
    changed = {**{_NAMES.get(name, name): value for name, value in fields.items()}, "updated_at": now}
    return {**changed, "fetched_at": None, "progress": None} if "config" in fields else changed


METADATA_LOCATION = "_metadata_at"
"""The key in a server's data for the container and object that its agent reads."""
DEPLOYMENTS = "deployments"


@dataclass(frozen=True, slots=True)
class Notice:
    """A document to write to the object store."""

    container: str
    object: str
    document: Document
    credentials: str | None
    """The encrypted credentials of the server's stack."""


def document_of(config: records.SoftwareConfig) -> Document:
    """A configuration as the API shows it."""
    created = datetime.fromtimestamp(config.created_at, UTC)
    return {
        "id": config.id,
        "name": config.name,
        "group": config.group,
        "config": config.config.get("config"),
        "inputs": config.config.get("inputs") or [],
        "outputs": config.config.get("outputs") or [],
        "options": config.config.get("options") or {},
        "creation_time": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
    }


def deployed(config: records.SoftwareConfig) -> Document:
    """A configuration in the format for agents."""
    document = document_of(config)
    return {**document, REPORTS: True} if wants_reports(config) else document


def notices(connection: Connection, server: str, project: str) -> list[Notice]:
    """The documents to write for a project's server whose agent reads from the object store."""
    servers = [
        one
        for one in resource_rows.with_physical_id(connection, project, server)
        if (one.resource.data or {}).get(METADATA_LOCATION)
    ]
    if not servers:
        return []
    configs = deployments_of(connection, server, project)
    return [_notice(one, configs) for one in servers]


def _notice(server: resource_rows.ResourceOfStack, configs: list[Document]) -> Notice:
    container, name = (server.resource.data or {})[METADATA_LOCATION]
    document = {**(server.resource.metadata or {}), DEPLOYMENTS: configs}
    return Notice(container, name, document, server.credentials)


def deployments_of(connection: Connection, server: str, project: str) -> list[Document]:
    """The configs that a server has to apply, by name."""
    return [deployed(config) for config in software_rows.configs_of_server(connection, project, server)]
