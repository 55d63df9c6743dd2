from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calor.language.constraints import custom
from calor.language.schema import Property, Resolve, supported
from calor.types.behaviour import CloudServices, Context
from calor.types.keystone.assigning import change_roles
from calor.types.keystone.base import KeystoneType
from calor.types.keystone.common import ROLE_RULES, ROLES


class Group(KeystoneType):
    """A group of users, who share the roles that are granted to it.

    Users join it by their own property groups.
    """

    type_name = "OS::Keystone::Group"
    support = supported("2015.1")
    entity = "groups"
    properties = {
        "name": Property(
            str,
            "What it is called. It must be unique in its domain. Left out, it is made up.",
            update_allowed=True,
        ),
        "domain": Property(
            str,
            "The domain, by name or id, that it belongs to.",
            default="default",
            update_allowed=True,
            constraints=[custom("keystone.domain")],
        ),
        "description": Property(
            str, "A note for people, shown by the identity service.", default="", update_allowed=True
        ),
        "roles": ROLES,
    }
    translations = [Resolve(("domain",), "get_domain_id")]
    rules = ROLE_RULES
    collection = ("groups",)
    wrapper = "group"
    members = {"name": "name", "domain": "domain_id", "description": "description"}
    listed_by = ("name", "domain_id")

    @classmethod
    async def furnish(cls, ctx: Context, cloud: CloudServices, props: Mapping[str, Any]) -> None:
        await change_roles(cloud, "groups", str(ctx.physical_id), (), props["roles"])

    @classmethod
    async def adjust(
        cls, ctx: Context, cloud: CloudServices, props: Mapping[str, Any], changed: frozenset[str]
    ) -> None:
        if "roles" in changed:
            before = ctx.properties["roles"]
            await change_roles(cloud, "groups", str(ctx.physical_id), before, props["roles"])
