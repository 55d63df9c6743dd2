from calor.language.schema import ResourceType, deprecated, hidden, supported


class Image(ResourceType):
    type_name = "OS::Glance::Image"
    placeholder = True
    support = hidden("22.0.0", deprecated("8.0.0", supported("2014.2")))
