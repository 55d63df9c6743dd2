from calor.language.schema import SHOW, Attribute, Property, supported
from calor.types.base import SignalledType
from calor.types.heat.deployments import ONE_SERVER, SIGNAL_TRANSPORT


class SoftwareDeployment(SignalledType):
    type_name = "OS::Heat::SoftwareDeployment"
    support = supported("2014.1")
    service = "heat"
    entity = "software_deployments"
    properties = {
        **ONE_SERVER,
        "name": Property(str, update_allowed=True),
        "signal_transport": SIGNAL_TRANSPORT,
    }
    attributes = {
        "deploy_stdout": Attribute(str),
        "deploy_stderr": Attribute(str),
        "deploy_status_code": Attribute(str),
        "show": SHOW,
    }
