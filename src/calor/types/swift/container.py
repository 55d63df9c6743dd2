from calor.language.schema import SHOW, Attribute, Property, ResourceType, supported


class Container(ResourceType):
    """Holds objects in the object store.

    What refers to the resource gets the container's name. A container that is not empty cannot be deleted
    unless PurgeOnDelete is set.
    """

    type_name = "OS::Swift::Container"
    service = "swift"
    properties = {
        "name": Property(str, "How URLs and clients call it. Left out, a name is made up."),
        "X-Container-Read": Property(
            str,
            "Who may read, besides the project's members, as an access list of Swift: .r:*,.rlistings for "
            "everybody, project:user for some.",
        ),
        "X-Container-Write": Property(
            str, "Who may write, besides the project's members, as an access list of Swift."
        ),
        "X-Container-Meta": Property(
            dict,
            "Metadata of the container. Some keys have an effect, such as Web-Index, which makes it a web "
            "site.",
            default={},
        ),
        "X-Account-Meta": Property(
            dict,
            "Metadata of the whole account, which all of the project's containers share. They stay when the "
            "container is deleted.",
            default={},
        ),
        "PurgeOnDelete": Property(
            bool,
            "Whether the objects in it are deleted, too, when the container is. If not, deleting it fails "
            "as long as there are any.",
            default=False,
            support=supported("2015.1"),
        ),
    }
    attributes = {
        "DomainName": Attribute(str, "The host in the container's URL."),
        "WebsiteURL": Attribute(str, "The container's own URL."),
        "RootURL": Attribute(str, "The URL of the account, without the container."),
        "ObjectCount": Attribute(int, "How many objects are in it."),
        "BytesUsed": Attribute(int, "How many bytes its objects take."),
        "HeadContainer": Attribute(dict, "All headers that the object store returns for it."),
        "show": SHOW,
    }
