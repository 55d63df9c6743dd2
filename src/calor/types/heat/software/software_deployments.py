from calor.language.schema import deprecated, hidden
from calor.types.heat.software.software_deployment_group import SoftwareDeploymentGroup


class SoftwareDeployments(SoftwareDeploymentGroup):
    type_name = "OS::Heat::SoftwareDeployments"
    support = hidden("7.0.0", deprecated("2014.2"), substitute="OS::Heat::SoftwareDeploymentGroup")
