"""Metering labels and their rules; for admins."""

from __future__ import annotations

from typing import Any

from calor.localcloud.network import readers
from calor.localcloud.network.documents import MeteringLabel, MeteringRule
from calor.localcloud.network.kinds import DESCRIPTION, NAME, Attribute, Given, Kind
from calor.localcloud.network.problems import invalid
from calor.localcloud.network.records import Records, new_id
from calor.localcloud.network.resources import Resource, admins, found_by, routes_of
from calor.localcloud.network.state import Networking
from calor.localcloud.network.viewer import Viewer
from calor.localcloud.problems import Conflict
from calor.localcloud.reading import nullable, one_of
from calor.localcloud.store import Collection

_LABEL = Kind(
    "metering_label",
    "metering_labels",
    "MeteringLabel",
    (
        Attribute("name", NAME.read, fixed=True),
        Attribute("description", DESCRIPTION.read, fixed=True),
        Attribute("shared", readers.flag, fixed=True),
    ),
    stamped=False,
)


def _prefix(value: Any, where: str) -> str:
    return str(readers.network(value, where))


_PREFIXES = ("remote_ip_prefix", "source_ip_prefix", "destination_ip_prefix")

_RULE = Kind(
    "metering_label_rule",
    "metering_label_rules",
    "MeteringLabelRule",
    (
        Attribute("metering_label_id", readers.uuid, fixed=True, required=True),
        Attribute("direction", one_of("ingress", "egress"), fixed=True),
        Attribute("excluded", readers.flag, fixed=True),
        *(Attribute(name, nullable(_prefix), fixed=True) for name in _PREFIXES),
    ),
    stamped=False,
)


def create_label(networking: Networking, viewer: Viewer, given: Given) -> MeteringLabel:
    return networking.records.metering_labels.add(networking.made(MeteringLabel, given))


def delete_label(networking: Networking, viewer: Viewer, label: MeteringLabel) -> None:
    networking.records.metering_rules.remove_where(metering_label_id=label.id)
    networking.records.metering_labels.remove(label.id)


def create_rule(networking: Networking, viewer: Viewer, given: Given) -> MeteringRule:
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
            raise Conflict(f"Rule {other.id} is for the same addresses.", "MeteringLabelRuleOverlaps")
    return records.metering_rules.add(rule)


def delete_rule(networking: Networking, viewer: Viewer, rule: MeteringRule) -> None:
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
    lookups={"metering_label_id": found_by(_rules, "metering_label_id")},
    rule=admins,
)

ROUTES = (*routes_of(LABELS), *routes_of(RULES))
