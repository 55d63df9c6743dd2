from collections.abc import Iterator

from calor.language.constraints import custom
from calor.language.schema import Peer, Peers, Property, Replace, Resolve, deprecated, hidden
from calor.types.neutron import waiting
from calor.types.neutron.base import NeutronType


class RouterGateway(NeutronType):
    """Joins a router to an external network.

    Old templates have it. In new ones use external_gateway_info of OS::Neutron::Router, which does the same.
    """

    type_name = "OS::Neutron::RouterGateway"
    support = hidden("5.0.0", deprecated("2014.1"))
    properties = {
        "router_id": Property(
            str, "The id of the router to lead out.", required=True, constraints=[custom("neutron.router")]
        ),
        "network_id": Property(
            str,
            "Use network.",
            constraints=[custom("neutron.network")],
            support=hidden("9.0.0", deprecated("2014.2")),
        ),
        "network": Property(
            str, "The external network, by name or id.", constraints=[custom("neutron.network")]
        ),
    }
    translations = [
        Replace(("network",), source=("network_id",)),
        Resolve(("network",), "find_resourceid_by_name_or_id", "network"),
    ]

    @classmethod
    def waits_for(cls, me: Peer, peers: Peers) -> Iterator[str]:
        """The router's inner side comes first, and a subnet to get the outer address of."""
        yield from waiting.interfaces_of(peers, me.value("router_id"))
        yield from waiting.subnets(peers, me.value("network"))
