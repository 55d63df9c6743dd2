"""The parts of templates, and random choices among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

NET, SUBNET, PORT = "OS::Neutron::Net", "OS::Neutron::Subnet", "OS::Neutron::Port"
ROUTER, INTERFACE = "OS::Neutron::Router", "OS::Neutron::RouterInterface"
FLOATING_IP, SECURITY = "OS::Neutron::FloatingIP", "OS::Neutron::SecurityGroup"
SERVER, KEY, SERVER_GROUP = "OS::Nova::Server", "OS::Nova::KeyPair", "OS::Nova::ServerGroup"
VOLUME, ATTACHMENT = "OS::Cinder::Volume", "OS::Cinder::VolumeAttachment"
MEMBERS, NESTED = "OS::Heat::ResourceGroup", "inner.yaml"

NAMES = ("alike", "same", "web")
"""Few, so that objects of different stacks have the same."""
FLAVORS = ("m1.nano", "m1.micro", "m1.tiny")
"""With disks of the same size: none can become smaller."""
IMAGES = ("cirros", "debian-12")


@dataclass(frozen=True)
class Part:
    """A resource of a template."""

    type: str
    properties: dict[str, Any]
    after: tuple[str, ...] = ()

    def with_(self, **properties: Any) -> Part:
        return replace(self, properties={**self.properties, **properties})

    def needs(self) -> set[str]:
        return {*self.after, *_referred_to(self.properties)}

    def below(self, path: str) -> Part:
        """As it is seen from above: what it refers to is below the same path."""
        return replace(self, properties=_moved(self.properties, path))


Parts = dict[str, Part]


def to(name: str) -> dict[str, str]:
    return {"get_resource": name}


def _referred_to(value: Any) -> Iterator[str]:
    if isinstance(value, dict) and value.keys() == {"get_resource"}:
        yield value["get_resource"]
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _referred_to(one)


def _moved(value: Any, path: str) -> Any:
    if isinstance(value, dict):
        if value.keys() == {"get_resource"}:
            return to(f"{path}/{value['get_resource']}")
        return {name: _moved(one, path) for name, one in value.items()}
    return [_moved(one, path) for one in value] if isinstance(value, list) else value


def inner(name: Any, cidr: Any) -> Parts:
    """The resources of the nested template."""
    return {
        "net": Part(NET, {"name": name}),
        "subnet": Part(SUBNET, {"network": to("net"), "cidr": cidr, "name": name}),
        "port": Part(PORT, {"network": to("net"), "fixed_ips": [{"subnet": to("subnet")}], "name": name}),
        "server": Part(
            SERVER,
            {"flavor": "m1.nano", "image": "cirros", "name": name, "networks": [{"port": to("port")}]},
        ),
        "volume": Part(VOLUME, {"size": 1, "name": name}),
    }


class Chooser:
    """Random choices among the parts of a template."""

    def __init__(self, parts: Parts, before: Parts, random: Random) -> None:
        self.parts = parts
        self.before = before
        """As the stack is at present: what is in use there is not free yet when something new is made."""
        self.random = random

    def of(self, type: str) -> list[str]:
        return [name for name, part in self.parts.items() if part.type == type]

    def one(self, type: str) -> str | None:
        found = self.of(type)
        return self.random.choice(found) if found else None

    def some(self, choices: list[str]) -> str | None:
        return self.random.choice(choices) if choices else None

    def fresh(self, prefix: str) -> str:
        while (name := f"{prefix}{self.random.randrange(100_000)}") in self.parts:
            pass
        return name

    def name(self) -> str:
        return self.random.choice(NAMES)

    def cidr(self) -> str:
        return f"10.{self.random.randrange(1, 250)}.{self.random.randrange(250)}.0/24"

    def users(self, name: str, type: str) -> list[str]:
        """The parts of a type that need a part."""
        return [one for one in self.of(type) if name in self.parts[one].needs()]

    def free(self, type: str, user: str) -> list[str]:
        """The parts of a type that no part of another needs, now or after the change."""
        used = Chooser(self.before, {}, self.random)
        return [name for name in self.of(type) if not self.users(name, user) and not used.users(name, user)]

    def interfaced(self, port: str) -> list[str]:
        """The router interfaces on the subnet of a port."""
        [address] = self.parts[port].properties["fixed_ips"]
        return self.users(address["subnet"]["get_resource"], INTERFACE)
