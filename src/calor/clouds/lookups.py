"""Looks up objects of a cloud by name or id."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice

from calor.clouds.cache import TtlCache
from calor.clouds.errors import Conflict, Forbidden, NotFound, Permanent, Unauthorized
from calor.clouds.services import Services
from calor.resources.values import JsonMapping, JsonObject

REMEMBERED = 4096
REMEMBERED_SECONDS = 60.0
NAMES_FOR_HINTS = 1000


@dataclass(frozen=True, slots=True)
class Lookup:
    """How to find objects of a kind by name or id."""

    service: str
    path: tuple[str, ...]
    key: str
    """The member of a response that holds the list."""
    what: str
    """The name of the kind in messages."""
    params: Mapping[str, str] | None = None
    by_name: str | None = "name"
    """The query parameter for the name; None if the service cannot filter by name."""
    name: str = "name"
    """The member of an object that holds its name."""
    id: str = "id"
    by_id: bool = True
    """Whether an object can be requested by its id."""
    version: str | None = None
    details: tuple[str, ...] | None = None
    """The path of the list, if it differs from that of the objects."""


def _network(plural: str, what: str, *path: str) -> Lookup:
    return Lookup("network", path or (plural.replace("_", "-"),), plural, what)


def _identity(plural: str, what: str) -> Lookup:
    return Lookup("identity", (plural,), plural, what)


Declared = Callable[[str], Lookup | None]
"""The lookup for a kind that resource types declare."""

LOOKUPS: Mapping[str, Lookup] = {
    "cinder.backup": Lookup("volume", ("backups",), "backups", "backup"),
    "cinder.qos_specs": Lookup("volume", ("qos-specs",), "qos_specs", "QoS specs", by_name=None),
    "cinder.snapshot": Lookup("volume", ("snapshots",), "snapshots", "volume snapshot"),
    "cinder.volume": Lookup("volume", ("volumes",), "volumes", "volume"),
    "cinder.vtype": Lookup(
        "volume", ("types",), "volume_types", "volume type", {"is_public": "None"}, by_name=None
    ),
    "glance.image": Lookup("image", ("images",), "images", "image"),
    "keystone.domain": _identity("domains", "domain"),
    "keystone.group": _identity("groups", "group"),
    "keystone.project": _identity("projects", "project"),
    "keystone.region": Lookup("identity", ("regions",), "regions", "region", by_name=None, name="id"),
    "keystone.role": _identity("roles", "role"),
    "keystone.service": _identity("services", "service"),
    "keystone.user": _identity("users", "user"),
    "neutron.floatingip": Lookup(
        "network",
        ("floatingips",),
        "floatingips",
        "floating IP",
        by_name="floating_ip_address",
        name="floating_ip_address",
    ),
    "neutron.lbaas.listener": _network("listeners", "listener", "lbaas", "listeners"),
    "neutron.lbaas.loadbalancer": _network("loadbalancers", "load balancer", "lbaas", "loadbalancers"),
    "neutron.lbaas.pool": _network("pools", "pool", "lbaas", "pools"),
    "neutron.network": _network("networks", "network"),
    "neutron.port": _network("ports", "port"),
    "neutron.qos_policy": _network("policies", "QoS policy", "qos", "policies"),
    "neutron.router": _network("routers", "router"),
    "neutron.security_group": _network("security_groups", "security group"),
    "neutron.subnet": _network("subnets", "subnet"),
    "nova.flavor": Lookup(
        "compute",
        ("flavors",),
        "flavors",
        "flavor",
        {"is_public": "None"},
        by_name=None,
        details=("flavors", "detail"),
    ),
    "nova.host": Lookup(
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
    "nova.keypair": Lookup("compute", ("os-keypairs",), "keypairs", "key pair", by_name=None, id="name"),
    "nova.server": Lookup("compute", ("servers",), "servers", "server"),
}
"""Kinds that several types use or whose API needs special treatment, by the names of their constraints. For other
kinds, resource types declare the lookup."""


IN_DOMAINS = frozenset({"keystone.group", "keystone.project", "keystone.role", "keystone.user"})
"""Kinds whose names are unique only within a domain, which may follow in braces: ann{staff}."""
_SHAREABLE: Mapping[str, tuple[str, str]] = {
    "neutron.address_scope": ("address_scope", "id"),
    "neutron.network": ("network", "id"),
    "neutron.qos_policy": ("qos_policy", "id"),
    "neutron.security_group": ("security_group", "id"),
    "neutron.subnet": ("network", "network_id"),
    "neutron.subnetpool": ("subnetpool", "id"),
}
"""Kinds that projects can share: the object type in RBAC policies, and the member with the id of the shared object."""
_WITH_DOMAIN = re.compile(r"(?P<name>.+)\{(?P<domain>.+)\}")


def find(services: Services, kind: str, name_or_id: str, lookup: Lookup | None = None) -> JsonObject:
    """The object with the id or, if there is none, with the name. Objects of the caller's project are preferred to
    public ones, and these to those that other projects share, so that sharing an object never makes a name ambiguous.
    Raises NotFound, or Conflict if several objects match."""
    lookup = lookup or LOOKUPS[kind]
    if lookup.by_id and _could_be_id(name_or_id):
        shown = _by_id(services, lookup, name_or_id)
        if shown is not None:
            return shown
    params = dict(lookup.params or {})
    name = name_or_id
    # Avoids quadratic time of the expression for names without a brace at the end.
    ends = kind in IN_DOMAINS and name_or_id.endswith("}")
    if ends and (parts := _WITH_DOMAIN.fullmatch(name_or_id)):
        name = parts["name"]
        params["domain_id"] = str(find(services, "keystone.domain", parts["domain"])["id"])
    if lookup.by_name:
        # Nova treats names as regular expressions.
        params[lookup.by_name] = f"^{re.escape(name)}$" if kind == "nova.server" else name
    listed = services.each(
        lookup.service,
        *(lookup.details or lookup.path),
        key=lookup.key,
        params=params,
        version=lookup.version,
    )
    objects = [_unwrapped(each) for each in listed]
    same_id = [each for each in objects if str(each.get(lookup.id)) == name_or_id]
    found = same_id or [each for each in objects if each.get(lookup.name) == name]
    if len(found) > 1:
        found = _preferred(services, kind, found)
    if not found:
        raise NotFound(f"The {lookup.what} {name_or_id!r} does not exist.", status=404)
    if len(found) > 1:
        raise Conflict(
            f"The name of the {lookup.what} {name_or_id!r} is ambiguous ({len(found)} match): use an id.",
            status=409,
        )
    return found[0]


def names(services: Services, lookup: Lookup) -> list[str]:
    """The names of objects of a kind, at most NAMES_FOR_HINTS."""
    listed = services.each(
        lookup.service,
        *(lookup.details or lookup.path),
        key=lookup.key,
        params=dict(lookup.params or {}),
        version=lookup.version,
    )
    found = (_unwrapped(each).get(lookup.name) for each in islice(listed, NAMES_FOR_HINTS))
    return [str(name) for name in found if name]


def _by_id(services: Services, lookup: Lookup, id: str) -> JsonObject | None:
    try:
        shown = services.show(lookup.service, *lookup.path, id, version=lookup.version)
    except Permanent as error:
        # Some services reject what does not look like an id.
        if error.status == 400:
            return None
        raise
    except Forbidden:
        # The identity service responds so to non-admins if the object does not exist.
        return None
    # Paths like volumes/detail and types/default exist, with another id.
    found = shown is not None and str(shown.get(lookup.id)).casefold() == id.casefold()
    return shown if found else None


def _could_be_id(text: str) -> bool:
    return bool(text) and len(text) <= 255 and "/" not in text


def _preferred(services: Services, kind: str, objects: list[JsonObject]) -> list[JsonObject]:
    own = [each for each in objects if _owner(each) == services.project_id]
    if own:
        return own
    if kind not in _SHAREABLE:
        return [each for each in objects if each.get("visibility") == "public"] or objects
    object_type, id = _SHAREABLE[kind]
    for_all = _shared_with_all(services, object_type)
    return (
        [each for each in objects if str(each.get(id)) in for_all]
        or [each for each in objects if each.get("router:external") is True]
        or objects
    )


def _shared_with_all(services: Services, object_type: str) -> frozenset[str]:
    """The ids of objects shared with all projects. Neutron shows that only to admins, as the service account usually
    is; otherwise the result is empty."""
    params = {"object_type": object_type, "target_tenant": "*"}
    try:
        policies = list(
            services.as_service().each("network", "rbac-policies", key="rbac_policies", params=params)
        )
    except (Forbidden, NotFound, Permanent, Unauthorized):
        return frozenset()
    return frozenset(str(policy.get("object_id")) for policy in policies)


def _owner(found: JsonMapping) -> object:
    """The project of an object, if it shows one; images call it owner."""
    return found.get("project_id") or found.get("tenant_id") or found.get("owner")


def _unwrapped(listed: JsonObject) -> JsonObject:
    """An object of a list: key pairs are wrapped once more."""
    inner = listed.get("keypair")
    return inner if isinstance(inner, dict) else listed


class Lookups:
    """Cached lookups, separate for each user and their roles, as services show admins more than members. Failed lookups
    are not cached."""

    def __init__(self, declared: Declared = LOOKUPS.get) -> None:
        self._declared = declared
        self._known: TtlCache[str] = TtlCache(REMEMBERED_SECONDS, REMEMBERED)
        self._extensions: TtlCache[frozenset[str]] = TtlCache(REMEMBERED_SECONDS, REMEMBERED)
        self._zones: TtlCache[tuple[str, ...]] = TtlCache(REMEMBERED_SECONDS, REMEMBERED)

    def of(self, kind: str) -> Lookup | None:
        """How to find objects of a kind; None if they cannot be looked up."""
        return LOOKUPS.get(kind) or self._declared(kind)

    def id_of(self, services: Services, kind: str, name_or_id: str) -> str:
        lookup = self.of(kind)
        if lookup is None:
            raise Permanent(f"Objects of the kind {kind} cannot be looked up.")
        key = "\0".join((services.rights, services.user_id, kind, name_or_id))
        return self._known.get_or_load(
            key, lambda: str(find(services, kind, name_or_id, lookup).get(lookup.id))
        )

    def extensions(self, services: Services, service: str) -> frozenset[str]:
        """The aliases of a service's extensions. Raises CloudError."""
        key = "\0".join((services.rights, service))
        return self._extensions.get_or_load(
            key,
            lambda: frozenset(
                str(each["alias"]) for each in services.each(service, "extensions", key="extensions")
            ),
        )

    def zones(self, services: Services) -> tuple[str, ...]:
        """The availability zones for servers. Raises CloudError."""

        def load() -> tuple[str, ...]:
            listed = services.each("compute", "os-availability-zone", key="availabilityZoneInfo")
            return tuple(str(zone["zoneName"]) for zone in listed)

        return self._zones.get_or_load(services.rights, load)
