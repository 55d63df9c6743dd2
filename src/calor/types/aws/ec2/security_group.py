from __future__ import annotations

from typing import Any, ClassVar

from calor.language.schema import Property
from calor.resources.context import Context
from calor.resources.services import CloudServices
from calor.resources.values import JsonMapping, Properties
from calor.types.cloud_objects import Object
from calor.types.naming import id_for
from calor.types.neutron.network_object import NetworkObject
from calor.types.neutron.security.rule_changes import set_rules

RULE = Property(
    dict,
    fields={
        "CidrIp": Property(
            str,
            "The addresses on the other side, such as `10.0.0.0/8`. Only used together with a port; left "
            "out, all are meant.",
        ),
        "FromPort": Property(
            str, "The first port of the range; for ICMP the type. Left out or negative, it means any port."
        ),
        "ToPort": Property(
            str, "The last port of the range; for ICMP the code. Left out or negative, it means any port."
        ),
        "IpProtocol": Property(str, "The protocol: `tcp`, `udp`, `icmp` or a number. `-1` means any."),
        "SourceSecurityGroupId": Property(
            str, "A security group whose members are the other side, instead of CidrIp."
        ),
        "SourceSecurityGroupName": Property(
            str, "The same by name. Only looked at when SourceSecurityGroupId is left out."
        ),
        "SourceSecurityGroupOwnerId": Property(str, implemented=False),
    },
)


class SecurityGroup(NetworkObject):
    """A set of rules about which traffic may reach or leave the servers in it.

    What no rule allows is dropped. OS::Neutron::SecurityGroup knows more kinds of rules.
    """

    type_name = "AWS::EC2::SecurityGroup"
    service: ClassVar[str | None] = None
    collection = ("security-groups",)
    wrapper = "security_group"
    properties = {
        "GroupDescription": Property(str, "A note for people; has no effect.", required=True),
        "VpcId": Property(str, "Has no effect: a group is valid in all networks of the project."),
        "SecurityGroupIngress": Property(
            list,
            "The traffic that is let in. Left out, nothing is.",
            update_allowed=True,
            items=RULE,
        ),
        "SecurityGroupEgress": Property(
            list,
            "The traffic that is let out. Left out, everything is.",
            update_allowed=True,
            items=RULE,
        ),
    }

    @classmethod
    async def new(cls, ctx: Context, props: Properties) -> Object:
        return {"name": ctx.physical_name(), "description": props["GroupDescription"]}

    @classmethod
    async def after_create(cls, ctx: Context, cloud: CloudServices, props: Properties) -> None:
        rules = await _rules(cloud, props)
        if rules:
            await set_rules(cloud, str(ctx.physical_id), (), rules)

    @classmethod
    async def change(cls, ctx: Context, props: Properties, changed: frozenset[str]) -> Object:
        return {}

    @classmethod
    async def after_update(
        cls, ctx: Context, cloud: CloudServices, props: Properties, changed: frozenset[str]
    ) -> None:
        before, after = await _rules(cloud, ctx.properties), await _rules(cloud, props)
        await set_rules(cloud, str(ctx.physical_id), before, after)


async def _rules(cloud: CloudServices, props: Properties) -> list[Object]:
    """The rules as an OS::Neutron::SecurityGroup has them."""
    return [
        await _rule(cloud, direction, rule)
        for direction, name in (("ingress", "SecurityGroupIngress"), ("egress", "SecurityGroupEgress"))
        for rule in props.get(name) or ()
    ]


async def _rule(cloud: CloudServices, direction: str, rule: JsonMapping) -> Object:
    protocol = None if rule.get("IpProtocol") in (None, "", "-1") else str(rule["IpProtocol"])
    group = rule.get("SourceSecurityGroupId") or rule.get("SourceSecurityGroupName")
    return {
        "direction": direction,
        "ethertype": "IPv4",
        "protocol": protocol,
        "port_range_min": _port(rule.get("FromPort")) if protocol else None,
        "port_range_max": _port(rule.get("ToPort")) if protocol else None,
        "remote_mode": "remote_group_id" if group else "remote_ip_prefix",
        "remote_group_id": await id_for(cloud, "neutron.security_group", group) if group else None,
        "remote_ip_prefix": None if group else rule.get("CidrIp"),
    }


def _port(value: Any) -> int | None:
    """A negative number means all ports."""
    return int(value) if value not in (None, "") and int(value) >= 0 else None
