import base64
from collections.abc import Iterator
from typing import Any

from calor.language.constraints import custom, one_of, range_
from calor.language.schema import SHOW, Attribute, Problem, Property, supported
from calor.resources.values import Properties
from calor.types.barbican.base import BarbicanType
from calor.types.rules import FilledRequires, empty, filled, visible


class EncodingOfPayload:
    """Bytes are given in an encoding, text is not."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        kind, encoding = given.get("payload_content_type"), given.get("payload_content_encoding")
        if visible(kind) == "application/octet-stream":
            if empty(encoding):
                yield Problem(
                    "StackValidationFailed",
                    "a payload_content_type of application/octet-stream needs payload_content_encoding",
                )
            elif not _is_base64(visible(given.get("payload"))):
                yield Problem("StackValidationFailed", "payload is not base64", ("payload",))
        elif filled(encoding) and (empty(kind) or visible(kind) == "text/plain"):
            yield Problem(
                "ResourcePropertyValueDependency",
                "payload_content_encoding needs a payload_content_type of application/octet-stream",
            )


def _is_base64(payload: Any) -> bool:
    try:
        base64.b64decode(payload or "")
    except ValueError:
        return False
    return True


class Secret(BarbicanType):
    """A password, a key or a certificate, kept by the key manager.

    Without a payload, it is created without content, which can be added later. A reference to the resource returns the
    URL of the secret. The attribute decrypted_payload reads its content.
    """

    type_name = "OS::Barbican::Secret"
    support = supported("2014.2")
    properties = {
        "name": Property(str, "A label for people; it need not be unique."),
        "payload": Property(str, "The content. Pass it in through a hidden parameter.", secret=True),
        "secret_type": Property(
            str,
            "What the content is; opaque means unspecified. Some services that use it insist on a certain "
            "type.",
            default="opaque",
            constraints=[one_of("symmetric", "public", "private", "certificate", "passphrase", "opaque")],
            support=supported("5.0.0"),
        ),
        "payload_content_type": Property(
            str,
            "Whether payload is text or bytes. Needed along with payload.",
            constraints=[one_of("text/plain", "application/octet-stream")],
        ),
        "payload_content_encoding": Property(
            str, "How bytes are written in payload. Needed for bytes only.", constraints=[one_of("base64")]
        ),
        "expiration": Property(
            str,
            "When the secret ceases to be readable, in ISO 8601 notation. It must be in the future. Left "
            "out, never.",
            constraints=[custom("expiration")],
        ),
        "algorithm": Property(
            str, "What algorithm the key is for, such as aes. Only recorded, for those who use the key."
        ),
        "bit_length": Property(
            int,
            "The length of the key in bits. Only recorded, for those who use the key.",
            constraints=[range_(min=0)],
        ),
        "mode": Property(
            str, "How the algorithm is applied, such as cbc. Only recorded, for those who use the key."
        ),
    }
    attributes = {
        "status": Attribute(str, "ACTIVE when there is content, PENDING when there is none yet."),
        "decrypted_payload": Attribute(
            str, "The content. Whoever may see the stack's outputs may see it there.", secret=True
        ),
        "show": SHOW,
    }
    rules = [FilledRequires("payload_content_type", "payload"), EncodingOfPayload()]
