from calor.types.heat.software.deployment_base import MANY_SERVERS, STRUCTURED
from calor.types.heat.software.software_deployment_group import SoftwareDeploymentGroup


class StructuredDeploymentGroup(SoftwareDeploymentGroup):
    type_name = "OS::Heat::StructuredDeploymentGroup"
    _member_type = "OS::Heat::StructuredDeployment"
    properties = {**MANY_SERVERS, **STRUCTURED}
