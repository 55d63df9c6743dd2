from calor.language.schema import deprecated, hidden, supported
from calor.resources.contract import ResourceType


class Receiver(ResourceType):
    """A URL or a queue by which others could trigger actions of a cluster of Senlin.

    The clustering service no longer exists. The resource accepts any properties and does nothing. See
    OS::Heat::ScalingPolicy.
    """

    type_name = "OS::Senlin::Receiver"
    placeholder = True
    support = hidden("23.0.0", deprecated("22.0.0", supported("6.0.0")))
