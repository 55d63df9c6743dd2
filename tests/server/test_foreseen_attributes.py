"""Which attributes stay while a resource is changed in place: what plans say of it comes true."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from calor.resources.contract import contract_of
from calor.types import catalogue
from tests.server.orchestrator import Orchestrator

Values = dict[str, Any]

NETWORK = {
    "net": {"type": "OS::Neutron::Net"},
    "subnet": {
        "type": "OS::Neutron::Subnet",
        "properties": {"network": {"get_resource": "net"}, "cidr": "10.9.0.0/24"},
    },
}
PORTS = {
    name: {
        "type": "OS::Neutron::Port",
        "properties": {
            "network": {"get_resource": "net"},
            "fixed_ips": [{"subnet": {"get_resource": "subnet"}}],
        },
    }
    for name in ("here", "there")
}
WAY_OUT = {
    "router": {
        "type": "OS::Neutron::Router",
        "properties": {"external_gateway_info": {"network": "public"}},
    },
    "joined": {
        "type": "OS::Neutron::RouterInterface",
        "properties": {"router": {"get_resource": "router"}, "subnet": {"get_resource": "subnet"}},
    },
}


@dataclass(frozen=True)
class Case:
    """A type, what a resource of it is first, and what is changed of it one after the other."""

    type_name: str
    properties: Values
    changes: Values
    peers: Values = field(default_factory=dict)

    def resources(self, properties: Values) -> Values:
        """The resource, and one that reads each of its steady attributes."""
        readers = {
            attribute: {
                "type": "OS::Heat::TestResource",
                "properties": {
                    "value": {
                        "str_replace": {"template": "~", "params": {"~": {"get_attr": ["thing", attribute]}}}
                    }
                },
            }
            for attribute in self.steady
        }
        thing = {"type": self.type_name, "properties": properties}
        return {**self.peers, "thing": thing, **readers}

    @property
    def steady(self) -> dict[str, tuple[str, ...]]:
        return {
            name: tuple(causes)
            for name, causes in contract_of(catalogue.declaration(self.type_name)).stable_attributes.items()
        }


CASES = [
    Case(
        "OS::Neutron::Net",
        {},
        {"name": "inner", "admin_state_up": False, "port_security_enabled": False, "tags": ["a"]},
    ),
    Case(
        "OS::Neutron::Subnet",
        {"network": {"get_resource": "net"}, "cidr": "10.8.0.0/24"},
        {
            "name": "inner",
            "dns_nameservers": ["9.9.9.9"],
            "enable_dhcp": False,
            "allocation_pools": [{"start": "10.8.0.50", "end": "10.8.0.90"}],
            "gateway_ip": "10.8.0.9",
            "host_routes": [{"destination": "10.7.0.0/24", "nexthop": "10.8.0.2"}],
            "tags": ["a"],
        },
        {"net": NETWORK["net"]},
    ),
    Case(
        "OS::Neutron::Port",
        {"network": {"get_resource": "net"}, "fixed_ips": [{"subnet": {"get_resource": "subnet"}}]},
        {
            "name": "inner",
            "admin_state_up": False,
            "allowed_address_pairs": [{"ip_address": "10.9.0.200"}],
            "fixed_ips": [{"subnet": {"get_resource": "subnet"}, "ip_address": "10.9.0.77"}],
            "security_groups": [],
            "tags": ["a"],
        },
        NETWORK,
    ),
    Case(
        "OS::Neutron::Router",
        {},
        {
            "name": "inner",
            "admin_state_up": False,
            "tags": ["a"],
            "external_gateway_info": {"network": "public"},
        },
    ),
    Case(
        "OS::Neutron::FloatingIP",
        {"floating_network": "public"},
        {"port_id": {"get_resource": "here"}},
        {**NETWORK, **PORTS, **WAY_OUT},
    ),
    Case(
        "OS::Nova::Server",
        {"flavor": "m1.tiny", "image": "cirros", "networks": [{"network": "heat-net"}]},
        {
            "name": "inner",
            "metadata": {"a": "b"},
            "tags": ["a"],
            "flavor": "m1.small",
            "image": "cirros-0.3.5",
            "networks": [{"network": "heat-net"}, {"network": {"get_resource": "net"}}],
        },
        NETWORK,
    ),
    Case(
        "OS::Cinder::Volume",
        {"size": 1},
        {"name": "disk", "description": "d", "metadata": {"a": "b"}, "read_only": True, "size": 2},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.type_name)
@pytest.mark.extended
def test_a_plan_shows_what_stays(demo: Orchestrator, case: Case) -> None:
    properties = dict(case.properties)
    path = demo.create(f"of-{case.type_name.rpartition('::')[2]}", case.resources(properties))

    for changed, value in case.changes.items():
        properties[changed] = value
        resources = case.resources(properties)
        planned = plan(demo, path, resources)
        before = readings(demo, path, case)
        demo.update(path, resources)

        assert planned.pop("thing") == "update", changed
        reported = {name: planned[name] for name in case.steady if changed not in case.steady[name]}
        assert reported == dict.fromkeys(reported, "keep"), changed
        after = readings(demo, path, case)
        assert {name: after[name] for name in reported} == {name: before[name] for name in reported}, changed
    demo.delete(path)


def test_every_type_keeps_the_attributes_that_it_declares_stable() -> None:
    declared = {
        name for name in catalogue.names() if contract_of(catalogue.declaration(name)).stable_attributes
    }

    assert declared == {case.type_name for case in CASES}
    for case in CASES:
        known = catalogue.declaration(case.type_name)
        assert known is not None
        assert case.steady.keys() <= known.attributes.keys()
        assert {name for causes in case.steady.values() for name in causes} <= known.properties.keys()


def plan(demo: Orchestrator, path: str, resources: Values) -> dict[str, str]:
    body = {"template": {"heat_template_version": "2018-08-31", "resources": resources}}
    answer = demo.api.put(f"{path}/preview", json=body)
    assert answer.status_code == 200, answer.text
    return {step["path"][0]: step["action"] for step in answer.json()["plan"]}


def readings(demo: Orchestrator, path: str, case: Case) -> dict[str, Any]:
    """What each reader has been given, and when that was last changed."""
    shown = {name: demo.resource(path, name) for name in case.steady}
    return {name: (one["attributes"]["output"], one["updated_time"]) for name, one in shown.items()}
