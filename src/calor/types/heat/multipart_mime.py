from calor.language.constraints import one_of
from calor.language.schema import Property, supported
from calor.types.heat.configs import ConfigType


class MultipartMime(ConfigType):
    """Several pieces of user data in one: scripts, cloud-config and whatever else cloud-init understands.

    Use it as the user_data of a server when one format does not suffice. A change replaces the resource and,
    by the usual policy, the servers that boot with it.
    """

    type_name = "OS::Heat::MultipartMime"
    support = supported("2014.1")
    properties = {
        "group": Property(
            str,
            "The group of the stored configuration, which tells the agents that deploy it which of their "
            "hooks to use. Without meaning for user data.",
            default="Heat::Ungrouped",
            support=supported("14.0.0"),
        ),
        "parts": Property(
            list,
            "The pieces, in the order in which cloud-init shall see them.",
            default=[],
            items=Property(
                dict,
                fields={
                    "config": Property(
                        str,
                        "The piece itself, or the id of a software configuration that holds it, usually a "
                        "reference.",
                        required=True,
                    ),
                    "filename": Property(
                        str,
                        "The file name that goes with the piece. cloud-init uses it to save the piece and "
                        "to order scripts.",
                    ),
                    "type": Property(
                        str,
                        "`multipart` when the piece is a MIME message itself, whose parts are then added "
                        "one by one; filename and subtype play no role in that case.",
                        default="text",
                        constraints=[one_of("text", "multipart")],
                    ),
                    "subtype": Property(
                        str,
                        "The second half of the MIME type, which tells cloud-init what to do: "
                        "`x-shellscript`, `cloud-config`, … Left out, it is the file name up to its "
                        "extension, or else `plain`, and cloud-init looks at the first line.",
                    ),
                },
            ),
        ),
    }
