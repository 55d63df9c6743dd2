"""Rules and rule types of QoS policies."""

from __future__ import annotations

from functools import partial

from calor.localcloud.network import requests
from calor.localcloud.network.lists import filters_of, list_reply
from calor.localcloud.network.policy import project_members, project_readers, usual_rule
from calor.localcloud.network.problems import missing
from calor.localcloud.network.qos import QOS_POLICIES
from calor.localcloud.network.qos_kinds import RULE_KINDS, RuleKind, show_rule
from calor.localcloud.network.records import QosPolicy, QosRule, new_id
from calor.localcloud.network.service import NetworkService
from calor.localcloud.network.viewer import Viewer
from calor.localcloud.problems import Conflict
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.types import Json
from calor.localcloud.web import NO_CONTENT, Call, Reply


def list_rules(kind: RuleKind, networking: NetworkService, call: Call) -> Reply:
    policy = QOS_POLICIES.need(Viewer(networking.records, call.caller), call.path["id"])
    found = [
        each for each in networking.records.qos_rules.find(policy_id=policy.id) if each.type == kind.type
    ]
    return list_reply(
        call, kind.plural, [show_rule(each) for each in found], filters_of(call, kind.attributes)
    )


def get_rule(kind: RuleKind, networking: NetworkService, call: Call) -> Reply:
    return Reply(body={kind.singular: show_rule(_rule(kind, networking, call))})


def create_rule(kind: RuleKind, networking: NetworkService, call: Call) -> Reply:
    policy = _own_policy(networking, call, call.path["id"])
    read = requests.strict_shape(dict(kind.required), dict(kind.optional))
    rule = QosRule(new_id(), policy.id, kind.type, {**kind.defaults, **call.read_in(kind.singular, read)})
    with networking.change():
        _save(networking, policy, rule)
    return Reply(201, {kind.singular: show_rule(rule)})


def update_rule(kind: RuleKind, networking: NetworkService, call: Call) -> Reply:
    rule = _rule(kind, networking, call)
    policy = _own_policy(networking, call, rule.policy_id)
    given = call.read_in(kind.singular, requests.strict_shape({}, {**kind.required, **kind.optional}))
    changed = QosRule(rule.id, rule.policy_id, rule.type, {**rule.values, **given})
    with networking.change():
        _save(networking, policy, changed)
    return Reply(body={kind.singular: show_rule(changed)})


def delete_rule(kind: RuleKind, networking: NetworkService, call: Call) -> Reply:
    rule = _rule(kind, networking, call)
    policy = _own_policy(networking, call, rule.policy_id)
    with networking.change():
        networking.records.qos_rules.remove(rule.id)
        networking.save(networking.records.qos_policies, policy)
    return NO_CONTENT


def list_types(networking: NetworkService, call: Call) -> Reply:
    return list_reply(
        call, "rule_types", [{"type": kind.type} for kind in RULE_KINDS], filters_of(call, ("type",))
    )


def get_type(networking: NetworkService, call: Call) -> Reply:
    wanted = call.path["type"]
    if all(kind.type != wanted for kind in RULE_KINDS):
        raise missing("QosRuleType", wanted)
    return Reply(body={"rule_type": {"type": wanted, "drivers": _drivers(wanted)}})


def _drivers(wanted: str) -> list[Json]:
    return [{"name": "calor", "supported_parameters": []} for kind in RULE_KINDS if kind.type == wanted]


def _own_policy(networking: NetworkService, call: Call, id: str) -> QosPolicy:
    return QOS_POLICIES.need_own(Viewer(networking.records, call.caller), id, "update")


def _rule(kind: RuleKind, networking: NetworkService, call: Call) -> QosRule:
    """The rule in the path, with or without its policy."""
    rule = networking.records.qos_rules.get(call.path["rule_id"])
    if rule is None or rule.type != kind.type or call.path.get("id", rule.policy_id) != rule.policy_id:
        raise missing("QosRule", call.path["rule_id"])
    QOS_POLICIES.need(Viewer(networking.records, call.caller), rule.policy_id)
    return rule


def _save(networking: NetworkService, policy: QosPolicy, rule: QosRule) -> None:
    """A policy has one rule of a kind in a direction."""
    records = networking.records
    for other in records.qos_rules.find(policy_id=policy.id):
        same = other.type == rule.type and other.values.get("direction") == rule.values.get("direction")
        if other.id != rule.id and same:
            raise Conflict(f"QoS policy {policy.id} already has such a rule: {other.id}.", "QoSRulesConflict")
    records.qos_rules.put(rule)
    networking.save(records.qos_policies, policy)


def _routes(kind: RuleKind) -> tuple[ServiceRoute[NetworkService], ...]:
    below = f"/v2.0/qos/policies/{{id}}/{kind.plural}"
    paths = (f"{below}/{{rule_id}}", f"/v2.0/qos/alias_{kind.plural}/{{rule_id}}")
    return (
        ServiceRoute("GET", below, partial(list_rules, kind), project_readers),
        ServiceRoute("POST", below, partial(create_rule, kind), project_members),
        *(
            ServiceRoute(method, path, partial(handler, kind), usual_rule(method))
            for path in paths
            for method, handler in (("GET", get_rule), ("PUT", update_rule), ("DELETE", delete_rule))
        ),
    )


ROUTES = (
    *(route for kind in RULE_KINDS for route in _routes(kind)),
    ServiceRoute("GET", "/v2.0/qos/rule-types", list_types, project_readers),
    ServiceRoute("GET", "/v2.0/qos/rule-types/{type}", get_type, project_readers),
)
