from calor.language.constraints import one_of
from calor.language.schema import SHOW, Attribute, Property, ResourceType
from calor.types.aws.common import KEY_VALUE


class Bucket(ResourceType):
    """A container for objects in Swift.

    Its name is made automatically; a reference gives it. It can be deleted only when it is empty.
    """

    type_name = "AWS::S3::Bucket"
    service = "swift"
    properties = {
        "AccessControl": Property(
            str,
            "Who may use the objects beside the owner: PublicRead lets everyone read, PublicReadWrite also "
            "write, AuthenticatedRead lets the members of the project read. All other values, or none, mean "
            "nobody.",
            constraints=[
                one_of(
                    "Private",
                    "PublicRead",
                    "PublicReadWrite",
                    "AuthenticatedRead",
                    "BucketOwnerRead",
                    "BucketOwnerFullControl",
                )
            ],
        ),
        "WebsiteConfiguration": Property(
            dict,
            "Serves the objects as a web site, where Swift has its staticweb part switched on.",
            fields={
                "IndexDocument": Property(
                    str, "The object that is served for a directory, such as index.html."
                ),
                "ErrorDocument": Property(
                    str, "The end of the names of error pages; the status code goes before it: 404error.html."
                ),
            },
        ),
        "Tags": Property(
            list,
            "Kept as metadata of the container, as headers that start with X-Container-Meta-S3-Tag-.",
            items=Property(dict, fields=KEY_VALUE),
        ),
    }
    attributes = {
        "DomainName": Attribute(str, "The host of the object store."),
        "WebsiteURL": Attribute(str, "The URL of the container."),
        "show": SHOW,
    }
