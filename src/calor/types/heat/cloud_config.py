from calor.language.schema import Property, supported
from calor.types.heat.configs import ConfigType


class CloudConfig(ConfigType):
    type_name = "OS::Heat::CloudConfig"
    support = supported("2014.1")
    properties = {
        "cloud_config": Property(dict),
    }
