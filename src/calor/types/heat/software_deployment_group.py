from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from calor.language.schema import SHOW, Attribute, Property, supported
from calor.language.values import has_secret
from calor.types.base import NestedStackType
from calor.types.behaviour import Context, Stage
from calor.types.heat.common import BATCH
from calor.types.heat.deployments import MANY_SERVERS, NAME, SIGNAL_TRANSPORT
from calor.types.heat.groups import attribute_of, follow, opened, standing, template_of
from calor.types.heat.rolling import Rolling, named_stages

OF_A_MEMBER = {
    "deploy_stdouts": "deploy_stdout",
    "deploy_stderrs": "deploy_stderr",
    "deploy_status_codes": "deploy_status_code",
}
"""Attributes of the group and what they are called with its members."""


class SoftwareDeploymentGroup(NestedStackType):
    """Applies one software configuration to several servers.

    Each server gets an OS::Heat::SoftwareDeployment of its own, with the same inputs. Beside the attributes
    declared here, any attribute of a deployment can be read, outputs of the configuration included: it gives
    a map by the servers' names.
    """

    type_name = "OS::Heat::SoftwareDeploymentGroup"
    support = supported("5.0.0")
    member_type: ClassVar[str] = "OS::Heat::SoftwareDeployment"
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
    carries = {**dict.fromkeys(properties, 0), "servers": 1}
    update_policy = {
        "rolling_update": Property(
            dict,
            "Updates the deployments in batches. Left out, all are updated at once.",
            support=supported("7.0.0"),
            fields=BATCH,
        ),
        "batch_create": Property(
            dict,
            "Creates the deployments in batches. Left out, all are created at once.",
            support=supported("7.0.0"),
            fields=BATCH,
        ),
    }

    @classmethod
    def member_count(cls, given: Mapping[str, Any]) -> int:
        servers = opened(given["servers"])
        return len(servers) if isinstance(servers, dict) else 0

    @classmethod
    def child_template(cls, given: Mapping[str, Any]) -> dict[str, Any] | None:
        """One member stands for all: the others differ from it in the server alone."""
        servers = opened(given["servers"])
        if not isinstance(servers, dict):
            return None
        shared = {name: value for name, value in given.items() if name != "servers"}
        return template_of(
            {
                # The names of hidden servers must not show in the paths of diagnostics.
                "server" if has_secret(given["servers"]) else name: {
                    "type": cls.member_type,
                    "properties": {**shared, "server": server},
                }
                for name, server in list(servers.items())[:1]
            }
        )

    @classmethod
    def stages(cls, ctx: Context, values: Mapping[str, Any]) -> Iterator[Stage]:
        servers = opened(values["servers"])
        shared = {name: value for name, value in values.items() if name != "servers" and value is not None}
        policy = "batch_create" if ctx.action == "CREATE" else "rolling_update"
        return named_stages(
            {member.name: ctx.below[member.name] for member in standing(ctx)},
            lambda name: {"type": cls.member_type, "properties": {**shared, "server": servers[name]}},
            lambda size: list(servers)[:size],
            len(servers),
            Rolling.of(ctx.update_policy.get(policy)),
            ctx.timeout,
        )

    @classmethod
    def stack_template(cls, ctx: Context, values: Mapping[str, Any]) -> dict[str, Any]:
        *_, last = cls.stages(ctx, values)
        return last.template

    @classmethod
    def member_attribute(cls, ctx: Context, name: str, path: Sequence[Any]) -> Any:
        if ctx.child is None:
            return None
        return follow(attribute_of(ctx.child, list(ctx.child.current), [OF_A_MEMBER.get(name, name)]), path)
