"""Things of a cloud by name or id, as templates name them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from calor.clouds.errors import Conflict, Forbidden, NotFound, Permanent
from calor.clouds.memory import Memory
from calor.clouds.services import Services

REMEMBERED = 4096
REMEMBERED_SECONDS = 60.0
NAMES_FOR_HINTS = 1000


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where things of a kind are found."""

    service: str
    path: tuple[str, ...]
    key: str
    """The member of an answer that holds a list."""
    what: str
    """What it is called in messages."""
    params: Mapping[str, str] | None = None
    by_name: str | None = "name"
    """The parameter that asks for a name; None where a list has to be looked through."""
    name: str = "name"
    """The member that holds an object's name."""
    id: str = "id"
    by_id: bool = True
    """Whether one can be asked for by its id."""
    version: str | None = None
    details: tuple[str, ...] | None = None
    """The path of the list, where that is not the one of the things."""


def _network(plural: str, what: str, *path: str) -> Shelf:
    return Shelf("network", path or (plural.replace("_", "-"),), plural, what)


def _identity(plural: str, what: str) -> Shelf:
    return Shelf("identity", (plural,), plural, what)


SHELVES: Mapping[str, Shelf] = {
    "cinder.backup": Shelf("volume", ("backups",), "backups", "backup"),
    "cinder.qos_specs": Shelf("volume", ("qos-specs",), "qos_specs", "QoS specs", by_name=None),
    "cinder.snapshot": Shelf("volume", ("snapshots",), "snapshots", "volume snapshot"),
    "cinder.volume": Shelf("volume", ("volumes",), "volumes", "volume"),
    "cinder.vtype": Shelf(
        "volume", ("types",), "volume_types", "volume type", {"is_public": "None"}, by_name=None
    ),
    "glance.image": Shelf("image", ("images",), "images", "image"),
    "keystone.domain": _identity("domains", "domain"),
    "keystone.group": _identity("groups", "group"),
    "keystone.project": _identity("projects", "project"),
    "keystone.region": Shelf("identity", ("regions",), "regions", "region", by_name=None, name="id"),
    "keystone.role": _identity("roles", "role"),
    "keystone.service": _identity("services", "service"),
    "keystone.user": _identity("users", "user"),
    "neutron.address_scope": _network("address_scopes", "address scope"),
    "neutron.floatingip": Shelf(
        "network",
        ("floatingips",),
        "floatingips",
        "floating IP",
        by_name="floating_ip_address",
        name="floating_ip_address",
    ),
    "neutron.flow_classifier": _network("flow_classifiers", "flow classifier", "sfc", "flow_classifiers"),
    "neutron.lbaas.listener": _network("listeners", "listener", "lbaas", "listeners"),
    "neutron.lbaas.loadbalancer": _network("loadbalancers", "load balancer", "lbaas", "loadbalancers"),
    "neutron.lbaas.pool": _network("pools", "pool", "lbaas", "pools"),
    "neutron.network": _network("networks", "network"),
    "neutron.port": _network("ports", "port"),
    "neutron.port_pair": _network("port_pairs", "port pair", "sfc", "port_pairs"),
    "neutron.port_pair_group": _network("port_pair_groups", "port pair group", "sfc", "port_pair_groups"),
    "neutron.qos_policy": _network("policies", "QoS policy", "qos", "policies"),
    "neutron.router": _network("routers", "router"),
    "neutron.security_group": _network("security_groups", "security group"),
    "neutron.segment": _network("segments", "segment"),
    "neutron.subnet": _network("subnets", "subnet"),
    "neutron.subnetpool": _network("subnetpools", "subnet pool"),
    "neutron.taas.tap_flow": _network("tap_flows", "tap flow", "taas", "tap_flows"),
    "neutron.taas.tap_service": _network("tap_services", "tap service", "taas", "tap_services"),
    "nova.flavor": Shelf(
        "compute",
        ("flavors",),
        "flavors",
        "flavor",
        {"is_public": "None"},
        by_name=None,
        details=("flavors", "detail"),
    ),
    "nova.host": Shelf(
        "compute",
        ("os-services",),
        "services",
        "compute host",
        {"binary": "nova-compute"},
        by_name=None,
        name="host",
        id="host",
        by_id=False,
    ),
    "nova.keypair": Shelf("compute", ("os-keypairs",), "keypairs", "key pair", by_name=None, id="name"),
    "nova.server": Shelf("compute", ("servers",), "servers", "server"),
}


IN_DOMAINS = frozenset({"keystone.group", "keystone.project", "keystone.role", "keystone.user"})
"""Kinds whose names are unique only in a domain, which may follow in braces: ann{staff}."""
_WITH_DOMAIN = re.compile(r"(?P<name>.+)\{(?P<domain>.+)\}")


def find(services: Services, kind: str, name_or_id: str) -> dict[str, Any]:
    """The one thing that has the id or, if none has, the name. Of several, the one of the caller's project is meant:
    nobody can make a name ambiguous by sharing something. Raises NotFound, or Conflict if several are left."""
    shelf = SHELVES[kind]
    if shelf.by_id and _could_be_id(name_or_id):
        shown = _by_id(services, shelf, name_or_id)
        if shown is not None:
            return shown
    params = dict(shelf.params or {})
    name = name_or_id
    # Without the brace at the end, the expression would try each one before it.
    ends = kind in IN_DOMAINS and name_or_id.endswith("}")
    if ends and (parts := _WITH_DOMAIN.fullmatch(name_or_id)):
        name = parts["name"]
        params["domain_id"] = str(find(services, "keystone.domain", parts["domain"])["id"])
    if shelf.by_name:
        # Nova takes names for regular expressions.
        params[shelf.by_name] = f"^{re.escape(name)}$" if kind == "nova.server" else name
    listed = services.each(
        shelf.service, *(shelf.details or shelf.path), key=shelf.key, params=params, version=shelf.version
    )
    things = [_bare(thing) for thing in listed]
    same_id = [thing for thing in things if str(thing.get(shelf.id)) == name_or_id]
    found = same_id or [thing for thing in things if thing.get(shelf.name) == name]
    if len(found) > 1:
        found = [thing for thing in found if _owner(thing) == services.project_id] or found
    if not found:
        raise NotFound(f"There is no {shelf.what} {name_or_id!r}.", status=404)
    if len(found) > 1:
        raise Conflict(
            f"There are {len(found)} of {shelf.what} {name_or_id!r}: give the id of one.", status=409
        )
    return found[0]


def names(services: Services, kind: str) -> list[str]:
    """What things of a kind are called; of very many, some."""
    shelf = SHELVES[kind]
    listed = services.each(
        shelf.service,
        *(shelf.details or shelf.path),
        key=shelf.key,
        params=dict(shelf.params or {}),
        version=shelf.version,
    )
    found = (_bare(thing).get(shelf.name) for thing in islice(listed, NAMES_FOR_HINTS))
    return [str(name) for name in found if name]


def _by_id(services: Services, shelf: Shelf, id: str) -> dict[str, Any] | None:
    try:
        shown = services.show(shelf.service, *shelf.path, id, version=shelf.version)
    except Permanent as error:
        # Some services refuse what does not look like an id of theirs.
        if error.status == 400:
            return None
        raise
    except Forbidden:
        # The identity service says so of what is not there, to those who may list what is theirs.
        return None
    # At volumes/detail or types/default there is something, which has another id.
    found = shown is not None and str(shown.get(shelf.id)).casefold() == id.casefold()
    return shown if found else None


def _could_be_id(text: str) -> bool:
    return bool(text) and len(text) <= 255 and "/" not in text


def _owner(thing: Mapping[str, Any]) -> Any:
    """The project of a thing, as far as it tells; images call it their owner."""
    return thing.get("project_id") or thing.get("tenant_id") or thing.get("owner")


def _bare(thing: dict[str, Any]) -> dict[str, Any]:
    """Key pairs are wrapped once more, each by itself."""
    inner = thing.get("keypair")
    return inner if isinstance(inner, dict) else thing


class Lookups:
    """Ids by names, remembered for a while for each user and their rights: what an admin finds is not told to a member.
    What was not found is asked for again."""

    def __init__(self) -> None:
        self._known: Memory[str] = Memory(REMEMBERED_SECONDS, REMEMBERED)
        self._extensions: Memory[frozenset[str]] = Memory(REMEMBERED_SECONDS, REMEMBERED)
        self._zones: Memory[tuple[str, ...]] = Memory(REMEMBERED_SECONDS, REMEMBERED)

    def id_of(self, services: Services, kind: str, name_or_id: str) -> str:
        key = "\0".join((services.rights, services.user_id, kind, name_or_id))
        return self._known.recall(key, lambda: str(find(services, kind, name_or_id).get(SHELVES[kind].id)))

    def extensions(self, services: Services, service: str) -> frozenset[str]:
        """The aliases of what a service has beyond its core. Raises CloudError."""
        key = "\0".join((services.rights, service))
        return self._extensions.recall(
            key,
            lambda: frozenset(
                str(each["alias"]) for each in services.each(service, "extensions", key="extensions")
            ),
        )

    def zones(self, services: Services) -> tuple[str, ...]:
        """The availability zones for servers. Raises CloudError."""

        def ask() -> tuple[str, ...]:
            listed = services.each("compute", "os-availability-zone", key="availabilityZoneInfo")
            return tuple(str(zone["zoneName"]) for zone in listed)

        return self._zones.recall(services.rights, ask)
