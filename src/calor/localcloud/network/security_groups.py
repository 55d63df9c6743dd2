"""Security groups."""

from __future__ import annotations

from collections.abc import Sequence

from calor.localcloud.network import requests
from calor.localcloud.network.kinds import DESCRIPTION, NAME, Attribute, Given, Kind, shown
from calor.localcloud.network.records import SHARED, SecurityGroup
from calor.localcloud.network.resources import Resource, Views, routes_of
from calor.localcloud.network.rule_requests import new_rule, show_rule
from calor.localcloud.network.service import NetworkService
from calor.localcloud.network.sharing import forget_sharing, sees_shared, shared_with
from calor.localcloud.network.viewer import Viewer
from calor.localcloud.problems import Conflict
from calor.localcloud.types import Json

DEFAULT = "default"
_FAMILIES = ("IPv4", "IPv6")

KIND = Kind(
    "security_group",
    "security_groups",
    "SecurityGroup",
    (
        NAME,
        DESCRIPTION,
        Attribute("stateful", requests.flag),
        *shown("security_group_rules", "shared"),
    ),
)


def ensure_default(networking: NetworkService, project_id: str) -> SecurityGroup:
    """Returns the default security group of a project, and creates it if needed."""
    found = networking.records.groups.first(project_id=project_id, name=DEFAULT)
    if found:
        return found
    group = _add_group(
        networking, {"project_id": project_id, "name": DEFAULT, "description": "Default security group"}
    )
    for family in _FAMILIES:
        rule = new_rule(networking, group, direction="ingress", ethertype=family, remote_group_id=group.id)
        networking.records.rules.add(rule)
    return group


def need_group(viewer: Viewer, id: str) -> SecurityGroup:
    return SECURITY_GROUPS.need(viewer, id)


def create_group(networking: NetworkService, viewer: Viewer, given: Given) -> SecurityGroup:
    ensure_default(networking, given["project_id"])
    if given.get("name") == DEFAULT:
        raise Conflict(
            "Every project has its default security group already.", "SecurityGroupDefaultAlreadyExists"
        )
    return _add_group(networking, given)


def update_group(
    networking: NetworkService, viewer: Viewer, group: SecurityGroup, given: Given
) -> SecurityGroup:
    if group.name == DEFAULT and given.get("name", DEFAULT) != DEFAULT:
        raise Conflict("The default security group keeps its name.", "SecurityGroupCannotUpdateDefault")
    in_use = networking.records.memberships.count(group_id=group.id) > 0
    if given.get("stateful", group.stateful) != group.stateful and in_use:
        raise _in_use(group)
    return networking.save(networking.records.groups, group, **given)


def delete_group(networking: NetworkService, viewer: Viewer, group: SecurityGroup) -> None:
    records = networking.records
    if group.name == DEFAULT and not viewer.admin:
        raise Conflict("The default security group cannot be deleted.", "SecurityGroupCannotRemoveDefault")
    if records.memberships.count(group_id=group.id):
        raise _in_use(group)
    records.rules.remove_where(security_group_id=group.id)
    for rule in records.rules.find(remote_group_id=group.id):
        records.rules.remove(rule.id)
        networking.backend_sync.group(rule.security_group_id)
    forget_sharing(records, group.id)
    records.groups.remove(group.id)


def details(viewer: Viewer, groups: Sequence[SecurityGroup]) -> Views:
    rules: dict[str, list[Json]] = {group.id: [] for group in groups}
    defaults = {group.id for group in groups if group.name == DEFAULT}
    for rule in viewer.records.rules.find_in("security_group_id", list(rules)):
        rules[rule.security_group_id].append(show_rule(rule, rule.security_group_id in defaults))
    shared = viewer.granted("security_group", SHARED)
    return {
        group.id: {"security_group_rules": rules[group.id], "shared": group.id in shared} for group in groups
    }


def _add_group(networking: NetworkService, given: Given) -> SecurityGroup:
    group = networking.records.groups.add(networking.new_record(SecurityGroup, given))
    for family in _FAMILIES:
        networking.records.rules.add(new_rule(networking, group, direction="egress", ethertype=family))
    return group


def _in_use(group: SecurityGroup) -> Conflict:
    return Conflict(f"Security group {group.id} is in use.", "SecurityGroupInUse")


def _prepare(networking: NetworkService, viewer: Viewer) -> None:
    if viewer.project_id:
        with networking.change():
            ensure_default(networking, viewer.project_id)


SECURITY_GROUPS: Resource[SecurityGroup] = Resource(
    KIND,
    "/v2.0/security-groups",
    lambda records: records.groups,
    create=create_group,
    update=update_group,
    delete=delete_group,
    details=details,
    sees=sees_shared("security_group"),
    shared=shared_with("security_group", lambda records: records.groups),
    prepare=_prepare,
    quota="security_group",
)

ROUTES = routes_of(SECURITY_GROUPS)
