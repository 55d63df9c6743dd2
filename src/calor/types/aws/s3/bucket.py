from calor.language.constraints import one_of
from calor.language.schema import SHOW, Attribute, Property, ResourceType
from calor.types.aws.common import KEY_VALUE


class Bucket(ResourceType):
    type_name = "AWS::S3::Bucket"
    service = "swift"
    properties = {
        "AccessControl": Property(
            str,
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
            fields={
                "IndexDocument": Property(str),
                "ErrorDocument": Property(str),
            },
        ),
        "Tags": Property(list, items=Property(dict, fields=KEY_VALUE)),
    }
    attributes = {
        "DomainName": Attribute(str),
        "WebsiteURL": Attribute(str),
        "show": SHOW,
    }
