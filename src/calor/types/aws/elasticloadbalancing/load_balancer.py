from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from calor.language.constraints import one_of
from calor.language.schema import SHOW, Attribute, Problem, Property
from calor.resources.contract import ResourceType
from calor.resources.values import Properties


@dataclass(frozen=True, slots=True)
class TimeoutWithinInterval:
    """A health check is over before the next one starts."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        check = given.get("HealthCheck")
        interval, timeout = (
            (check.get("Interval"), check.get("Timeout")) if isinstance(check, dict) else (None, None)
        )
        if isinstance(interval, int) and isinstance(timeout, int) and interval < timeout:
            message = f"Interval ({interval}) is shorter than Timeout ({timeout})"
            yield Problem("StackValidationFailed", message, ("HealthCheck", "Interval"))


class LoadBalancer(ResourceType):
    """A server with HAProxy that spreads HTTP requests over instances.

    It is a nested stack with one small instance, so it is no more available than that. The parameters KeyName,
    LbFlavor, LBTimeout and LbImageId of the template, where there are such, are used for it. Prefer
    OS::Octavia::LoadBalancer in new templates.
    """

    nested_stack = True
    type_name = "AWS::ElasticLoadBalancing::LoadBalancer"
    properties = {
        "AvailabilityZones": Property(
            list, "Must be given, as in CloudFormation, but has no effect.", required=True
        ),
        "HealthCheck": Property(
            dict,
            "The check whether instances can serve requests. By default, all are assumed to.",
            fields={
                "HealthyThreshold": Property(
                    int,
                    "After this many successful checks in a row an instance gets requests.",
                    required=True,
                ),
                "Interval": Property(
                    int, "Seconds from one check to the next; not less than Timeout.", required=True
                ),
                "Target": Property(
                    str, "Has no effect: it is always the instance's port, by HTTP.", required=True
                ),
                "Timeout": Property(int, "Seconds after which a check has failed.", required=True),
                "UnhealthyThreshold": Property(
                    int,
                    "After this many failed checks in a row an instance gets no more requests.",
                    required=True,
                ),
            },
        ),
        "Instances": Property(
            list,
            "Ids of the servers that serve the requests. Leave it out when a scaling group names the "
            "balancer in its LoadBalancerNames.",
            update_allowed=True,
        ),
        "Listeners": Property(
            list,
            "The ports to listen on. Only the first one is used.",
            required=True,
            items=Property(
                dict,
                fields={
                    "InstancePort": Property(int, "The port where the instances listen.", required=True),
                    "LoadBalancerPort": Property(int, "The port that clients connect to.", required=True),
                    "Protocol": Property(
                        str,
                        "Must be given, but has no effect: the balancer always speaks HTTP.",
                        required=True,
                        constraints=[one_of("TCP", "HTTP")],
                    ),
                    "SSLCertificateId": Property(str, implemented=False),
                    "PolicyNames": Property(list, implemented=False),
                },
            ),
        ),
        "AppCookieStickinessPolicy": Property(str, implemented=False),
        "LBCookieStickinessPolicy": Property(str, implemented=False),
        "SecurityGroups": Property(
            list, "Security groups of the balancer's own instance.", update_allowed=True
        ),
        "Subnets": Property(list, implemented=False),
    }
    attributes = {
        "CanonicalHostedZoneName": Attribute(str, "Always empty."),
        "CanonicalHostedZoneNameID": Attribute(str, "Always empty."),
        "DNSName": Attribute(str, "The address of the balancer: an IP address, not a name."),
        "SourceSecurityGroup.GroupName": Attribute(str, "Always empty."),
        "SourceSecurityGroup.OwnerAlias": Attribute(str, "Always empty."),
        "show": SHOW,
    }
    rules = [TimeoutWithinInterval()]
