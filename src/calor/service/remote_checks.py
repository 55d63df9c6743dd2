"""Validates the templates of remote stacks in other regions before they are created."""

from __future__ import annotations

from calor.clouds.errors import CloudError
from calor.language.definition import Definition
from calor.language.values import bare, has_unknown
from calor.resources.values import JsonObject
from calor.service.caller import Caller
from calor.service.errors import ServiceError
from calor.stacks.vault import Vault

REMOTE = "OS::Heat::Stack"


def check_remote_stacks(vault: Vault, caller: Caller, definition: Definition) -> None:
    """Validates the template of each remote stack with the orchestration service of its region. Raises ServiceError,
    with messages that clients of Heat match."""
    for resource in definition.resources.values():
        if (
            resource.resource_type is None
            or resource.resource_type.type_name != REMOTE
            or has_unknown(resource.values)
        ):
            continue
        values: JsonObject = bare(resource.values)
        region = (values.get("context") or {}).get("region_name")
        try:
            heat = vault.heat_for(caller.token, region)
        except CloudError as error:
            message = f'Cannot establish connection to Heat endpoint at region "{region}" due to "{error}"'
            raise ServiceError("StackValidationFailed", message) from None
        body = {
            "template": values.get("template"),
            "files": dict(definition.library.files),
            "environment": {},
        }
        try:
            heat.validate(body)
        except CloudError as error:
            message = (
                f'Failed validating stack template using Heat endpoint at region "{region}" '
                f'due to "ERROR: {error}"'
            )
            raise ServiceError("StackValidationFailed", message) from None
