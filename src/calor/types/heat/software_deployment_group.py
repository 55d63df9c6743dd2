from calor.language.schema import SHOW, Attribute, Property, supported
from calor.types.base import NestedStackType
from calor.types.heat.common import BATCH
from calor.types.heat.deployments import MANY_SERVERS, SIGNAL_TRANSPORT


class SoftwareDeploymentGroup(NestedStackType):
    type_name = "OS::Heat::SoftwareDeploymentGroup"
    support = supported("5.0.0")
    properties = {
        **MANY_SERVERS,
        "name": Property(str, update_allowed=True),
        "signal_transport": SIGNAL_TRANSPORT,
    }
    attributes = {
        "deploy_stdouts": Attribute(dict),
        "deploy_stderrs": Attribute(dict),
        "deploy_status_codes": Attribute(dict),
        "show": SHOW,
    }
    update_policy = {
        "rolling_update": Property(dict, support=supported("7.0.0"), fields=BATCH),
        "batch_create": Property(dict, support=supported("7.0.0"), fields=BATCH),
    }
