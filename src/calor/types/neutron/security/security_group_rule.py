from __future__ import annotations

from collections.abc import Iterator

from calor.language.constraints import custom, one_of, range_
from calor.language.schema import AtMostOne, Problem, Property, Resolve, supported
from calor.resources.values import Properties
from calor.types.cloud_objects import Object
from calor.types.neutron.network_object import NetworkObject
from calor.types.neutron.security.rule_changes import rule_key
from calor.types.neutron.shared_schema import IP_PROTOCOLS


class PortRange:
    """The range must be ascending, except for ICMP, where it is a type and a code."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        low, high, protocol = (given.get(name) for name in ("port_range_min", "port_range_max", "protocol"))
        if not isinstance(protocol, str) or protocol in ("icmp", "icmpv6", "ipv6-icmp"):
            return
        if isinstance(low, int) and isinstance(high, int) and low > high:
            yield Problem("StackValidationFailed", f"port_range_min {low} is above port_range_max {high}")


class SecurityGroupRule(NetworkObject):
    """One rule of a security group, declared separately from the group.

    For a group outside the template, or two groups whose rules name each other; otherwise rules of
    OS::Neutron::SecurityGroup are simpler.
    """

    type_name = "OS::Neutron::SecurityGroupRule"
    support = supported("7.0.0")
    extension = "security-group"
    collection = ("security-group-rules",)
    wrapper = "security_group_rule"
    members = {"security_group": "security_group_id", "remote_group": "remote_group_id"}
    likened = ("security_group_id",)
    properties = {
        "security_group": Property(
            str,
            "The group, by name or id, that the rule is added to.",
            required=True,
            constraints=[custom("neutron.security_group")],
        ),
        "description": Property(str, "Why the rule is there."),
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
            "The lowest port allowed, or the type for ICMP. Left out with the other end, all ports are.",
            constraints=[range_(0, 65535)],
        ),
        "port_range_max": Property(
            int, "The highest port allowed, or the code for ICMP.", constraints=[range_(0, 65535)]
        ),
        "protocol": Property(
            str, "The IP protocol allowed, by name or number.", default="tcp", constraints=[IP_PROTOCOLS]
        ),
        "remote_group": Property(
            str,
            "The group, by name or id, whose ports are the other side. Excludes remote_ip_prefix.",
            constraints=[custom("neutron.security_group")],
        ),
        "remote_ip_prefix": Property(
            str,
            "The addresses of the other side, in CIDR notation. Without it and remote_group, it is anyone.",
            constraints=[custom("net_cidr")],
        ),
    }
    translations = [
        Resolve(("security_group",), "neutron.security_group"),
        Resolve(("remote_group",), "neutron.security_group"),
    ]
    rules = [AtMostOne(("remote_group", "remote_ip_prefix")), PortRange()]

    @classmethod
    def matches(cls, shown: Object, body: Object) -> bool:
        return super().matches(shown, body) and rule_key(shown) == rule_key(body)
