"""Metering labels and their rules; for admins."""

from __future__ import annotations

from calor.localcloud.network import requests
from calor.localcloud.network.kinds import DESCRIPTION, NAME, Attribute, Given, Kind
from calor.localcloud.network.problems import invalid
from calor.localcloud.network.records import MeteringLabel, MeteringRule, Records, new_id
from calor.localcloud.network.resources import Resource, find_by, routes_of
from calor.localcloud.network.service import NetworkService
from calor.localcloud.network.viewer import Viewer
from calor.localcloud.policy import admins
from calor.localcloud.problems import Conflict
from calor.localcloud.requests import nullable, one_of
from calor.localcloud.store import Collection

_LABEL = Kind(
    "metering_label",
    "metering_labels",
    "MeteringLabel",
    (
        Attribute("name", NAME.read, fixed=True),
        Attribute("description", DESCRIPTION.read, fixed=True),
        Attribute("shared", requests.flag, fixed=True),
    ),
    format_time=False,
)


def _prefix(value: object, where: str) -> str:
    return str(requests.network(value, where))


_PREFIXES = ("remote_ip_prefix", "source_ip_prefix", "destination_ip_prefix")

_RULE = Kind(
    "metering_label_rule",
    "metering_label_rules",
    "MeteringLabelRule",
    (
        Attribute("metering_label_id", requests.uuid, fixed=True, required=True),
        Attribute("direction", one_of("ingress", "egress"), fixed=True),
        Attribute("excluded", requests.flag, fixed=True),
        *(Attribute(name, nullable(_prefix), fixed=True) for name in _PREFIXES),
    ),
    format_time=False,
)


def create_label(networking: NetworkService, viewer: Viewer, given: Given) -> MeteringLabel:
    return networking.records.metering_labels.add(networking.new_record(MeteringLabel, given))


def delete_label(networking: NetworkService, viewer: Viewer, label: MeteringLabel) -> None:
    networking.records.metering_rules.remove_where(metering_label_id=label.id)
    networking.records.metering_labels.remove(label.id)


def create_rule(networking: NetworkService, viewer: Viewer, given: Given) -> MeteringRule:
    records = networking.records
    label = LABELS.need(viewer, given["metering_label_id"])
    given["project_id"] = label.project_id
    rule = MeteringRule(id=new_id(), **given)
    prefixes = [getattr(rule, name) for name in _PREFIXES]
    if not any(prefixes) or (prefixes[0] and any(prefixes[1:])):
        raise invalid(
            "either a remote_ip_prefix, or a source_ip_prefix and a destination_ip_prefix, is needed."
        )
    for other in records.metering_rules.find(metering_label_id=label.id):
        if [getattr(other, name) for name in _PREFIXES] == prefixes and other.direction == rule.direction:
            raise Conflict(f"Rule {other.id} overlaps with the same addresses.", "MeteringLabelRuleOverlaps")
    return records.metering_rules.add(rule)


def delete_rule(networking: NetworkService, viewer: Viewer, rule: MeteringRule) -> None:
    networking.records.metering_rules.remove(rule.id)


def _rules(records: Records) -> Collection[MeteringRule]:
    return records.metering_rules


LABELS: Resource[MeteringLabel] = Resource(
    _LABEL,
    "/v2.0/metering/metering-labels",
    lambda records: records.metering_labels,
    create=create_label,
    delete=delete_label,
    rule=admins,
)
RULES: Resource[MeteringRule] = Resource(
    _RULE,
    "/v2.0/metering/metering-label-rules",
    _rules,
    create=create_rule,
    delete=delete_rule,
    lookups={"metering_label_id": find_by(_rules, "metering_label_id")},
    rule=admins,
)

ROUTES = (*routes_of(LABELS), *routes_of(RULES))
