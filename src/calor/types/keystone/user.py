from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from calor.clouds.errors import NotFound
from calor.language.constraints import custom
from calor.language.schema import SHOW, Attribute, Property, Resolve, supported
from calor.types.behaviour import CloudServices, Context
from calor.types.keystone.assigning import change_roles
from calor.types.keystone.base import KeystoneType
from calor.types.keystone.common import ROLE_RULES, ROLES


class User(KeystoneType):
    """Somebody, or some program, that logs in to the cloud.

    What the user may do depends on roles, its own and those of its groups. Only administrators may create
    one.
    """

    type_name = "OS::Keystone::User"
    support = supported("2015.1")
    entity = "users"
    properties = {
        "name": Property(
            str,
            "The name to log in with. It must be unique in its domain. Left out, it is made up.",
            update_allowed=True,
        ),
        "domain": Property(
            str,
            "The domain, by name or id, that the user belongs to.",
            default="default",
            update_allowed=True,
            constraints=[custom("keystone.domain")],
        ),
        "description": Property(
            str, "A note for people, shown by the identity service.", default="", update_allowed=True
        ),
        "enabled": Property(bool, "False keeps the user from logging in.", default=True, update_allowed=True),
        "email": Property(str, "The user's address. It is recorded only.", update_allowed=True),
        "password": Property(
            str,
            "What to log in with. Without one, the user cannot log in by password.",
            update_allowed=True,
            secret=True,
        ),
        "default_project": Property(
            str,
            "The project, by name or id, to work in when the login names none. It grants no role there.",
            update_allowed=True,
            constraints=[custom("keystone.project")],
        ),
        "groups": Property(
            list,
            "The groups, by name or id, that the user is in.",
            update_allowed=True,
            items=Property(str, constraints=[custom("keystone.group")]),
        ),
        "roles": ROLES,
    }
    attributes = {
        "name": Attribute(
            str, "The name to log in with, also where it was made up.", support=supported("9.0.0")
        ),
        "default_project_id": Attribute(
            str, "The project to work in when the login names none.", support=supported("9.0.0")
        ),
        "domain_id": Attribute(str, "The domain that the user belongs to.", support=supported("9.0.0")),
        "enabled": Attribute(bool, "Whether the user can log in.", support=supported("9.0.0")),
        "password_expires_at": Attribute(
            str, "When the password must have been changed, or empty.", support=supported("9.0.0")
        ),
        "show": SHOW,
    }
    translations = [
        Resolve(("domain",), "get_domain_id"),
        Resolve(("default_project",), "get_project_id"),
        Resolve(("groups",), "get_group_id"),
    ]
    rules = ROLE_RULES
    collection = ("users",)
    wrapper = "user"
    members = {
        "name": "name",
        "domain": "domain_id",
        "description": "description",
        "enabled": "enabled",
        "email": "email",
        "password": "password",
        "default_project": "default_project_id",
    }
    nullable = frozenset({"description", "email", "password", "default_project"})
    listed_by = ("name", "domain_id")

    @classmethod
    async def furnish(cls, ctx: Context, cloud: CloudServices, props: Mapping[str, Any]) -> None:
        await _join(ctx, cloud, props["groups"])
        await change_roles(cloud, "users", str(ctx.physical_id), (), props["roles"])

    @classmethod
    async def adjust(
        cls, ctx: Context, cloud: CloudServices, props: Mapping[str, Any], changed: frozenset[str]
    ) -> None:
        if "groups" in changed:
            await _leave(ctx, cloud, ctx.properties["groups"], but=props["groups"] or ())
            await _join(ctx, cloud, props["groups"])
        if "roles" in changed:
            before = ctx.properties["roles"]
            await change_roles(cloud, "users", str(ctx.physical_id), before, props["roles"])


async def _join(ctx: Context, cloud: CloudServices, groups: Any) -> None:
    for group in groups or ():
        await cloud.ask("identity", "PUT", "groups", group, "users", str(ctx.physical_id))


async def _leave(ctx: Context, cloud: CloudServices, groups: Any, but: Any) -> None:
    for named in groups or ():
        with suppress(NotFound):
            group = await cloud.id_of("keystone.group", named)
            if group not in but:
                await cloud.ask("identity", "DELETE", "groups", group, "users", str(ctx.physical_id))
