from calor.types.heat.deployments import ONE_SERVER, STRUCTURED
from calor.types.heat.software_deployment import SoftwareDeployment


class StructuredDeployment(SoftwareDeployment):
    type_name = "OS::Heat::StructuredDeployment"
    properties = {**ONE_SERVER, **STRUCTURED}
