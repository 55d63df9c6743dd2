"""Which servers a list shows, and in what order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from calor.bounded.errors import BadPattern, TookTooLong, TooSlow
from calor.bounded.patterns import Patterns
from calor.localcloud.compute.forms import flag
from calor.localcloud.compute.microversions import Version, version_of
from calor.localcloud.compute.records import Server
from calor.localcloud.compute.state import Compute, stamped
from calor.localcloud.compute.statuses import states_of, status_of
from calor.localcloud.compute.views import host_of
from calor.localcloud.problems import BadRequest, Forbidden
from calor.localcloud.reading import moment, one_of, truth
from calor.localcloud.web import Call
from calor.observe import fields

Test = Callable[[Server], bool]

_SORT_KEYS: dict[str, Callable[[Server], Any]] = {
    "created_at": lambda server: server.created,
    "updated_at": lambda server: server.updated,
    "launched_at": lambda server: server.launched or "",
    "display_name": lambda server: server.name,
    "display_description": lambda server: server.description or "",
    "uuid": lambda server: server.id,
    "vm_state": lambda server: server.vm_state,
    "task_state": lambda server: server.task_state or "",
    "power_state": lambda server: server.power_state,
    "project_id": lambda server: server.project_id,
    "user_id": lambda server: server.user_id,
    "host": lambda server: host_of(server) or "",
    "image_ref": lambda server: server.image_id,
    "instance_type_id": lambda server: server.flavor["id"],
    "key_name": lambda server: server.key_name or "",
    "availability_zone": lambda server: server.zone,
    "config_drive": lambda server: server.config_drive,
    "hostname": lambda server: server.host_name,
    "launch_index": lambda server: server.launch_index,
    "locked": lambda server: server.locked_by is not None,
    "root_device_name": lambda server: "",
    "auto_disk_config": lambda server: server.disk_config,
    "progress": lambda server: 0,
}


def found_servers(compute: Compute, call: Call) -> Sequence[Server]:
    everyones = _everyones(call)
    if everyones:
        projects = [
            call.query[name]
            for name in ("project_id", "tenant_id")
            if call.query.get(name) and call.caller.is_admin
        ]
        servers = compute.records.servers.find(**({"project_id": projects[0]} if projects else {}))
    else:
        servers = compute.records.servers.find(project_id=call.caller.project_id)
    # Whose time expressions take.
    with fields.about(project=call.caller.project_id):
        for test in _tests(call):
            servers = [server for server in servers if test(server)]
        for name, family in (("ip", 4), ("ip6", 6)):
            if wanted := call.query.get(name):
                servers = _with_address(compute, servers, _pattern(name, wanted), family)
    return _sorted(call, servers)


def _everyones(call: Call) -> bool:
    if "all_tenants" not in call.query:
        return False
    written = call.query["all_tenants"]
    asked = True if written == "" else flag(written, "all_tenants")
    if asked and not call.caller.is_admin:
        raise Forbidden("Only an administrator may list the servers of all projects.")
    return asked


def _tests(call: Call) -> list[Test]:
    query, version = call.query, version_of(call)
    if truth(query.get("deleted", "false")) and call.caller.is_admin:
        # What is deleted is not kept here.
        return [lambda server: False]
    tests = [_status_test(call.all("status"))] if "status" in query else []
    tests += [make(query[name]) for name, make in _PLAIN.items() if name in query]
    if call.caller.is_admin:
        tests += [make(query[name]) for name, make in _FOR_ADMINS.items() if name in query]
    elif version >= (2, 83):
        tests += [make(query[name]) for name, make in _FOR_ALL_SINCE.items() if name in query]
    if version >= (2, 26):
        tests += [make(set(query[name].split(","))) for name, make in _TAGS.items() if name in query]
    tests += _time_tests(call, version)
    if version >= (2, 73) and "locked" in query:
        wanted = flag(query["locked"], "locked")
        tests.append(lambda server: (server.locked_by is not None) == wanted)
    return tests


def _time_tests(call: Call, version: Version) -> Iterable[Test]:
    if "changes-since" in call.query:
        since = stamped(moment(call.query["changes-since"], "changes-since"))
        yield lambda server: server.updated >= since
    if version >= (2, 66) and "changes-before" in call.query:
        before = stamped(moment(call.query["changes-before"], "changes-before"))
        yield lambda server: server.updated <= before


def _status_test(statuses: Sequence[str]) -> Test:
    """A status that does not exist is one that no server has."""
    wanted = {status.upper() for status in statuses if states_of(status)}
    return lambda server: status_of(server) in wanted


def _matching(field: Callable[[Server], str | None]) -> Callable[[str], Test]:
    def make(written: str) -> Test:
        found = _pattern("The filter", written)
        return lambda server: found(field(server) or "")

    return make


def _equal(field: Callable[[Server], Any]) -> Callable[[str], Test]:
    return lambda written: lambda server: str(field(server)) == written


def _no_worker(task: dict[str, Any], seconds: float) -> dict[str, Any]:
    raise TookTooLong("it needs more than linear time")


_PATTERNS = Patterns(_no_worker)
"""Filters are evaluated on the event loop of the whole cloud, which must not wait for a worker process."""


def _pattern(name: str, written: str) -> Callable[[str], bool]:
    """What tells whether a text has a match. Raises BadRequest, as does what is returned when that takes too long."""

    def found(text: str) -> bool:
        try:
            return _PATTERNS.found(written, text, "search", re.IGNORECASE)
        except BadPattern:
            raise BadRequest(f"{name} must be a regular expression.") from None
        except TooSlow as error:
            raise BadRequest(f"{name} takes too long: {error}.") from None

    found("")
    return found


_PLAIN: dict[str, Callable[[str], Test]] = {
    "name": _matching(lambda server: server.name),
    "image": _equal(lambda server: server.image_id),
    "flavor": _equal(lambda server: server.flavor["id"]),
    "reservation_id": _equal(lambda server: server.reservation),
    "uuid": _equal(lambda server: server.id),
}
_FOR_ALL_SINCE: dict[str, Callable[[str], Test]] = {
    "availability_zone": _equal(lambda server: server.zone),
    "config_drive": lambda written: lambda server: server.config_drive == flag(written, "config_drive"),
    "key_name": _equal(lambda server: server.key_name),
    "created_at": _equal(lambda server: server.created),
    "launched_at": _equal(lambda server: server.launched),
    "task_state": _equal(lambda server: server.task_state),
    "vm_state": _equal(lambda server: server.vm_state),
    "power_state": _equal(lambda server: server.power_state),
    "user_id": _equal(lambda server: server.user_id),
}
_FOR_ADMINS: dict[str, Callable[[str], Test]] = {
    **_FOR_ALL_SINCE,
    "host": _equal(lambda server: host_of(server)),
    "node": _equal(lambda server: host_of(server)),
    "hostname": _equal(lambda server: server.host_name),
    "description": _matching(lambda server: server.description),
    "launch_index": _equal(lambda server: server.launch_index),
    "access_ip_v4": _equal(lambda server: server.access_v4),
    "access_ip_v6": _equal(lambda server: server.access_v6),
}
_TAGS: dict[str, Callable[[set[str]], Test]] = {
    "tags": lambda wanted: lambda server: wanted.issubset(server.tags),
    "tags-any": lambda wanted: lambda server: bool(wanted.intersection(server.tags)),
    "not-tags": lambda wanted: lambda server: not wanted.issubset(server.tags),
    "not-tags-any": lambda wanted: lambda server: not wanted.intersection(server.tags),
}


def _with_address(
    compute: Compute, servers: list[Server], found: Callable[[str], bool], family: int
) -> list[Server]:
    """Those that have a fixed address which matches."""
    ports = compute.networks.ports_of_all([server.id for server in servers])
    colon = family == 6
    return [
        server
        for server in servers
        if any(
            (":" in fixed.address) == colon and found(fixed.address)
            for port in ports.get(server.id, ())
            for fixed in port.addresses
        )
    ]


def _sorted(call: Call, servers: list[Server]) -> list[Server]:
    """The newest first, unless the request says otherwise."""
    servers.reverse()
    directions = call.all("sort_dir")
    keys = call.all("sort_key")
    for place, key in reversed(list(enumerate(keys))):
        read = _SORT_KEYS[one_of(*_SORT_KEYS)(key, "sort_key")]
        direction = directions[place] if place < len(directions) else "desc"
        servers.sort(key=read, reverse=one_of("asc", "desc")(direction, "sort_dir") == "desc")
    if not keys and directions and directions[0] == "asc":
        servers.reverse()
    return servers
