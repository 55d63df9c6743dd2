"""What rules of QoS policies look like."""

from __future__ import annotations

from typing import Any

from calor.localcloud.network.documents import QosRule


def show_rule(rule: QosRule) -> dict[str, Any]:
    return {"id": rule.id, **rule.values}
