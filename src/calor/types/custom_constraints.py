"""The custom constraints of templates and types.

Most check in a service whether something exists; offline, these pass. The others check the
format of a value.
"""

from __future__ import annotations

import ipaddress
import json
import re
import zoneinfo
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from calor.types import catalogue, cron

SERVICE_CONSTRAINTS = frozenset(
    {
        "barbican.container",
        "barbican.secret",
        "blazar.reservation",
        "cinder.backup",
        "cinder.qos_specs",
        "cinder.snapshot",
        "cinder.volume",
        "cinder.vtype",
        "designate.zone",
        "glance.image",
        "ironic.node",
        "ironic.portgroup",
        "keystone.domain",
        "keystone.group",
        "keystone.project",
        "keystone.region",
        "keystone.role",
        "keystone.service",
        "keystone.user",
        "magnum.cluster_template",
        "manila.share_network",
        "manila.share_snapshot",
        "manila.share_type",
        "mistral.workflow",
        "neutron.address_scope",
        "neutron.flow_classifier",
        "neutron.lbaas.listener",
        "neutron.lbaas.loadbalancer",
        "neutron.lbaas.pool",
        "neutron.lbaas.provider",
        "neutron.network",
        "neutron.port",
        "neutron.port_pair",
        "neutron.port_pair_group",
        "neutron.qos_policy",
        "neutron.router",
        "neutron.security_group",
        "neutron.segment",
        "neutron.subnet",
        "neutron.subnetpool",
        "neutron.taas.tap_flow",
        "neutron.taas.tap_service",
        "nova.flavor",
        "nova.host",
        "nova.keypair",
        "nova.server",
        "octavia.availabilityzone",
        "octavia.availabilityzoneprofile",
        "octavia.flavor",
        "octavia.flavorprofile",
        "octavia.l7policy",
        "octavia.listener",
        "octavia.loadbalancer",
        "octavia.pool",
        "trove.flavor",
        "zaqar.queue",
    }
)
"""Heat's constraints that query a service. Others follow from the built-in types that use or declare them."""


def ip_address(value: object) -> str | None:
    """An IPv4 address is written in the one usual way, without leading zeros; an IPv6 address has no zone."""
    return (
        None if isinstance(value, str) and _address(value) is not None else f"{value!r} is not an IP address"
    )


def cidr(value: object) -> str | None:
    """The prefix of an IPv6 network may be a mask. Bits of a host may be set."""
    if isinstance(value, str) and "/" in value and not re.search(r"\s", value):
        address, _, prefix = value.partition("/")
        match _address(address):
            case ipaddress.IPv4Address() if prefix in _IPV4_PREFIXES:
                return None
            case ipaddress.IPv6Address() if _is_ipv6_prefix(prefix):
                return None
    return f"{value!r} is not a network in CIDR notation"


def ip_address_or_cidr(value: object) -> str | None:
    if isinstance(value, str) and (cidr(value) if "/" in value else ip_address(value)) is None:
        return None
    return f"{value!r} is neither an IP address nor a network in CIDR notation"


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    if "%" in text:
        return None
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


_IPV4_PREFIXES = frozenset(str(length) for length in range(33))


def _is_ipv6_prefix(text: str) -> bool:
    try:
        return 0 <= int(text) <= 128
    except ValueError:
        mask = _address(text)
    if not isinstance(mask, ipaddress.IPv6Address):
        return False
    bits = int(mask)
    opposite = bits ^ ((1 << 128) - 1)
    return bits & (bits + 1) == 0 or opposite & (opposite + 1) == 0


_MAC_ADDRESS = re.compile(
    r"""
    [0-9a-f]{1,2} (?: (?::[0-9a-f]{1,2}){5} | (?:-[0-9a-f]{1,2}){5} )
    | [0-9a-f]{1,4} (?: (?::[0-9a-f]{1,4}){2} | (?:-[0-9a-f]{1,4}){2} | (?:\.[0-9a-f]{1,4}){2} )
    | [0-9a-f]{5,6} [:-] [0-9a-f]{5,6}
    | [0-9a-f]{11,12}
    """,
    re.VERBOSE | re.IGNORECASE,
)


def mac_address(value: object) -> str | None:
    """Six bytes, or three or two groups of digits, or all in one."""
    if isinstance(value, str) and _MAC_ADDRESS.fullmatch(value.removesuffix("\n")):
        return None
    return f"{value!r} is not a MAC address"


_LABEL = re.compile(r"[a-z0-9-]{1,63}$")


def dns_name(value: object) -> str | None:
    """Labels of lower-case letters, digits and hyphens. Nothing is a name, too."""
    if not value:
        return None
    if not isinstance(value, str):
        return f"{value!r} is not text"
    name = value.removesuffix(".")
    if len(name) > 255:
        return f"{value!r} is longer than 255 characters"
    labels = name.split(".")
    for label in labels:
        if label.startswith("-") or label.endswith("-") or not _LABEL.match(label):
            return (
                f"{label!r} in {value!r} must be 1 to 63 lower-case letters, digits and hyphens"
                " and neither start nor end with a hyphen"
            )
    if value.endswith(".") and len(labels) > 1 and re.match(r"[0-9]+$", labels[-1]):
        return f"the last part of {value!r} must not be a number"
    return None


def relative_dns_name(value: object) -> str | None:
    """A name without the final dot, short enough for a domain to be added."""
    if value and isinstance(value, str):
        if value.endswith("."):
            return f"{value!r} is a full name: a relative one has no final dot"
        if len(value) > 252:
            return f"{value!r} is longer than 252 characters"
    return dns_name(value)


def dns_domain(value: Any) -> str | None:
    problem = dns_name(value)
    if problem is None and value and not value.endswith("."):
        return f"{value!r} must end with a dot"
    return problem


def cron_expression(value: object) -> str | None:
    if not value:
        return None
    return cron.problem(value) if isinstance(value, str) else f"{value!r} is not a cron expression"


def timezone_name(value: Any) -> str | None:
    if not value:
        return None
    try:
        zoneinfo.ZoneInfo(value)
    except (KeyError, ValueError, TypeError, OSError):
        # On a system without any time zones, this one may be valid.
        return f"{value!r} is not a time zone" if zoneinfo.available_timezones() else None
    return None


_TIME = re.compile(
    r"""
    (?![0-9]{6}$)
    (?P<year>[0-9]{4})
    (?: -? (?P<month> [0-9]{2} | (?<=-)[0-9] )
    (?: -? (?P<day> [0-9]{2} | (?<=-)[0-9] )
    (?: [ T] (?P<hour>[0-9]{2})
        (?: :? (?P<minute>[0-9]{2}) )?
        (?: :? (?P<second>[0-9]{1,2}) (?:[.,][0-9]+)? )?
        (?: Z | (?P<sign>[-+]) (?P<zone_hours>[0-9]{2}) :? (?P<zone_minutes>[0-9]{2})? )?
    )? )? )? $
    """,
    re.VERBOSE,
)


def _time(text: str) -> datetime | None:
    """Reads a time in one of the forms of ISO 8601, in UTC if it names no zone."""
    parts = _TIME.match(text)
    if parts is None:
        return None
    offset = timedelta(hours=int(parts["zone_hours"] or 0), minutes=int(parts["zone_minutes"] or 0))
    try:
        zone = timezone(-offset if parts["sign"] == "-" else offset)
        year, month, day = int(parts["year"]), int(parts["month"] or 1), int(parts["day"] or 1)
        hour, minute, second = (int(parts[name] or 0) for name in ("hour", "minute", "second"))
        return datetime(year, month, day, hour, minute, second, tzinfo=zone)
    except ValueError:
        return None


def iso_8601(value: object) -> str | None:
    if isinstance(value, str) and _time(value) is not None:
        return None
    return f"{value!r} is not a time in ISO 8601 notation"


def expiration(value: object, *, now: datetime | None = None) -> str | None:
    """A time in the future. `now` has a time zone."""
    if not value:
        return None
    time = _time(value.strip()) if isinstance(value, str) else None
    if time is None:
        return f"{value!r} is not a time in ISO 8601 notation"
    return None if time > (now or datetime.now(UTC)) else f"{value} is in the past"


def json_text(value: Any) -> str | None:
    if not value:
        return None
    try:
        json.loads(value)
    except (ValueError, TypeError) as error:
        return f"it is not valid JSON: {error}"
    except RecursionError:
        return "it is nested too deeply"
    return None


def delay(value: object) -> str | None:
    """A number of seconds, for which Heat's validation would wait."""
    if isinstance(value, (int, float)) and value >= 0:
        return None
    return f"{value!r} is not a number of seconds"


FORMATS: Mapping[str, Callable[[object], str | None]] = {
    "cron_expression": cron_expression,
    "dns_domain": dns_domain,
    "dns_name": dns_name,
    "expiration": expiration,
    "ip_addr": ip_address,
    "ip_or_cidr": ip_address_or_cidr,
    "iso_8601": iso_8601,
    "json_string": json_text,
    "mac_addr": mac_address,
    "net_cidr": cidr,
    # Nova no longer has a network service; the name refers to the constraint that only waits.
    "nova.network": delay,
    "rel_dns_name": relative_dns_name,
    "test_constr": delay,
    "timezone": timezone_name,
}


def offline(name: str, value: object) -> str | None:
    """The error in a value, as far as it can be found without a cloud."""
    judge = FORMATS.get(name)
    if judge is not None:
        return judge(value)
    if name in SERVICE_CONSTRAINTS or name in catalogue.constraint_names():
        return None
    return f"there is no constraint {name}"
