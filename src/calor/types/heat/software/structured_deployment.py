from __future__ import annotations

from calor.resources.values import JsonMapping, Properties
from calor.types.heat.software.deployment_base import ONE_SERVER, STRUCTURED
from calor.types.heat.software.derived_config import filled
from calor.types.heat.software.software_deployment import SoftwareDeployment


class StructuredDeployment(SoftwareDeployment):
    """Applies an OS::Heat::StructuredConfig to a server and waits for the result.

    Unlike with OS::Heat::SoftwareDeployment the inputs are put into the configuration before it is sent, so
    tools without a notion of inputs can be used.
    """

    type_name = "OS::Heat::StructuredDeployment"
    properties = {**ONE_SERVER, **STRUCTURED}

    @classmethod
    def _config_for(cls, props: Properties, source: JsonMapping, inputs: JsonMapping) -> object:
        strict = props["input_values_validate"] == "STRICT"
        return filled(source.get("config") or {}, props["input_key"], inputs, strict=strict)
