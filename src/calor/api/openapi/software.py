"""Software configs and deployments."""

from __future__ import annotations

from calor.api.openapi.common import NO_CONTENT, flag, paging, text
from calor.api.openapi.vocabulary import (
    ANY,
    MAP,
    MAP_OR_NULL,
    TEXT,
    TEXT_OR_NULL,
    TIME,
    TIME_OR_NULL,
    Answer,
    Body,
    Family,
    Link,
    Operation,
    Schema,
    described,
    items,
    record,
    ref,
    wrapped,
)

_CONFIG = "/software_configs/{config_id}"
_DEPLOYMENT = "/software_deployments/{deployment_id}"
_NAME: Schema = {**TEXT_OR_NULL, "maxLength": 255}
_ID: Schema = {"type": "string", "minLength": 1, "maxLength": 64}
_ID_OR_NULL: Schema = {**TEXT_OR_NULL, "maxLength": 64}
_STATE: dict[str, Schema] = {
    "action": _ID_OR_NULL,
    "status": _ID_OR_NULL,
    "status_reason": {**TEXT_OR_NULL, "maxLength": 65536},
    "input_values": MAP_OR_NULL,
    "output_values": MAP_OR_NULL,
}
_LINE: dict[str, Schema] = {"id": TEXT, "name": TEXT_OR_NULL, "group": TEXT_OR_NULL, "creation_time": TIME}


def _slots(*more: str) -> Schema:
    """Inputs or outputs."""
    kinds = {"enum": ["String", "Number", "CommaDelimitedList", "Json", "Boolean", None]}
    slot = record({"name": {"type": "string", "minLength": 1}}, {"type": kinds, **dict.fromkeys(more, ANY)})
    return {"type": ["array", "null"], "items": {**slot, "additionalProperties": False}}


_CREATED_CONFIG = Answer(
    "The config.",
    wrapped("software_config", ref("SoftwareConfig")),
    links={
        "show_it": Link("show_software_config", {"config_id": "$response.body#/software_config/id"}),
        "delete_it": Link("delete_software_config", {"config_id": "$response.body#/software_config/id"}),
    },
)
_ONE_DEPLOYMENT = Answer(
    "The deployment.",
    wrapped("software_deployment", ref("SoftwareDeployment")),
    links={
        f"{operation}_of_it": Link(operation, {"deployment_id": "$response.body#/software_deployment/id"})
        for operation in (
            "show_software_deployment",
            "update_software_deployment",
            "delete_software_deployment",
        )
    },
)

FAMILY = Family(
    "software",
    "Software configs, and their deployments to servers.",
    {
        "GET /software_configs": Operation(
            "list_software_configs",
            "Lists software configs",
            {
                200: Answer(
                    "The configs, newest first.",
                    wrapped("software_configs", items(ref("SoftwareConfigLine"))),
                )
            },
            (
                *paging("config"),
                flag("global_tenant", "Includes those of all projects, if the policy allows it."),
            ),
        ),
        "POST /software_configs": Operation(
            "create_software_config",
            "Creates a software config",
            {200: _CREATED_CONFIG},
            body=Body(
                record(
                    {},
                    {
                        "name": _NAME,
                        "group": _NAME,
                        "config": described(ANY, "The input of the group's tool, such as a script."),
                        "inputs": _slots("description", "default", "replace_on_change", "value"),
                        "outputs": _slots("description", "error_output"),
                        "options": MAP_OR_NULL,
                    },
                ),
                {
                    "name": "motd",
                    "group": "script",
                    "config": "#!/bin/sh\necho $who > /etc/motd",
                    "inputs": [{"name": "who", "type": "String", "default": "nobody"}],
                    "outputs": [{"name": "result"}],
                },
            ),
        ),
        f"GET {_CONFIG}": Operation(
            "show_software_config",
            "Shows a software config",
            {200: Answer("The config.", wrapped("software_config", ref("SoftwareConfig")))},
        ),
        f"DELETE {_CONFIG}": Operation(
            "delete_software_config", "Deletes a software config that no deployment uses", {204: NO_CONTENT}
        ),
        "GET /software_deployments": Operation(
            "list_software_deployments",
            "Lists software deployments",
            {
                200: Answer(
                    "The deployments, oldest first.",
                    wrapped("software_deployments", items(ref("SoftwareDeployment"))),
                )
            },
            (text("server_id", "Only the deployments to this server."),),
        ),
        "POST /software_deployments": Operation(
            "create_software_deployment",
            "Creates a software deployment",
            {200: _ONE_DEPLOYMENT},
            body=Body(
                record(
                    {"server_id": _ID, "config_id": _ID}, {"stack_user_project_id": _ID_OR_NULL, **_STATE}
                ),
                {
                    "server_id": "7f2c0f4e-3f0c-4b3a-9d43-0d7d1c2f5a10",
                    "config_id": "0c9a5c3e-4f1e-4a54-8f4e-6d1a5f4f7b1c",
                    "action": "CREATE",
                    "status": "IN_PROGRESS",
                    "input_values": {"who": "everybody"},
                },
            ),
        ),
        f"GET {_DEPLOYMENT}": Operation(
            "show_software_deployment",
            "Shows a software deployment",
            {200: Answer("The deployment.", wrapped("software_deployment", ref("SoftwareDeployment")))},
        ),
        f"PUT {_DEPLOYMENT}": Operation(
            "update_software_deployment",
            "Changes a software deployment",
            {200: Answer("The deployment.", wrapped("software_deployment", ref("SoftwareDeployment")))},
            body=Body(
                record({}, {"config_id": _ID_OR_NULL, **_STATE}),
                {"status": "COMPLETE", "output_values": {"result": "done"}},
            ),
        ),
        f"DELETE {_DEPLOYMENT}": Operation(
            "delete_software_deployment", "Deletes a software deployment", {204: NO_CONTENT}
        ),
        "GET /software_deployments/metadata/{server_id}": Operation(
            "show_server_metadata",
            "Shows the deployments for a server",
            {
                200: Answer(
                    "The configs of the server's deployments, by name.",
                    wrapped("metadata", items(ref("SoftwareConfig"))),
                )
            },
        ),
    },
    {
        "SoftwareConfigLine": record(_LINE, {"project": described(TEXT, "For administrators.")}),
        "SoftwareConfig": record(
            {**_LINE, "config": ANY, "inputs": items(MAP), "outputs": items(MAP), "options": MAP}
        ),
        "SoftwareDeployment": record(
            {
                "id": TEXT,
                "server_id": TEXT,
                "config_id": TEXT,
                "input_values": MAP_OR_NULL,
                "output_values": MAP_OR_NULL,
                "action": TEXT_OR_NULL,
                "status": TEXT_OR_NULL,
                "status_reason": TEXT_OR_NULL,
                "creation_time": TIME,
            },
            {"updated_time": TIME, "progress": ref("DeploymentProgress")},
        ),
        "DeploymentProgress": record(
            {
                "fetched_time": TIME_OR_NULL,
                "started_time": TIME_OR_NULL,
                "updated_time": TIME_OR_NULL,
                "log": TEXT,
            }
        ),
    },
)
