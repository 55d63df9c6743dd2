from calor.types.heat.deployments import MANY_SERVERS, STRUCTURED
from calor.types.heat.software_deployment_group import SoftwareDeploymentGroup


class StructuredDeploymentGroup(SoftwareDeploymentGroup):
    type_name = "OS::Heat::StructuredDeploymentGroup"
    member_type = "OS::Heat::StructuredDeployment"
    properties = {**MANY_SERVERS, **STRUCTURED}
