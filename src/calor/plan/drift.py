"""What there really is, against what a stack believes. An update that converges compares the two first, and so does its
plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calor.plan.present import EXTERNAL, MASKED, Row


def can_drift(found: Any, row: Row) -> bool:
    """Whether a resource can be compared with what its service shows: `live` of its type tells that."""
    return (
        hasattr(found, "live")
        and row.physical_id is not None
        and row.status == "COMPLETE"
        and row.action != "DELETE"
        and not row.data.get(EXTERNAL)
    )


def differing(row: Row, shown: Mapping[str, Any]) -> dict[str, Any]:
    """The properties that are not what the resource was given, as the service shows them."""
    return {name: value for name, value in shown.items() if row.properties.get(name) != value}


def without_masks(data: Mapping[str, Any], changed: Mapping[str, Any]) -> dict[str, Any]:
    """The data of a resource whose service shows other values: those are no secrets of the stack."""
    if MASKED not in data:
        return dict(data)
    masked = {name: value for name, value in data[MASKED].items() if name not in changed}
    return {**data, MASKED: masked}
