from collections.abc import Iterator

from calor.language.constraints import custom
from calor.language.schema import Peer, Peers, Property, supported
from calor.types.neutron import waiting
from calor.types.neutron.base import NeutronType
from calor.types.neutron.common import ROUTE


class ExtraRouteSet(NeutronType):
    type_name = "OS::Neutron::ExtraRouteSet"
    support = supported("14.0.0")
    extension = "extraroute-atomic"
    properties = {
        "router": Property(str, required=True, constraints=[custom("neutron.router")]),
        "routes": Property(list, default=[], update_allowed=True, items=ROUTE),
    }

    @classmethod
    def waits_for(cls, me: Peer, peers: Peers) -> Iterator[str]:
        """A route's next hop has to be reachable through the router."""
        return waiting.interfaces_of(peers, me.value("router"))
