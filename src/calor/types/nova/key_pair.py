from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calor.clouds.errors import NotFound
from calor.language.constraints import custom, length, one_of
from calor.language.schema import SHOW, Attribute, Property, Resolve, supported
from calor.types.behaviour import CloudServices, Context
from calor.types.cloud_objects import SHOWN, Object, is_new, some
from calor.types.naming import id_for
from calor.types.nova.base import NovaObject

GAVE_WAY = "_gave_way"
"""Where a key pair notes that it was deleted for the sake of its replacement."""


class KeyPair(NovaObject):
    """A key that opens servers to SSH, or a certificate.

    Give public_key to register a key that exists. Otherwise the compute service makes a pair of keys, which
    recent versions of it refuse to do. What refers to the resource gets its name.
    """

    type_name = "OS::Nova::KeyPair"
    support = supported("2014.1")
    adopted_data = ("private_key",)
    entity = "keypairs"
    collection = ("os-keypairs",)
    wrapper = "keypair"
    version = "2.10"
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
            str,
            "The private half if it was made here and save_private_key is set, else empty.",
            live=True,
            secret=True,
        ),
        "show": SHOW,
    }
    translations = [Resolve(("user",), "get_user_id")]

    @classmethod
    async def new(cls, ctx: Context, props: Mapping[str, Any]) -> Object:
        owner = {"user_id": props["user"]} if props.get("user") else {}
        return {**some(props, ("name", "public_key", "type")), **owner}

    @classmethod
    async def finish(cls, ctx: Context, cloud: CloudServices, given: Mapping[str, Any], made: Object) -> None:
        private = made.get("private_key")
        if private and given.get("save_private_key"):
            ctx.note(private_key=private)
        kept = {name: value for name, value in made.items() if name != "private_key"}
        await super().finish(ctx, cloud, given, kept)

    @classmethod
    async def orphan(cls, ctx: Context, cloud: CloudServices, body: Object) -> Object | None:
        """A pair whose private half nobody heard of is of no use: it makes way for another one."""
        found = await cls._named(cloud, str(body["name"]), body.get("user_id"))
        if found is None or not is_new(found, ctx) or await ctx.taken([str(body["name"])]):
            return None
        if body.get("public_key"):
            return found if found.get("public_key") == body["public_key"] else None
        await cls._remove(cloud, str(body["name"]), body.get("user_id"))
        return None

    @classmethod
    def id_of(cls, shown: Object) -> str:
        return str(shown["name"])

    @classmethod
    async def shown(cls, ctx: Context, cloud: CloudServices) -> Object | None:
        return await cls._named(cloud, str(ctx.physical_id), await cls._owner(ctx, cloud))

    @classmethod
    async def look_at(cls, ctx: Context, cloud: CloudServices) -> Object | None:
        """Lists have no ids, and no pairs of others."""
        return await cls.shown(ctx, cloud)

    @classmethod
    async def remove(cls, ctx: Context, cloud: CloudServices) -> None:
        await cls._remove(cloud, str(ctx.physical_id), await cls._owner(ctx, cloud))

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        """What has taken its place under the same name stays."""
        if not ctx.data.get(GAVE_WAY) and await cls._is_mine(ctx):
            await super().delete(ctx)

    @classmethod
    async def _is_mine(cls, ctx: Context) -> bool:
        if ctx.physical_id is None:
            return False
        shown = await cls.shown(ctx, await ctx.cloud())
        known = (ctx.data.get(SHOWN) or {}).get("public_key")
        return shown is not None and known in (None, shown.get("public_key"))

    @classmethod
    async def make_way(cls, ctx: Context) -> None:
        """A user has a name only once."""
        await cls.delete(ctx)
        ctx.note(**{GAVE_WAY: True})

    @classmethod
    async def come_back(cls, ctx: Context) -> None:
        cloud = await ctx.cloud()
        ctx.note(**{GAVE_WAY: False})
        public = (ctx.data.get(SHOWN) or {}).get("public_key")
        if public and not await cls._is_mine(ctx):
            if await cls.shown(ctx, cloud) is not None:
                await cls.remove(ctx, cloud)
            owner = await cls._owner(ctx, cloud)
            body = {**await cls.new(ctx, {**ctx.properties, "user": owner}), "public_key": public}
            await cloud.make("compute", "os-keypairs", body={"keypair": body}, version=cls.version)

    @classmethod
    def attribute(cls, ctx: Context, name: str) -> Any:
        if name == "private_key":
            return ctx.data.get("private_key", "")
        return super().attribute(ctx, name)

    @staticmethod
    async def _owner(ctx: Context, cloud: CloudServices) -> str | None:
        user = ctx.properties.get("user")
        return await id_for(cloud, "keystone.user", user) if user else None

    @classmethod
    async def _named(cls, cloud: CloudServices, name: str, user: str | None) -> Object | None:
        params = {"user_id": user} if user else None
        try:
            answer = await cloud.ask(
                "compute", "GET", "os-keypairs", name, params=params, version=cls.version
            )
        except NotFound:
            return None
        found: Object = answer["keypair"]
        return found

    @classmethod
    async def _remove(cls, cloud: CloudServices, name: str, user: str | None) -> None:
        params = {"user_id": user} if user else None
        await cloud.ask("compute", "DELETE", "os-keypairs", name, params=params, version=cls.version)
