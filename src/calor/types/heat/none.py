from calor.language.schema import ResourceType, supported


class Nothing(ResourceType):
    type_name = "OS::Heat::None"
    support = supported("5.0.0")
