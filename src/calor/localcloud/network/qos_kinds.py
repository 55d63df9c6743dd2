"""The kinds of rules that QoS policies have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from calor.localcloud.network import requests
from calor.localcloud.network.records import QosRule
from calor.localcloud.problems import BadRequest
from calor.localcloud.requests import Reader, one_of
from calor.localcloud.types import Json

_RATE = requests.whole(0, 2**31 - 1)
_DIRECTION = one_of("egress", "ingress")
_ANY_DIRECTION = one_of("egress", "ingress", "any")
_MARKS = (0, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 44, 46, 48, 56)


def _mark(value: object, where: str) -> int:
    read = requests.whole(0, 63)(value, where)
    if read not in _MARKS:
        raise BadRequest(f"{where}: {read} is not a valid DSCP mark.")
    return int(read)


@dataclass(frozen=True)
class RuleKind:
    type: str
    required: Mapping[str, Reader[object]]
    optional: Mapping[str, Reader[object]] = field(default_factory=dict)
    defaults: Mapping[str, object] = field(default_factory=dict)

    @property
    def singular(self) -> str:
        return f"{self.type}_rule"

    @property
    def plural(self) -> str:
        return f"{self.type}_rules"

    @property
    def attributes(self) -> tuple[str, ...]:
        return ("id", *self.required, *self.optional)


RULE_KINDS = (
    RuleKind(
        "bandwidth_limit",
        {"max_kbps": _RATE},
        {"max_burst_kbps": _RATE, "direction": _DIRECTION},
        {"max_burst_kbps": 0, "direction": "egress"},
    ),
    RuleKind("dscp_marking", {"dscp_mark": _mark}),
    RuleKind("minimum_bandwidth", {"min_kbps": _RATE}, {"direction": _DIRECTION}, {"direction": "egress"}),
    RuleKind(
        "minimum_packet_rate",
        {"min_kpps": _RATE},
        {"direction": _ANY_DIRECTION},
        {"direction": "egress"},
    ),
    RuleKind(
        "packet_rate_limit",
        {"max_kpps": _RATE},
        {"max_burst_kpps": _RATE, "direction": _ANY_DIRECTION},
        {"max_burst_kpps": 0, "direction": "egress"},
    ),
)


def show_rule(rule: QosRule) -> Json:
    return {"id": rule.id, **rule.values}
