"""Marks secret attributes, which are stored without marks, when they are read.

An attribute is secret if its type declares it so, if the nested stack computed it from secrets, or if it repeats a
property that is or contains a secret.
"""

from __future__ import annotations

from typing import Any

from calor.language.hiding import differing_texts, without
from calor.language.values import MASK, bare, concealed, has_secret, masked, remarked
from calor.plan.present import MASKED, REFERENCE, Row
from calor.resources.values import JsonMapping, JsonObject

SECRETS = "_secrets"
"""The key for masked attributes that the nested stack has computed from secrets."""


def with_secrets(data: JsonMapping, attributes: JsonMapping) -> JsonObject:
    """The data of a resource with the masks of these attributes."""
    others = {name: value for name, value in data.items() if name != SECRETS}
    secret = {name: masked(value) for name, value in attributes.items() if has_secret(value)}
    return {**others, SECRETS: secret} if secret else others


def secret_texts(row: Row) -> set[str]:
    """The secret texts in a resource's properties."""
    masks = row.data.get(MASKED, {})
    return {text for name, mask in masks.items() for text in differing_texts(row.properties.get(name), mask)}


def secret_texts_of(values: JsonMapping) -> set[str]:
    """The same for properties that were just evaluated."""
    secret = [value for value in values.values() if has_secret(value)]
    return {text for value in secret for text in differing_texts(bare(value), masked(value))}


def marked_properties(row: Row) -> JsonObject:
    """The properties with their secrets marked."""
    masks = row.data.get(MASKED, {})
    return {
        name: remarked(value, masks[name]) if name in masks else value
        for name, value in row.properties.items()
    }


def marked(row: Row, name: str, value: Any) -> Any:
    """Marks an attribute that its type does not declare secret."""
    if value is None or has_secret(value):
        return value
    noted = row.data.get(SECRETS, {})
    if name in noted:
        return remarked(value, noted[name])
    masks: JsonMapping = row.data.get(MASKED, {})
    return _repeating(row, name, value, masks) if masks else value


def marked_reference(row: Row) -> Any:
    """The reference of a resource if it is not its id; secret if the nested stack computed it from secrets."""
    noted = row.data.get(SECRETS, {})
    return concealed(row.reference) if REFERENCE in noted else row.reference


def _repeating(row: Row, name: str, value: Any, masks: JsonMapping) -> Any:
    """Short secrets are not searched within other values, only compared with whole values and found by the property's
    name."""
    for one, mask in masks.items():
        if _same(row.properties.get(one), value):
            return remarked(value, mask)
    if name in masks:
        return concealed(value)
    found = without(value, secret_texts(row))
    if isinstance(found, dict):
        found = {key: MASK if key in masks and item else item for key, item in found.items()}
    return value if found == value else remarked(value, found)


def _same(one: object, other: object) -> bool:
    return type(one) is type(other) and one == other and not isinstance(one, bool) and one not in ("", [], {})
