"""Looks at stacks of other regions before they are asked for."""

from __future__ import annotations

from typing import Any

from calor.clouds.errors import CloudError
from calor.engine.vault import Vault
from calor.language.definition import Definition
from calor.language.values import bare, has_unknown
from calor.service.caller import Caller
from calor.service.errors import ServiceError

REMOTE = "OS::Heat::Stack"


def check_remote_stacks(vault: Vault, caller: Caller, definition: Definition) -> None:
    """Has the orchestration service of its region validate each remote stack's template. Raises ServiceError, in
    words that clients of Heat match."""
    for resource in definition.resources.values():
        if resource.found is None or resource.found.type_name != REMOTE or has_unknown(resource.values):
            continue
        values: dict[str, Any] = bare(resource.values)
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
