"""QoS policies."""

from __future__ import annotations

from collections.abc import Sequence

from calor.localcloud.network import requests
from calor.localcloud.network.kinds import DESCRIPTION, SHARED_FLAG, Attribute, Given, Kind, shown
from calor.localcloud.network.qos_kinds import show_rule
from calor.localcloud.network.records import SHARED, QosPolicy
from calor.localcloud.network.resources import Resource, Views, routes_of
from calor.localcloud.network.service import NetworkService
from calor.localcloud.network.sharing import forget_sharing, sees_shared, share, shared_with, unshare
from calor.localcloud.network.viewer import Viewer
from calor.localcloud.problems import Conflict
from calor.localcloud.requests import text
from calor.localcloud.types import Json

KIND = Kind(
    "policy",
    "policies",
    "QosPolicy",
    (
        Attribute("name", text(255, shortest=1), required=True),
        DESCRIPTION,
        Attribute("is_default", requests.flag, admins=True, default=False),
        SHARED_FLAG,
        *shown("rules"),
    ),
)


def need_policy(viewer: Viewer, id: str) -> QosPolicy:
    return QOS_POLICIES.need(viewer, id)


def create_policy(networking: NetworkService, viewer: Viewer, given: Given) -> QosPolicy:
    shared = given.pop("shared", False)
    policy = networking.new_record(QosPolicy, given)
    if policy.is_default:
        _check_only_default(networking, policy)
    networking.records.qos_policies.add(policy)
    if shared:
        share(networking.records, "qos_policy", policy)
    return policy


def update_policy(networking: NetworkService, viewer: Viewer, policy: QosPolicy, given: Given) -> QosPolicy:
    shared = given.pop("shared", None)
    if shared is True:
        share(networking.records, "qos_policy", policy)
    elif shared is False:
        unshare(networking.records, policy.id)
    if given.get("is_default") and not policy.is_default:
        _check_only_default(networking, policy)
    return networking.save(networking.records.qos_policies, policy, **given)


def delete_policy(networking: NetworkService, viewer: Viewer, policy: QosPolicy) -> None:
    records = networking.records
    users = (
        ("network", records.networks.count(qos_policy_id=policy.id)),
        ("port", records.ports.count(qos_policy_id=policy.id)),
        ("floating IP", records.floating_ips.count(qos_policy_id=policy.id)),
    )
    for kind, count in users:
        if count:
            raise Conflict(f"QoS policy {policy.id} is in use by a {kind}.", "QosPolicyInUse")
    records.qos_rules.remove_where(policy_id=policy.id)
    forget_sharing(records, policy.id)
    records.qos_policies.remove(policy.id)


def _details(viewer: Viewer, policies: Sequence[QosPolicy]) -> Views:
    rules: dict[str, list[Json]] = {policy.id: [] for policy in policies}
    for rule in viewer.records.qos_rules.find_in("policy_id", list(rules)):
        rules[rule.policy_id].append({**show_rule(rule), "type": rule.type, "qos_policy_id": rule.policy_id})
    shared = viewer.granted("qos_policy", SHARED)
    return {policy.id: {"rules": rules[policy.id], "shared": policy.id in shared} for policy in policies}


def _check_only_default(networking: NetworkService, policy: QosPolicy) -> None:
    for other in networking.records.qos_policies.find(project_id=policy.project_id):
        if other.is_default and other.id != policy.id:
            raise Conflict(
                f"The project already has the default QoS policy {other.id}.", "QoSPolicyDefaultAlreadyExists"
            )


QOS_POLICIES: Resource[QosPolicy] = Resource(
    KIND,
    "/v2.0/qos/policies",
    lambda records: records.qos_policies,
    create=create_policy,
    update=update_policy,
    delete=delete_policy,
    details=_details,
    sees=sees_shared("qos_policy"),
    shared=shared_with("qos_policy", lambda records: records.qos_policies),
)

ROUTES = routes_of(QOS_POLICIES)
