from calor.language.schema import deprecated, hidden
from calor.types.heat.software.structured_deployment_group import StructuredDeploymentGroup


class StructuredDeployments(StructuredDeploymentGroup):
    type_name = "OS::Heat::StructuredDeployments"
    support = hidden("7.0.0", deprecated("2014.2"), substitute="OS::Heat::StructuredDeploymentGroup")
