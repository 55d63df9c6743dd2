from __future__ import annotations

from calor.language.constraints import custom, one_of
from calor.language.schema import SHOW, Attribute, Property
from calor.resources.context import Context
from calor.resources.values import Properties
from calor.types.cloud_objects import Object
from calor.types.neutron.vpn.vpn_base import VPNObject


class IPsecSiteConnection(VPNObject):
    type_name = "OS::Neutron::IPsecSiteConnection"
    extension = "vpnaas"
    collection = ("vpn", "ipsec-site-connections")
    wrapper = "ipsec_site_connection"
    properties = {
        "name": Property(str, update_allowed=True),
        "description": Property(str, update_allowed=True),
        "peer_address": Property(str, required=True),
        "peer_id": Property(str, required=True),
        "peer_cidrs": Property(list, required=True, items=Property(str, constraints=[custom("net_cidr")])),
        "mtu": Property(int, default=1500),
        "dpd": Property(
            dict,
            fields={
                "actions": Property(
                    str,
                    default="hold",
                    constraints=[one_of("clear", "disabled", "hold", "restart", "restart-by-peer")],
                ),
                "interval": Property(int, default=30),
                "timeout": Property(int, default=120),
            },
        ),
        "psk": Property(str, required=True, secret=True),
        "initiator": Property(
            str, default="bi-directional", constraints=[one_of("bi-directional", "response-only")]
        ),
        "admin_state_up": Property(bool, default=True, update_allowed=True),
        "ikepolicy_id": Property(str, required=True),
        "ipsecpolicy_id": Property(str, required=True),
        "vpnservice_id": Property(str, required=True),
    }
    attributes = {
        "admin_state_up": Attribute(str),
        "auth_mode": Attribute(str),
        "description": Attribute(str),
        "dpd": Attribute(dict),
        "ikepolicy_id": Attribute(str),
        "initiator": Attribute(str),
        "ipsecpolicy_id": Attribute(str),
        "mtu": Attribute(str),
        "name": Attribute(str),
        "peer_address": Attribute(str),
        "peer_cidrs": Attribute(list),
        "peer_id": Attribute(str),
        "psk": Attribute(str),
        "route_mode": Attribute(str),
        "status": Attribute(str),
        "tenant_id": Attribute(str),
        "vpnservice_id": Attribute(str),
        "show": SHOW,
    }

    @classmethod
    async def request_body(cls, ctx: Context, props: Properties) -> Object:
        request_body = await super().request_body(ctx, props)
        if props["dpd"]:
            request_body["dpd"] = {
                ("action" if name == "actions" else name): props["dpd"][name] for name in props["dpd"]
            }
        return request_body
