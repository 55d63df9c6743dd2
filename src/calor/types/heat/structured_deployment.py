from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calor.types.heat.deployments import ONE_SERVER, STRUCTURED
from calor.types.heat.deriving import filled
from calor.types.heat.software_deployment import SoftwareDeployment


class StructuredDeployment(SoftwareDeployment):
    """Applies an OS::Heat::StructuredConfig to a server and waits for the result.

    Unlike with OS::Heat::SoftwareDeployment the inputs are put into the configuration before it is sent, so
    tools without a notion of inputs can be used.
    """

    type_name = "OS::Heat::StructuredDeployment"
    properties = {**ONE_SERVER, **STRUCTURED}

    @classmethod
    def config_for(
        cls, props: Mapping[str, Any], source: Mapping[str, Any], inputs: Mapping[str, Any]
    ) -> Any:
        strict = props["input_values_validate"] == "STRICT"
        return filled(source.get("config") or {}, props["input_key"], inputs, strict=strict)
