"""Filters and sorting of server lists."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from calor.bounded.errors import BadPattern, TookTooLong, TooSlow
from calor.bounded.patterns import Patterns
from calor.localcloud.compute.microversions import Version, version_of
from calor.localcloud.compute.records import Server
from calor.localcloud.compute.requests import flag
from calor.localcloud.compute.service import ComputeService, format_time
from calor.localcloud.compute.statuses import states_of, status_of
from calor.localcloud.compute.views import host_of
from calor.localcloud.lists import TAG_FILTERS, Sorting, sort_items
from calor.localcloud.problems import BadRequest, Forbidden
from calor.localcloud.requests import moment, truth
from calor.localcloud.types import Json
from calor.localcloud.web import Call
from calor.observe import fields

Test = Callable[[Server], bool]

_SORT_KEYS: dict[str, Callable[[Server], object]] = {
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


_SORTING = Sorting(_SORT_KEYS, extend_directions=True)


def find_servers(compute: ComputeService, call: Call) -> Sequence[Server]:
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
    # The project whose evaluation time is used.
    with fields.scope(project=call.caller.project_id):
        for test in _tests(call):
            servers = [server for server in servers if test(server)]
        for name, family in (("ip", 4), ("ip6", 6)):
            if wanted := call.query.get(name):
                servers = _with_address(compute, servers, _pattern(name, wanted), family)
    return _sort_servers(call, servers)


def _everyones(call: Call) -> bool:
    if "all_tenants" not in call.query:
        return False
    written = call.query["all_tenants"]
    asked = True if written == "" else flag(written, "all_tenants")
    if asked and not call.caller.is_admin:
        raise Forbidden("Only administrators can list the servers of all projects.")
    return asked


def _tests(call: Call) -> list[Test]:
    query, version = call.query, version_of(call)
    if truth(query.get("deleted", "false")) and call.caller.is_admin:
        # Deleted servers are not kept.
        return [lambda server: False]
    tests = [_status_test(call.all("status"))] if "status" in query else []
    tests += [make(query[name]) for name, make in _PLAIN.items() if name in query]
    if call.caller.is_admin:
        tests += [make(query[name]) for name, make in _FOR_ADMINS.items() if name in query]
    elif version >= (2, 83):
        tests += [make(query[name]) for name, make in _FOR_ALL_SINCE.items() if name in query]
    if version >= (2, 26):
        tests += [_tag_test(name, query[name]) for name in TAG_FILTERS if name in query]
    tests += _time_tests(call, version)
    if version >= (2, 73) and "locked" in query:
        wanted = flag(query["locked"], "locked")
        tests.append(lambda server: (server.locked_by is not None) == wanted)
    return tests


def _time_tests(call: Call, version: Version) -> Iterable[Test]:
    if "changes-since" in call.query:
        since = format_time(moment(call.query["changes-since"], "changes-since"))
        yield lambda server: server.updated >= since
    if version >= (2, 66) and "changes-before" in call.query:
        before = format_time(moment(call.query["changes-before"], "changes-before"))
        yield lambda server: server.updated <= before


def _status_test(statuses: Sequence[str]) -> Test:
    """An unknown status matches no servers."""
    wanted = {status.upper() for status in statuses if states_of(status)}
    return lambda server: status_of(server) in wanted


def _matching(field: Callable[[Server], str | None]) -> Callable[[str], Test]:
    def make(written: str) -> Test:
        found = _pattern("The filter", written)
        return lambda server: found(field(server) or "")

    return make


def _equal(field: Callable[[Server], object]) -> Callable[[str], Test]:
    return lambda written: lambda server: str(field(server)) == written


def _no_worker(task: Json, seconds: float) -> Json:
    raise TookTooLong("it cannot be matched in linear time")


_PATTERNS = Patterns(_no_worker)
"""Filters are evaluated on the event loop of the whole cloud, which must not wait for a worker process."""


def _pattern(name: str, written: str) -> Callable[[str], bool]:
    """A function that searches a text for a regular expression. Raises BadRequest, as does the function if it is
    slow."""

    def matches(text: str) -> bool:
        try:
            return _PATTERNS.has_match(written, text, "search", re.IGNORECASE)
        except BadPattern:
            raise BadRequest(f"{name} must be a regular expression.") from None
        except TooSlow as error:
            raise BadRequest(f"{name} takes too long: {error}.") from None

    matches("")
    return matches


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


def _tag_test(name: str, written: str) -> Test:
    fits, wanted = TAG_FILTERS[name], set(written.split(","))
    return lambda server: fits(set(server.tags), wanted)


def _with_address(
    compute: ComputeService, servers: list[Server], found: Callable[[str], bool], family: int
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


def _sort_servers(call: Call, servers: list[Server]) -> list[Server]:
    """The newest first by default."""
    keys = _SORTING.keys(call)
    if not keys and call.query.get("sort_dir") == "asc":
        return servers
    return sort_items(servers[::-1], keys, lambda server, name: _SORT_KEYS[name](server))
