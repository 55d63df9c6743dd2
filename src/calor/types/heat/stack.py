from calor.language.schema import SHOW, Attribute, Property, ResourceType, supported


class Stack(ResourceType):
    """A stack of its own, in another region or another cloud.

    It is created through the orchestration API found there and is a stack like any other. For a part of the
    same stack in the same place, use a template as a resource type instead.
    """

    type_name = "OS::Heat::Stack"
    service = "heat"
    entity = "stacks"
    properties = {
        "context": Property(
            dict,
            "Where to create the stack. Left out: in the same region of the same cloud.",
            update_allowed=True,
            fields={
                "region_name": Property(
                    str, "A region of the catalog. Left out, it is the one of the parent stack."
                ),
                "credential_secret_id": Property(
                    str,
                    "The id of a secret in Barbican with credentials for the other cloud, as JSON: the "
                    "authentication plugin and its arguments. Left out, the own cloud is meant.",
                    update_allowed=True,
                    support=supported("12.0.0"),
                ),
                "ca_cert": Property(
                    str,
                    "The certificates, as PEM text, to trust when connecting to the other cloud.",
                    update_allowed=True,
                    support=supported("12.0.0"),
                ),
                "insecure": Property(
                    bool,
                    "Connects without verifying any certificate; ca_cert is ignored then.",
                    default=False,
                    update_allowed=True,
                    support=supported("12.0.0"),
                ),
            },
        ),
        "template": Property(
            str,
            "The text of the template, usually from a file by get_file. It can use the files of the "
            "parent's template.",
            required=True,
            update_allowed=True,
        ),
        "timeout": Property(
            int,
            "Minutes that the stack may take before it fails. Left out, the default over there holds.",
            update_allowed=True,
        ),
        "parameters": Property(
            dict, "Values for the template's parameters.", default={}, update_allowed=True
        ),
    }
    attributes = {
        "stack_name": Attribute(str, "The name that the stack was given over there."),
        "outputs": Attribute(dict, "The values of all outputs. Name one in the path to read it alone."),
        "show": SHOW,
    }
