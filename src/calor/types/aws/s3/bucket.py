from __future__ import annotations

from urllib.parse import quote, urlsplit

from calor.clouds.errors import Conflict
from calor.language.constraints import one_of
from calor.language.schema import SHOW, Attribute, Property
from calor.resources.context import AttributeContext, Context
from calor.resources.outcomes import ResourceFailed
from calor.resources.values import JsonObject, Properties
from calor.types.aws.common import KEY_VALUE
from calor.types.cloud_objects import SHOWN
from calor.types.swift.container_base import ContainerType
from calor.types.swift.object_store import look, meta_headers, remove_container


class Bucket(ContainerType):
    """A container for objects in Swift.

    Its name is generated; a reference returns it. It can be deleted only when it is empty.
    """

    type_name = "AWS::S3::Bucket"
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
                    str,
                    "The end of the names of error pages; they start with the status code: 404error.html.",
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

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        cloud = await ctx.cloud()
        name = ctx.physical_name(64).lower()
        await cloud.send("object", "PUT", name, headers=_headers(props, await cloud.project_id()))
        ctx.set_physical_id(name)
        ctx.set_data(**{SHOWN: await look(cloud, name)})

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        if ctx.physical_id is None:
            return
        try:
            await remove_container(ctx, await ctx.cloud(), ctx.physical_id, purge=False)
        except Conflict:
            raise ResourceFailed(f"the bucket {ctx.physical_id} is not empty", "NotSupported") from None

    @classmethod
    def attribute(cls, ctx: AttributeContext, name: str) -> object:
        shown = ctx.data.get(SHOWN)
        if shown is None:
            return None
        match name:
            case "DomainName":
                return urlsplit(shown["account"]).hostname
            case "WebsiteURL":
                return f"{shown['account']}/{quote(str(ctx.physical_id))}"
            case "show":
                return shown["headers"]
        return None


def _headers(props: Properties, project: str) -> dict[str, str]:
    everyone, members = ".r:*", f"{project}:*"
    access = {
        "PublicRead": {"X-Container-Read": everyone},
        "PublicReadWrite": {"X-Container-Read": everyone, "X-Container-Write": everyone},
        "AuthenticatedRead": {"X-Container-Read": members},
    }.get(props.get("AccessControl") or "", {})
    site = props.get("WebsiteConfiguration") or {}
    pages = {"Web-Index": site.get("IndexDocument"), "Web-Error": site.get("ErrorDocument")}
    tags = {f"S3-Tag-{tag['Key']}": tag["Value"] for tag in props.get("Tags") or ()}
    given = {name: value for name, value in {**pages, **tags}.items() if value is not None}
    return {**access, **meta_headers("Container", given)}
