from collections.abc import Iterator

from calor.language.constraints import custom
from calor.language.schema import Peer, Peers, Property
from calor.types.neutron import waiting
from calor.types.neutron.base import NeutronType


class FloatingIPAssociation(NeutronType):
    """Makes a floating IP lead to a port.

    For a floating IP that is not of the template, or that other resources need to know before the port
    exists; otherwise port_id of OS::Neutron::FloatingIP is enough. Deleting it leaves both, apart from each
    other.
    """

    type_name = "OS::Neutron::FloatingIPAssociation"
    properties = {
        "floatingip_id": Property(
            str,
            "The floating IP. A change frees the old one and takes the new one.",
            required=True,
            update_allowed=True,
        ),
        "port_id": Property(
            str,
            "The port that it is to lead to, which needs an address by then.",
            required=True,
            update_allowed=True,
            constraints=[custom("neutron.port")],
        ),
        "fixed_ip_address": Property(
            str,
            "Which of the port's addresses, when there are several.",
            update_allowed=True,
            constraints=[custom("ip_addr")],
        ),
    }

    @classmethod
    def waits_for(cls, me: Peer, peers: Peers) -> Iterator[str]:
        return waiting.way_to_first_address(peers, me.value("port_id"))
