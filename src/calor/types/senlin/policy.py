from calor.language.schema import deprecated, hidden, supported
from calor.resources.contract import ResourceType


class Policy(ResourceType):
    """A rule for a cluster of Senlin: when it grows, where its nodes go, how they are repaired.

    The clustering service no longer exists. The resource accepts any properties and does nothing. See
    OS::Heat::ScalingPolicy.
    """

    type_name = "OS::Senlin::Policy"
    placeholder = True
    support = hidden("23.0.0", deprecated("22.0.0", supported("6.0.0")))
