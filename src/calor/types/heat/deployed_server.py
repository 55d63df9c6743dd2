from calor.language.schema import SHOW, Attribute, Property, ResourceType, deprecated, supported
from calor.types.heat.common import DEPLOYMENT_SWIFT_DATA, SOFTWARE_CONFIG_TRANSPORTS


class DeployedServer(ResourceType):
    type_name = "OS::Heat::DeployedServer"
    service = "heat"
    entity = "servers"
    name_limit = 53
    owns_user = True
    snapshots_on_delete = True
    properties = {
        "name": Property(str, update_allowed=True),
        "metadata": Property(dict, update_allowed=True, support=deprecated("9.0.0", supported("8.0.0"))),
        "software_config_transport": Property(
            str, default="POLL_SERVER_CFN", update_allowed=True, constraints=[SOFTWARE_CONFIG_TRANSPORTS]
        ),
        "deployment_swift_data": DEPLOYMENT_SWIFT_DATA,
    }
    attributes = {
        "name": Attribute(str),
        "os_collect_config": Attribute(dict, live=True, support=supported("9.0.0")),
        "show": SHOW,
    }
