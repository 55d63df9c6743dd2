from __future__ import annotations

from calor.language.constraints import custom, one_of
from calor.language.schema import SHOW, Attribute, Property
from calor.resources.context import Context
from calor.resources.values import Properties
from calor.types.cloud_objects import Object
from calor.types.neutron.network_object import NetworkObject


class FirewallRule(NetworkObject):
    type_name = "OS::Neutron::FirewallRule"
    extension = "fwaas"
    collection = ("fw", "firewall_rules")
    wrapper = "firewall_rule"
    unwatched = frozenset({"protocol"})
    nullable = frozenset({"protocol", "source_port", "destination_port"})
    properties = {
        "name": Property(str, update_allowed=True),
        "description": Property(str, update_allowed=True),
        "shared": Property(bool, default=False, update_allowed=True),
        "protocol": Property(
            str, default="any", update_allowed=True, constraints=[one_of("tcp", "udp", "icmp", "any")]
        ),
        "ip_version": Property(str, default="4", update_allowed=True, constraints=[one_of("4", "6")]),
        "source_ip_address": Property(str, update_allowed=True, constraints=[custom("net_cidr")]),
        "destination_ip_address": Property(str, update_allowed=True, constraints=[custom("net_cidr")]),
        "source_port": Property(str, update_allowed=True),
        "destination_port": Property(str, update_allowed=True),
        "action": Property(str, default="deny", update_allowed=True, constraints=[one_of("allow", "deny")]),
        "enabled": Property(bool, default=True, update_allowed=True),
    }
    attributes = {
        "name": Attribute(str),
        "description": Attribute(str),
        "firewall_policy_id": Attribute(str),
        "shared": Attribute(str),
        "protocol": Attribute(str),
        "ip_version": Attribute(str),
        "source_ip_address": Attribute(str),
        "destination_ip_address": Attribute(str),
        "source_port": Attribute(str),
        "destination_port": Attribute(str),
        "action": Attribute(str),
        "enabled": Attribute(str),
        "position": Attribute(str),
        "tenant_id": Attribute(str),
        "show": SHOW,
    }

    @classmethod
    async def request_body(cls, ctx: Context, props: Properties) -> Object:
        request_body = await super().request_body(ctx, props)
        if props["protocol"] == "any":
            request_body["protocol"] = None
        return request_body
