from __future__ import annotations

from collections.abc import Iterator
from email import message_from_string
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from pathlib import PurePosixPath
from uuid import UUID

from calor.language.constraints import one_of
from calor.language.schema import Property, supported
from calor.resources.context import AttributeContext, Context
from calor.resources.values import JsonMapping, JsonObject
from calor.types.heat.software.config_base import UNGROUPED, ConfigType


class MultipartMime(ConfigType):
    """Several pieces of user data in one: scripts, cloud-config and whatever else cloud-init understands.

    Use it as the user_data of a server when one format does not suffice. A change replaces the resource and,
    by the usual policy, the servers that boot with it.
    """

    type_name = "OS::Heat::MultipartMime"
    support = supported("2014.1")
    adopted_data = ("config",)
    properties = {
        "group": Property(
            str,
            "The group of the stored configuration, by which agents select the hook for it. Unused for user data.",
            default=UNGROUPED,
            support=supported("14.0.0"),
        ),
        "parts": Property(
            list,
            "The pieces, in the order in which cloud-init reads them.",
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
                        "The file name of the part. cloud-init uses it to save the piece and to order scripts.",
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
                        "The second half of the MIME type, by which cloud-init handles the part: "
                        "`x-shellscript`, `cloud-config`, … By default, it is the file name up to its "
                        "extension, or else `plain`, and cloud-init looks at the first line.",
                    ),
                },
            ),
        ),
    }

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        message = MIMEMultipart()
        for part in props["parts"] or ():
            for piece in _pieces(part, await _text(ctx, part["config"])):
                message.attach(piece)
        text = message.as_string()
        ctx.set_data(config=text)
        cls.store(ctx, {"group": props["group"], "config": text})

    @classmethod
    def attribute(cls, ctx: AttributeContext, name: str) -> object:
        return ctx.data.get("config") if name == "config" else None


async def _text(ctx: Context, config: str) -> str:
    """The text of a part, which may be the id of a configuration that holds it."""
    try:
        UUID(config)
    except ValueError:
        return config
    stored = await ctx.config(config)
    return config if stored is None else str(stored["config"])


def _pieces(part: JsonMapping, text: str) -> Iterator[MIMEText]:
    if part["type"] != "multipart":
        yield _piece(text, part["subtype"], part["filename"])
        return
    message = message_from_string(text)
    if message.is_multipart():
        for inner in message.walk():
            if not inner.is_multipart():
                decoded = inner.get_payload(decode=True)
                charset = inner.get_content_charset("utf-8")
                content = decoded.decode(charset, "replace") if isinstance(decoded, bytes) else ""
                yield _piece(content, inner.get_content_subtype(), inner.get_filename())


def _piece(text: str, subtype: str | None, filename: str | None) -> MIMEText:
    kind = subtype or (PurePosixPath(filename).stem if filename else "plain")
    piece = MIMEText(text, kind, "us-ascii" if text.isascii() else "utf-8")
    if filename:
        piece.add_header("Content-Disposition", "attachment", filename=filename)
    return piece
