from calor.language.schema import SHOW, Attribute, Property, ResourceType, supported


class Container(ResourceType):
    type_name = "OS::Swift::Container"
    service = "swift"
    properties = {
        "name": Property(str),
        "X-Container-Read": Property(str),
        "X-Container-Write": Property(str),
        "X-Container-Meta": Property(dict, default={}),
        "X-Account-Meta": Property(dict, default={}),
        "PurgeOnDelete": Property(bool, default=False, support=supported("2015.1")),
    }
    attributes = {
        "DomainName": Attribute(str),
        "WebsiteURL": Attribute(str),
        "RootURL": Attribute(str),
        "ObjectCount": Attribute(int),
        "BytesUsed": Attribute(int),
        "HeadContainer": Attribute(dict),
        "show": SHOW,
    }
