from calor.language.schema import SHOW, Attribute, Property, ResourceType, supported


class Stack(ResourceType):
    type_name = "OS::Heat::Stack"
    service = "heat"
    entity = "stacks"
    properties = {
        "context": Property(
            dict,
            update_allowed=True,
            fields={
                "region_name": Property(str),
                "credential_secret_id": Property(str, update_allowed=True, support=supported("12.0.0")),
                "ca_cert": Property(str, update_allowed=True, support=supported("12.0.0")),
                "insecure": Property(bool, default=False, update_allowed=True, support=supported("12.0.0")),
            },
        ),
        "template": Property(str, required=True, update_allowed=True),
        "timeout": Property(int, update_allowed=True),
        "parameters": Property(dict, default={}, update_allowed=True),
    }
    attributes = {
        "stack_name": Attribute(str),
        "outputs": Attribute(dict),
        "show": SHOW,
    }
