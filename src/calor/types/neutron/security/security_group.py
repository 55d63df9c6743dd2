from __future__ import annotations

from collections.abc import Iterator

from calor.language.constraints import custom, one_of, range_
from calor.language.schema import Problem, Property, supported
from calor.language.values import bare
from calor.resources.context import Context
from calor.resources.services import CloudServices
from calor.resources.values import Properties
from calor.types.cloud_objects import SHOWN
from calor.types.neutron.network_object import NetworkObject
from calor.types.neutron.security.rule_changes import set_rules
from calor.types.neutron.shared_schema import IP_PROTOCOLS


class NotTheDefault:
    """Each project has a group of that name already."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        if bare(given.get("name")) == "default":
            yield Problem("StackValidationFailed", "name must not be default: each project has that group")


class SecurityGroup(NetworkObject):
    """A set of rules about the traffic that ports may receive and send.

    What no rule allows is dropped, except that answers to allowed traffic pass. A new group lets everything
    out and nothing in; as soon as one rule is about egress, only what such rules allow goes out. Rules to be
    declared apart, for instance of two groups about each other, are OS::Neutron::SecurityGroupRule.
    """

    type_name = "OS::Neutron::SecurityGroup"
    support = supported("2014.1")
    extension = "security-group"
    collection = ("security-groups",)
    wrapper = "security_group"
    apart = frozenset({"rules"})
    properties = {
        "name": Property(
            str,
            "Any but default. Generated from the names of the stack and the resource by default.",
            update_allowed=True,
        ),
        "description": Property(str, "A note for people who read the group's rules.", update_allowed=True),
        "rules": Property(
            list,
            "What is allowed. An update removes rules that are not listed any more.",
            default=[],
            update_allowed=True,
            items=Property(
                dict,
                fields={
                    "direction": Property(
                        str,
                        "Whether it is about traffic to the port (ingress) or from it (egress).",
                        default="ingress",
                        constraints=[one_of("ingress", "egress")],
                    ),
                    "ethertype": Property(
                        str,
                        "The IP version that the rule is about.",
                        default="IPv4",
                        constraints=[one_of("IPv4", "IPv6")],
                    ),
                    "port_range_min": Property(
                        int,
                        "The lowest port allowed, or the type for ICMP. Left out with the other end, all "
                        "ports are.",
                        constraints=[range_(0, 65535)],
                    ),
                    "port_range_max": Property(
                        int, "The highest port allowed, or the code for ICMP.", constraints=[range_(0, 65535)]
                    ),
                    "protocol": Property(
                        str,
                        "The IP protocol allowed, by name or number. By default, all are.",
                        constraints=[IP_PROTOCOLS],
                    ),
                    "remote_mode": Property(
                        str,
                        "Whether the other side is given by its address or by its security group. The "
                        "property for the other kind is ignored.",
                        default="remote_ip_prefix",
                        constraints=[one_of("remote_ip_prefix", "remote_group_id")],
                    ),
                    "remote_group_id": Property(
                        str,
                        "The group whose ports are the other side, with remote_mode remote_group_id. Left "
                        "out, it is this group itself.",
                        constraints=[custom("neutron.security_group")],
                    ),
                    "remote_ip_prefix": Property(
                        str,
                        "The addresses of the other side, in CIDR notation. By default, it is anyone.",
                        constraints=[custom("net_cidr")],
                    ),
                    "description": Property(str, "Why the rule is there.", support=supported("27.0.0")),
                },
            ),
        ),
        "stateful": Property(
            bool,
            "False disables connection tracking, which is faster, but responses then need their own "
            "rules. Default: true. It cannot be changed while ports use the group.",
            update_allowed=True,
            support=supported("27.0.0"),
        ),
    }
    rules = [NotTheDefault()]

    @classmethod
    async def after_create(cls, ctx: Context, cloud: CloudServices, props: Properties) -> None:
        if not props["rules"]:
            return
        shown = ctx.data[SHOWN]
        present = shown.get("security_group_rules")
        rules = await set_rules(cloud, str(ctx.physical_id), (), props["rules"], present)
        ctx.set_data(**{SHOWN: {**shown, "security_group_rules": rules}})

    @classmethod
    async def after_update(
        cls, ctx: Context, cloud: CloudServices, props: Properties, changed: frozenset[str]
    ) -> None:
        if "rules" in changed:
            await set_rules(cloud, str(ctx.physical_id), ctx.properties["rules"], props["rules"])
