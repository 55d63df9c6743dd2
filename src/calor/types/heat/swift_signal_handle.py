from calor.language.schema import SHOW, Attribute, ResourceType, supported


class SwiftSignalHandle(ResourceType):
    type_name = "OS::Heat::SwiftSignalHandle"
    support = supported("2014.2")
    service = "swift"
    attributes = {
        "token": Attribute(str, live=True),
        "endpoint": Attribute(str, live=True),
        "curl_cli": Attribute(str, live=True),
        "show": SHOW,
    }
