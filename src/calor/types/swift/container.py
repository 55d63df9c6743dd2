from __future__ import annotations

from typing import Any
from urllib.parse import quote, urlsplit

from calor.clouds.errors import Conflict
from calor.language.schema import SHOW, Attribute, Property, supported
from calor.types.behaviour import Context, ResourceFailed
from calor.types.cloud_objects import SHOWN
from calor.types.swift.base import ContainerType
from calor.types.swift.objects import meta_headers, remove_container

LONGEST_NAME = 256


class Container(ContainerType):
    """Holds objects in the object store.

    What refers to the resource gets the container's name. A container that is not empty cannot be deleted
    unless PurgeOnDelete is set.
    """

    type_name = "OS::Swift::Container"
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
    volatile = True

    @classmethod
    async def create(cls, ctx: Context, props: dict[str, Any]) -> None:
        """One that is there already is taken as it is, so this may be done again."""
        cloud = await ctx.cloud()
        name = props["name"] or ctx.physical_name(LONGEST_NAME)
        access = ("X-Container-Read", "X-Container-Write")
        headers = {header: props[header] for header in access if props[header] is not None}
        await cloud.send(
            "object", "PUT", name, headers={**headers, **meta_headers("Container", props["X-Container-Meta"])}
        )
        ctx.made(name)
        if props["X-Account-Meta"]:
            await cloud.send("object", "POST", headers=meta_headers("Account", props["X-Account-Meta"]))
        await cls.observe(ctx)

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        if ctx.physical_id is None:
            return
        purge = bool(ctx.properties["PurgeOnDelete"])
        try:
            await remove_container(ctx, await ctx.cloud(), ctx.physical_id, purge=purge)
        except Conflict as error:
            message = f"the container {ctx.physical_id} is not empty, and PurgeOnDelete is not set"
            raise (error if purge else ResourceFailed(message, "NotSupported")) from None

    @classmethod
    def attribute(cls, ctx: Context, name: str) -> Any:
        shown = ctx.data.get(SHOWN)
        if shown is None:
            return None
        account, headers = shown["account"], shown["headers"]
        match name:
            case "DomainName":
                return urlsplit(account).hostname
            case "WebsiteURL":
                return f"{account}/{quote(str(ctx.physical_id))}"
            case "RootURL":
                return account
            case "ObjectCount":
                return int(headers.get("x-container-object-count", 0))
            case "BytesUsed":
                return int(headers.get("x-container-bytes-used", 0))
            case "HeadContainer" | "show":
                return headers
        return None
