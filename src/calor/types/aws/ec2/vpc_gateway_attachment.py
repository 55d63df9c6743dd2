from __future__ import annotations

from collections.abc import Iterator

from calor.language.schema import Peer, Peers, Property, ResourceType


class VPCGatewayAttachment(ResourceType):
    type_name = "AWS::EC2::VPCGatewayAttachment"
    service = "neutron"
    properties = {
        "VpcId": Property(str, required=True),
        "InternetGatewayId": Property(str),
        "VpnGatewayId": Property(str, implemented=False),
    }

    @classmethod
    def waits_for(cls, me: Peer, peers: Peers) -> Iterator[str]:
        """The gateway is set on the routers of the network, so its route tables come first."""
        for table in peers.having("AWS::EC2::RouteTable", "VpcId", me.value("VpcId")):
            yield table.name
