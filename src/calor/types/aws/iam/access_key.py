from calor.language.constraints import one_of
from calor.language.schema import SHOW, Attribute, Property, ResourceType


class AccessKey(ResourceType):
    """A pair of keys with which software on a server signs calls of the CloudFormation API.

    A reference to it gives the access key. Together with the secret it goes into the file of credentials that
    cfn-hup and its companions read.
    """

    type_name = "AWS::IAM::AccessKey"
    properties = {
        "Serial": Property(int, implemented=False),
        "UserName": Property(
            str,
            "The user that the keys act for: a reference to an AWS::IAM::User of the same template.",
            required=True,
        ),
        "Status": Property(str, constraints=[one_of("Active", "Inactive")], implemented=False),
    }
    attributes = {
        "UserName": Attribute(str, "The user that the keys act for.", live=True),
        "SecretAccessKey": Attribute(
            str, "The secret key that belongs to the access key. Keep it out of outputs.", live=True
        ),
        "show": SHOW,
    }
