from calor.language.schema import Property, supported
from calor.types.heat.configs import ConfigType


class CloudConfig(ConfigType):
    """A cloud-config document for cloud-init, written as a map of the template.

    Use it as the user_data of a server or as a part of an OS::Heat::MultipartMime. Functions inside are
    resolved first, so values of other resources can go in. cloud-init reads it at first boot only: a change
    replaces the servers that use it.
    """

    type_name = "OS::Heat::CloudConfig"
    support = supported("2014.1")
    properties = {
        "cloud_config": Property(
            dict, "The document. It is stored as YAML, below the line that tells cloud-init what it is."
        ),
    }
