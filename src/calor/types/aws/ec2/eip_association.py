from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from calor.language.constraints import custom
from calor.language.schema import Problem, Property, ResourceType
from calor.types.aws.common import EitherOr, maybe_given, surely_given


@dataclass(frozen=True, slots=True)
class SomethingToConnect:
    """An address goes to a server; one named by its allocation may go to a network interface, too."""

    def problems(self, given: Mapping[str, Any]) -> Iterator[Problem]:
        if maybe_given(given.get("InstanceId")):
            return
        if surely_given(given.get("EIP")):
            yield Problem("StackValidationFailed", "EIP needs InstanceId", ("EIP",))
        elif not maybe_given(given.get("NetworkInterfaceId")):
            message = "InstanceId or NetworkInterfaceId must be given"
            yield Problem("PropertyUnspecifiedError", message)


class EIPAssociation(ResourceType):
    """Connects a floating IP address with a server or a port.

    Give the address as EIP or as AllocationId. The address outlives the association.
    """

    type_name = "AWS::EC2::EIPAssociation"
    service = "nova"
    properties = {
        "InstanceId": Property(
            str,
            "The server that gets the address, on its first port. Required with EIP.",
            update_allowed=True,
            constraints=[custom("nova.server")],
        ),
        "EIP": Property(
            str,
            "The address, usually a reference to an AWS::EC2::EIP.",
            update_allowed=True,
            constraints=[custom("ip_addr")],
        ),
        "AllocationId": Property(
            str,
            "The id of the floating IP, usually the attribute AllocationId of an AWS::EC2::EIP.",
            update_allowed=True,
        ),
        "NetworkInterfaceId": Property(
            str,
            "The port that gets the address, with AllocationId only. It goes before InstanceId.",
            update_allowed=True,
        ),
    }
    rules = [EitherOr("EIP", "AllocationId"), SomethingToConnect()]
