from calor.language.schema import ResourceType, deprecated, hidden, supported


class Receiver(ResourceType):
    """A URL or a queue by which others could trigger actions of a cluster of Senlin.

    The clustering service is gone. The resource takes any properties and does nothing. See
    OS::Heat::ScalingPolicy.
    """

    type_name = "OS::Senlin::Receiver"
    placeholder = True
    support = hidden("23.0.0", deprecated("22.0.0", supported("6.0.0")))
