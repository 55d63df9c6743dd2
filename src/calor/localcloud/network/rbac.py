"""RBAC policies, which share objects with projects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from calor.localcloud.network import requests
from calor.localcloud.network.address_groups import ADDRESS_GROUPS
from calor.localcloud.network.address_scopes import ADDRESS_SCOPES
from calor.localcloud.network.kinds import Attribute, Given, Kind
from calor.localcloud.network.networks import NETWORKS
from calor.localcloud.network.problems import forbidden
from calor.localcloud.network.qos import QOS_POLICIES
from calor.localcloud.network.records import EVERYBODY, EXTERNAL, SHARED, RbacPolicy, Records, new_id
from calor.localcloud.network.resources import Resource, find_by, routes_of
from calor.localcloud.network.security_groups import SECURITY_GROUPS
from calor.localcloud.network.service import NetworkService
from calor.localcloud.network.subnet_pools import SUBNET_POOLS
from calor.localcloud.network.viewer import Viewer
from calor.localcloud.problems import BadRequest, Conflict
from calor.localcloud.requests import one_of, text
from calor.localcloud.store import Collection, Duplicate

_SHAREABLE: dict[str, Resource[Any]] = {
    "network": NETWORKS,
    "qos_policy": QOS_POLICIES,
    "security_group": SECURITY_GROUPS,
    "subnetpool": SUBNET_POOLS,
    "address_scope": ADDRESS_SCOPES,
    "address_group": ADDRESS_GROUPS,
}

_TARGET = text(255, shortest=1)

KIND = Kind(
    "rbac_policy",
    "rbac_policies",
    "RbacPolicy",
    (
        Attribute("object_type", one_of(*_SHAREABLE), fixed=True, required=True),
        Attribute("object_id", requests.uuid, fixed=True, required=True),
        Attribute("action", one_of(SHARED, EXTERNAL), fixed=True, required=True),
        Attribute("target_tenant", _TARGET, required=True),
    ),
    format_time=False,
)


def create_rbac(networking: NetworkService, viewer: Viewer, given: Given) -> RbacPolicy:
    resource = _SHAREABLE[given["object_type"]]
    target = resource.need_own(viewer, given["object_id"], "share")
    external = given["action"] == EXTERNAL
    if external and given["object_type"] != "network":
        raise BadRequest(f"{given['object_type']} cannot be shared as external.", "InvalidInput")
    if not viewer.admin and (external or given["target_tenant"] == EVERYBODY):
        raise forbidden("create_rbac_policy:target_tenant")
    if external:
        networking.save(networking.records.networks, target, external=True)
        networking.backend_sync.network(target.id)
    return _kept(networking, RbacPolicy(id=new_id(), **given))


def update_rbac(networking: NetworkService, viewer: Viewer, policy: RbacPolicy, given: Given) -> RbacPolicy:
    target = given.get("target_tenant", policy.target_tenant)
    if (target == EVERYBODY or policy.action == EXTERNAL) and not viewer.admin:
        raise forbidden("update_rbac_policy:target_tenant")
    if target != policy.target_tenant:
        _check_unused(networking.records, policy)
    return _kept(
        networking,
        RbacPolicy(policy.id, policy.project_id, policy.object_type, policy.object_id, policy.action, target),
    )


def delete_rbac(networking: NetworkService, viewer: Viewer, policy: RbacPolicy) -> None:
    records = networking.records
    _check_unused(records, policy)
    records.rbac.remove(policy.id)
    network = records.networks.get(policy.object_id) if policy.action == EXTERNAL else None
    if network and not records.rbac.count(object_id=network.id, action=EXTERNAL):
        networking.save(records.networks, network, external=False)
        networking.backend_sync.network(network.id)


def _kept(networking: NetworkService, policy: RbacPolicy) -> RbacPolicy:
    try:
        return networking.records.rbac.put(policy)
    except Duplicate:
        raise Conflict(
            f"An RBAC policy already exists for {policy.object_id} with these values.", "RbacPolicyDuplicate"
        ) from None


def _check_unused(records: Records, policy: RbacPolicy) -> None:
    """Raises Conflict if the project uses the shared object."""
    users = _USERS.get(policy.object_type)
    if users is None or policy.action == EXTERNAL:
        return
    owner = _SHAREABLE[policy.object_type].documents(records).get(policy.object_id)
    strangers = {
        project for project in users(records, policy.object_id) if owner and project != owner.project_id
    }
    if policy.target_tenant == EVERYBODY:
        named = {
            each.target_tenant for each in records.rbac.find(object_id=policy.object_id, action=policy.action)
        }
        in_use = bool(strangers - named - {""})
    else:
        to_all = records.rbac.count(object_id=policy.object_id, action=policy.action, target_tenant=EVERYBODY)
        in_use = policy.target_tenant in strangers and not to_all
    if in_use:
        raise Conflict(f"RBAC policy {policy.id} is in use.", "RbacPolicyInUse")


def _members(records: Records, group_id: str) -> set[str]:
    ids = [each.port_id for each in records.memberships.find(group_id=group_id)]
    return {port.project_id for port in records.ports.find_in("id", ids)}


_USERS: dict[str, Callable[[Records, str], set[str]]] = {
    "network": lambda records, id: {port.project_id for port in records.ports.find(network_id=id)},
    "qos_policy": lambda records, id: {
        *(each.project_id for each in records.networks.find(qos_policy_id=id)),
        *(each.project_id for each in records.ports.find(qos_policy_id=id)),
    },
    "security_group": _members,
    "subnetpool": lambda records, id: {each.project_id for each in records.subnets.find(subnetpool_id=id)},
    "address_scope": lambda records, id: {
        each.project_id for each in records.subnet_pools.find(address_scope_id=id)
    },
    "address_group": lambda records, id: {
        each.project_id for each in records.rules.find(remote_address_group_id=id)
    },
}


def _documents(records: Records) -> Collection[RbacPolicy]:
    return records.rbac


RBAC_POLICIES: Resource[RbacPolicy] = Resource(
    KIND,
    "/v2.0/rbac-policies",
    _documents,
    create=create_rbac,
    update=update_rbac,
    delete=delete_rbac,
    lookups={"object_id": find_by(_documents, "object_id")},
    quota="rbac_policy",
)

ROUTES = routes_of(RBAC_POLICIES)
