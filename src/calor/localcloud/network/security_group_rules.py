"""Rules of security groups."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import ip_network

from calor.localcloud.network.address_groups import need_address_group
from calor.localcloud.network.kinds import Given
from calor.localcloud.network.records import Records, SecurityGroupRule, by_id
from calor.localcloud.network.resources import Resource, Views, find_by, routes_of
from calor.localcloud.network.rule_requests import KIND, PROTOCOLS, new_rule, rule_details
from calor.localcloud.network.security_groups import DEFAULT, SECURITY_GROUPS, need_group
from calor.localcloud.network.service import NetworkService
from calor.localcloud.network.viewer import Viewer
from calor.localcloud.problems import BadRequest, Conflict
from calor.localcloud.store import Collection

_WITH_PORTS = {"tcp", "udp", "sctp", "dccp", "udplite"}
_WITH_TYPES = {"icmp", "ipv6-icmp", "icmpv6"}
_MOST_RULES = 500
"""The rules of one group. All of them are applied to each of its ports whenever one changes."""
_REMOTES = ("remote_ip_prefix", "remote_group_id", "remote_address_group_id")


def create_rule(networking: NetworkService, viewer: Viewer, given: Given) -> SecurityGroupRule:
    records = networking.records
    group = SECURITY_GROUPS.need_own(viewer, given["security_group_id"], "create_rule_in")
    rule = new_rule(networking, group, **given)
    _check_range(rule)
    _check_remotes(viewer, rule)
    if same := records.rules.first(substance=rule.substance):
        raise Conflict(f"Rule {same.id} of the group is the same.", "SecurityGroupRuleExists")
    if records.rules.count(security_group_id=group.id) >= _MOST_RULES:
        raise Conflict(f"A security group has at most {_MOST_RULES} rules.", "OverQuota")
    records.rules.add(rule)
    networking.save(records.groups, group)
    networking.backend_sync.group(group.id)
    return rule


def update_rule(
    networking: NetworkService, viewer: Viewer, rule: SecurityGroupRule, given: Given
) -> SecurityGroupRule:
    return networking.save(networking.records.rules, rule, **given)


def delete_rule(networking: NetworkService, viewer: Viewer, rule: SecurityGroupRule) -> None:
    records = networking.records
    records.rules.remove(rule.id)
    if group := records.groups.get(rule.security_group_id):
        networking.save(records.groups, group)
    networking.backend_sync.group(rule.security_group_id)


def details(viewer: Viewer, rules: Sequence[SecurityGroupRule]) -> Views:
    groups = by_id(viewer.records.groups, {rule.security_group_id for rule in rules})
    return {rule.id: rule_details(rule, groups[rule.security_group_id].name == DEFAULT) for rule in rules}


def _check_range(rule: SecurityGroupRule) -> None:
    first, last = rule.port_range_min, rule.port_range_max
    if first is None and last is None:
        return
    if rule.protocol is None:
        raise BadRequest("Ports need a protocol.", "SecurityGroupProtocolRequiredWithPorts")
    names = {name for name, number in PROTOCOLS.items() if rule.protocol in (name, str(number))}
    if names & _WITH_TYPES:
        if first is None:
            raise BadRequest("An ICMP code needs an ICMP type.", "SecurityGroupMissingIcmpType")
        if first > 255 or (last or 0) > 255:
            raise BadRequest("ICMP types and codes are from 0 to 255.", "SecurityGroupInvalidIcmpValue")
    elif not names & _WITH_PORTS:
        raise BadRequest(f"{rule.protocol} has no ports.", "SecurityGroupInvalidProtocolForPort")
    elif first is None or last is None or first > last or first == 0:
        raise BadRequest(f"The port range {first}-{last} is not valid.", "SecurityGroupInvalidPortRange")


def _check_remotes(viewer: Viewer, rule: SecurityGroupRule) -> None:
    if sum(getattr(rule, name) is not None for name in _REMOTES) > 1:
        raise BadRequest(
            f"Only one of {', '.join(_REMOTES)} can be given.", "SecurityGroupMultipleRemoteEntites"
        )
    if rule.remote_group_id:
        need_group(viewer, rule.remote_group_id)
    if rule.remote_address_group_id:
        need_address_group(viewer, rule.remote_address_group_id)
    if rule.remote_ip_prefix and f"IPv{ip_network(rule.remote_ip_prefix).version}" != rule.ethertype:
        raise BadRequest(
            f"{rule.remote_ip_prefix} is not of {rule.ethertype}.", "SecurityGroupRuleParameterConflict"
        )
    if rule.protocol in _WITH_TYPES - {"icmp"} and rule.ethertype == "IPv4":
        raise BadRequest(
            f"{rule.protocol} is not of {rule.ethertype}.", "SecurityGroupEthertypeConflictWithProtocol"
        )


def _documents(records: Records) -> Collection[SecurityGroupRule]:
    return records.rules


def _sees(viewer: Viewer, rule: SecurityGroupRule) -> bool:
    if viewer.owns(rule):
        return True
    group = viewer.records.groups.get(rule.security_group_id)
    return group is not None and SECURITY_GROUPS.sees(viewer, group)


SECURITY_GROUP_RULES: Resource[SecurityGroupRule] = Resource(
    KIND,
    "/v2.0/security-group-rules",
    _documents,
    create=create_rule,
    update=update_rule,
    delete=delete_rule,
    details=details,
    sees=_sees,
    lookups={
        field: find_by(_documents, field)
        for field in ("security_group_id", "remote_group_id", "remote_address_group_id")
    },
    prepare=SECURITY_GROUPS.prepare,
    quota="security_group_rule",
)

ROUTES = routes_of(SECURITY_GROUP_RULES)
