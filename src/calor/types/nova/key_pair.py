from calor.language.constraints import custom, length, one_of
from calor.language.schema import SHOW, Attribute, Property, Resolve, supported
from calor.types.nova.base import NovaType


class KeyPair(NovaType):
    """A key that opens servers to SSH, or a certificate.

    Give public_key to register a key that exists. Otherwise the compute service makes a pair of keys, which
    recent versions of it refuse to do. What refers to the resource gets its name.
    """

    type_name = "OS::Nova::KeyPair"
    support = supported("2014.1")
    entity = "keypairs"
    properties = {
        "name": Property(
            str,
            "What servers call it in key_name. A user can have it only once, so two stacks that fix the "
            "same name cannot exist side by side.",
            required=True,
            constraints=[length(1, 255)],
        ),
        "save_private_key": Property(
            bool,
            "Whether the private key that the compute service made is kept with the stack, for the attribute "
            "private_key. If not, nobody ever sees it.",
            default=False,
        ),
        "public_key": Property(
            str, "The key to register, as in an .pub file. Left out, a new pair of keys is made."
        ),
        "type": Property(
            str,
            "Whether it is a key for SSH or an x509 certificate, as for Windows. Left out, it is ssh.",
            constraints=[one_of("ssh", "x509")],
            support=supported("8.0.0"),
        ),
        "user": Property(
            str,
            "The user, by name or id, to register it for. Others than oneself are for administrators only.",
            constraints=[custom("keystone.user")],
            support=supported("9.0.0"),
        ),
    }
    attributes = {
        "public_key": Attribute(str, "The public half, whether given or made."),
        "private_key": Attribute(
            str, "The private half if it was made here and save_private_key is set, else empty.", live=True
        ),
        "show": SHOW,
    }
    translations = [Resolve(("user",), "get_user_id")]
