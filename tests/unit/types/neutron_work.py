"""Resources of the network service as an engine would work on them."""

from __future__ import annotations

from typing import Any

from calor.resources.contract import ResourceType
from calor.testing import FakeCloud, FakeContext, properties_of, run

IDS = {
    ("neutron.network", "public"): "n-public",
    ("neutron.network", "private"): "n-private",
    ("neutron.subnet", "left"): "s-left",
    ("neutron.subnet", "right"): "s-right",
    ("neutron.subnetpool", "pool"): "sp-1",
    ("neutron.segment", "rack"): "seg-1",
    ("neutron.port", "eth0"): "p-0",
    ("neutron.port", "eth1"): "p-1",
    ("neutron.router", "edge"): "r-edge",
    ("neutron.security_group", "default"): "sg-default",
    ("neutron.security_group", "web"): "sg-web",
    ("neutron.qos_policy", "gold"): "q-gold",
    ("neutron.address_scope", "scope"): "as-1",
    ("neutron.floatingip", "203.0.113.9"): "f-9",
    ("neutron.port_pair", "pair"): "pp-1",
    ("neutron.port_pair_group", "group"): "ppg-1",
    ("neutron.flow_classifier", "web"): "fc-1",
    ("neutron.taas.tap_service", "tap"): "ts-1",
    ("keystone.project", "other"): "p-other",
}


def intended(kind: type[ResourceType], cloud: FakeCloud | None = None, **given: Any) -> FakeContext:
    """A resource whose creation has begun."""
    services = cloud or FakeCloud()
    services.ids.update(IDS)
    return FakeContext(kind, properties_of(kind, **given), services=services)


def made(kind: type[ResourceType], cloud: FakeCloud | None = None, **given: Any) -> FakeContext:
    """A resource that has been created."""
    context = intended(kind, cloud, **given)
    work: Any = kind
    run(work.create(context, context.properties))
    return context


def updated(context: FakeContext, **given: Any) -> None:
    """Gives a resource other values of some properties."""
    after = {**context.properties, **given}
    changed = frozenset(name for name in given if given[name] != context.properties[name])
    context.action = "UPDATE"
    work: Any = context.type
    run(work.update(context, after, changed))
    context.properties = after


def deleted(context: FakeContext) -> None:
    context.action = "DELETE"
    work: Any = context.type
    run(work.delete(context))


def found(context: FakeContext) -> bool:
    """Whether what an interrupted creation was to make is there."""
    work: Any = context.type
    there: bool = run(work.find(context))
    return there


def attribute(context: FakeContext, name: str) -> Any:
    work: Any = context.type
    return work.attribute(context, name)
