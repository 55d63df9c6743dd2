from collections.abc import Iterator

from calor.language.constraints import custom
from calor.language.schema import Peer, Peers, Property, unsupported
from calor.types.neutron import waiting
from calor.types.neutron.base import NeutronType


class ExtraRoute(NeutronType):
    type_name = "OS::Neutron::ExtraRoute"
    support = unsupported()
    extension = "extraroute"
    properties = {
        "router_id": Property(str, required=True, constraints=[custom("neutron.router")]),
        "destination": Property(str, required=True),
        "nexthop": Property(str, required=True),
    }

    @classmethod
    def waits_for(cls, me: Peer, peers: Peers) -> Iterator[str]:
        """A route's next hop has to be reachable through the router."""
        router = me.value("router_id")
        yield from waiting.interfaces_of(peers, router)
        for gateway in peers.having("OS::Neutron::RouterGateway", "router_id", router):
            yield gateway.name
