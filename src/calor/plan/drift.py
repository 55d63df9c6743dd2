"""Compares real objects with what a stack has stored, for updates with `converge` and their plans."""

from __future__ import annotations

from calor.language.library import ResolvedType
from calor.plan.present import EXTERNAL, MASKED, Row
from calor.resources.contract import contract_of
from calor.resources.values import JsonMapping, JsonObject


def can_drift(found: ResolvedType | None, row: Row) -> bool:
    """Whether a resource can be compared with its object: its type has `live_state`."""
    return (
        contract_of(found).live_state is not None
        and row.physical_id is not None
        and row.status == "COMPLETE"
        and row.action != "DELETE"
        and not row.data.get(EXTERNAL)
    )


def differing(row: Row, shown: JsonMapping) -> JsonObject:
    """The object's properties that differ from the stored ones."""
    return {name: value for name, value in shown.items() if row.properties.get(name) != value}


def without_masks(data: JsonMapping, changed: JsonMapping) -> JsonObject:
    """The data of a resource without masks for changed properties, whose new values are not secrets of the stack."""
    if MASKED not in data:
        return dict(data)
    masked = {name: value for name, value in data[MASKED].items() if name not in changed}
    return {**data, MASKED: masked}
