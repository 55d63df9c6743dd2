"""Masks secrets in plans, previews and resources."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from calor.language.definition import Definition, ResourceDefinition
from calor.language.hiding import texts, without
from calor.language.library import Declarations
from calor.language.scope import declared_secret, is_secret_attribute
from calor.language.values import MASK, Secret, bare, has_secret, masked
from calor.plan.kinds import Change
from calor.plan.marking import marked
from calor.plan.present import NESTED, Row
from calor.resources.values import JsonMapping, JsonObject
from calor.types.heat.software import agent_settings
from calor.types.heat.software.derived_config import REPORTING


@dataclass(frozen=True, slots=True)
class Masking:
    """Masks secrets: values that are secret in the language, attributes that a type declares as secret, and the values
    of hidden parameters anywhere, even as part of another text."""

    declaration: Declarations
    hidden: Collection[str] = field(default=())
    """The values of hidden parameters."""
    reveals: bool = False
    """Whether nothing is masked, because an authorized caller requested it."""

    def shown(self, value: Any) -> Any:
        return bare(value) if self.reveals else without(masked(value), self.hidden)

    def change(self, change: Change) -> JsonObject:
        """Shows a change. A value that is replaced by a secret is masked as well, unless its shown form is known."""
        before = self.shown(change.before)
        if not self.reveals and has_secret(change.after) and not has_secret(change.before):
            before = MASK if change.before is not None else None
        shown = {"property": change.name, "before": before, "after": self.shown(change.after)}
        return shown if change.known else {**shown, "after": None, "after_known": False}

    def attributes(self, row: Row, resource: ResourceDefinition | None) -> JsonObject:
        """The stored attributes of a resource. `resource` is its new definition, None if it is deleted."""
        if self.reveals:
            return dict(row.attributes)
        shown = {}
        for name, value in row.attributes.items():
            secret = value is not None and self._gives_secret(name, row, resource)
            shown[name] = MASK if secret else self.shown(marked(row, name, value))
        return shown

    def _gives_secret(self, name: str, row: Row, resource: ResourceDefinition | None) -> bool:
        if resource is not None and resource.type_name == row.type_name:
            return is_secret_attribute(resource, name)
        # It is not known what the attributes of a deleted stack were computed from.
        return bool(row.data.get(NESTED)) or declared_secret(self.declaration(row.type_name), name)


def secret_attributes(resource: ResourceDefinition) -> tuple[str, ...]:
    """The attributes of a resource that are or contain credentials."""
    names = resource.resource_type.attributes if resource.resource_type is not None else ()
    return tuple(name for name in names if is_secret_attribute(resource, name))


def without_credentials(metadata: JsonMapping) -> JsonObject:
    """A resource's metadata with the credentials of a server's agent masked."""
    settings = metadata.get(agent_settings.SETTINGS)
    if not isinstance(settings, dict):
        return dict(metadata)
    shown = {
        collector: _masked_in(values, agent_settings.CREDENTIALS) if isinstance(values, dict) else values
        for collector, values in settings.items()
    }
    return {**metadata, agent_settings.SETTINGS: shown}


def without_signals(config: JsonMapping) -> JsonObject:
    """A software config with the credentials for reporting masked."""
    inputs = [
        _masked_in(one, ("value", "default")) if one.get("name") in REPORTING else one
        for one in config["inputs"]
    ]
    return {**config, "inputs": inputs}


def _masked_in(values: JsonMapping, names: Collection[str]) -> JsonObject:
    return {name: MASK if name in names and value else value for name, value in values.items()}


def hidden_values(definition: Definition) -> set[str]:
    """The values of hidden parameters, in the forms in which they may occur in texts."""
    found: set[str] = set()
    for value in definition.parameters.values.values():
        if isinstance(value, Secret):
            plain = bare(value)
            found.add(json.dumps(plain) if isinstance(plain, (dict, list)) else str(plain))
            found.update(texts(plain))
    for resource in definition.resources.values():
        if resource.child is not None:
            found |= hidden_values(resource.child)
    return found - {"", "None"}
