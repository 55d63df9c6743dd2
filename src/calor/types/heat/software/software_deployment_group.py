from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from calor.language.schema import SHOW, Attribute, Property, supported
from calor.language.values import has_secret
from calor.resources.context import GroupContext, NestedStackView
from calor.resources.contract import ResourceType
from calor.resources.outcomes import Stage
from calor.resources.values import JsonObject, Properties
from calor.types.heat.common import BATCH
from calor.types.heat.groups.member_templates import (
    attribute_of,
    current_members,
    follow,
    template_of,
    unwrap_map,
)
from calor.types.heat.groups.rolling_updates import Rolling, named_stages
from calor.types.heat.software.deployment_base import MANY_SERVERS, NAME, SIGNAL_TRANSPORT

OF_A_MEMBER = {
    "deploy_stdouts": "deploy_stdout",
    "deploy_stderrs": "deploy_stderr",
    "deploy_status_codes": "deploy_status_code",
}
"""Attributes of the group and what they are called with its members."""


class SoftwareDeploymentGroup(ResourceType):
    """Applies one software configuration to several servers.

    Each server gets an OS::Heat::SoftwareDeployment with the same inputs. Beside the attributes declared here,
    any attribute of a deployment can be read, outputs of the configuration included: it gives a map by the
    servers' names.
    """

    nested_stack = True
    type_name = "OS::Heat::SoftwareDeploymentGroup"
    support = supported("5.0.0")
    _member_type: ClassVar[str] = "OS::Heat::SoftwareDeployment"
    properties = {
        **MANY_SERVERS,
        "name": NAME,
        "signal_transport": SIGNAL_TRANSPORT,
    }
    attributes = {
        "deploy_stdouts": Attribute(dict, "What each server wrote to standard output, by the server's name."),
        "deploy_stderrs": Attribute(dict, "What each server wrote to standard error, by the server's name."),
        "deploy_status_codes": Attribute(
            dict, "The exit code that each server reported, by the server's name; 0 is success."
        ),
        "show": SHOW,
    }
    member_properties = {**dict.fromkeys(properties, 0), "servers": 1}
    update_policy = {
        "rolling_update": Property(
            dict,
            "Updates the deployments in batches. By default, all are updated at once.",
            support=supported("7.0.0"),
            fields=BATCH,
        ),
        "batch_create": Property(
            dict,
            "Creates the deployments in batches. By default, all are created at once.",
            support=supported("7.0.0"),
            fields=BATCH,
        ),
    }

    @classmethod
    def member_count(cls, given: Properties) -> int:
        servers = unwrap_map(given["servers"])
        return len(servers) if isinstance(servers, dict) else 0

    @classmethod
    def child_template(cls, given: Properties) -> JsonObject | None:
        """One member represents all: the others differ only in the server."""
        servers = unwrap_map(given["servers"])
        if not isinstance(servers, dict):
            return None
        shared = {name: value for name, value in given.items() if name != "servers"}
        return template_of(
            {
                # The names of hidden servers must not show in the paths of diagnostics.
                "server" if has_secret(given["servers"]) else name: {
                    "type": cls._member_type,
                    "properties": {**shared, "server": server},
                }
                for name, server in list(servers.items())[:1]
            }
        )

    @classmethod
    def member_place(cls, path: tuple[str | int, ...]) -> tuple[str | int, ...]:
        return ("servers",) if path[:2] == ("properties", "server") else path[1:]

    @classmethod
    def stages(cls, ctx: GroupContext, values: Properties) -> Iterator[Stage]:
        servers = unwrap_map(values["servers"])
        shared = {name: value for name, value in values.items() if name != "servers" and value is not None}
        policy = "batch_create" if ctx.action == "CREATE" else "rolling_update"
        return named_stages(
            {member.name: ctx.nested_definitions[member.name] for member in current_members(ctx)},
            lambda name: {"type": cls._member_type, "properties": {**shared, "server": servers[name]}},
            lambda size: list(servers)[:size],
            len(servers),
            Rolling.of(ctx.update_policy.get(policy)),
            ctx.timeout,
        )

    @classmethod
    def stack_template(cls, ctx: GroupContext, values: Properties) -> JsonObject:
        *_, last = cls.stages(ctx, values)
        return last.template

    @classmethod
    def member_attribute(cls, ctx: NestedStackView, name: str, path: Sequence[Any]) -> Any:
        if ctx.nested is None:
            return None
        return follow(attribute_of(ctx.nested, list(ctx.nested.current), [OF_A_MEMBER.get(name, name)]), path)
