from calor.language.schema import ResourceType, supported


class Nothing(ResourceType):
    """Nothing at all: accepts any property and any attribute, creates no object, gives null.

    Map another type to it in the environment to leave that part of a template out.
    """

    type_name = "OS::Heat::None"
    placeholder = True
    support = supported("5.0.0")
