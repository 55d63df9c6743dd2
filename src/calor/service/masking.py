"""What of plans, previews and resources is shown, and what is masked."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from calor.language.definition import Definition, ResourceDefinition
from calor.language.library import Declarations
from calor.language.scope import gives_secret
from calor.language.values import MASK, Secret, bare, has_secret, masked
from calor.plan.decision import Change
from calor.plan.present import MASKED, NESTED, Row
from calor.types.heat import collecting
from calor.types.heat.deriving import REPORTING

TELLING = 4
"""From how many characters on a secret is looked for within texts."""


@dataclass(frozen=True, slots=True)
class Masking:
    """Masks secrets: values that the language knows to be secret, attributes that their type declares as secret, and
    the values of hidden parameters wherever they stand, also where they are part of another text."""

    declaration: Declarations
    hidden: Collection[str] = field(default=())
    """The values of hidden parameters."""
    reveals: bool = False
    """Whether nothing is masked: whoever asked may see all of it, and wants to."""

    def shown(self, value: Any) -> Any:
        return bare(value) if self.reveals else self._masked(masked(value))

    def _masked(self, value: Any) -> Any:
        if not self.hidden:
            return value
        if isinstance(value, str):
            return self._without_hidden(value)
        if isinstance(value, dict):
            return {key: self._masked(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._masked(item) for item in value]
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return MASK if is_number and len(str(value)) >= TELLING and str(value) in self.hidden else value

    def _without_hidden(self, text: str) -> str:
        """A secret of a few letters is in many texts by chance."""
        if text in self.hidden:
            return MASK
        for secret in sorted(self.hidden, key=len, reverse=True):
            if len(secret) >= TELLING and secret in text:
                text = text.replace(secret, MASK)
        return text

    def change(self, change: Change) -> dict[str, Any]:
        """A value that a secret takes the place of counts as secret as well, unless it is known how it is shown."""
        before = self.shown(change.before)
        if not self.reveals and has_secret(change.after) and not has_secret(change.before):
            before = MASK if change.before is not None else None
        told = {"property": change.name, "before": before, "after": self.shown(change.after)}
        return told if change.known else {**told, "after": None, "after_known": False}

    def attributes(self, row: Row, resource: ResourceDefinition | None) -> dict[str, Any]:
        """The stored attributes of a resource. `resource` is what it shall be, None for what goes."""
        if self.reveals:
            return dict(row.attributes)
        # Many attributes repeat a property.
        here = replace(self, hidden={*self.hidden, *_secret_parts(row)})
        shown = {}
        for name, value in row.attributes.items():
            secret = value is not None and self._gives_secret(name, row, resource)
            shown[name] = MASK if secret else here.shown(value)
        return shown

    def _gives_secret(self, name: str, row: Row, resource: ResourceDefinition | None) -> bool:
        if resource is not None and resource.type_name == row.type_name:
            return gives_secret(resource, name)
        # Of a stack that goes it is not known what its attributes were made of.
        return bool(row.data.get(NESTED)) or declared_secret(self.declaration(row.type_name), name)


def _secret_parts(row: Row) -> Iterator[str]:
    """The texts among a resource's properties that are secret, or hold secrets."""
    for name, mask in row.data.get(MASKED, {}).items():
        yield from _differing(row.properties.get(name), mask)


def _differing(value: Any, mask: Any) -> Iterator[str]:
    if isinstance(value, dict) and isinstance(mask, dict):
        for name, item in value.items():
            yield from _differing(item, mask.get(name))
    elif isinstance(value, list) and isinstance(mask, list) and len(value) == len(mask):
        for item, its_mask in zip(value, mask, strict=True):
            yield from _differing(item, its_mask)
    elif value != mask:
        yield from (str(leaf) for leaf in _leaves(value) if leaf not in (None, ""))


def repeated_secrets(row: Row, attributes: Mapping[str, Any]) -> list[str]:
    """The attributes that repeat secret properties of a resource."""
    parts = set(_secret_parts(row))
    if not parts:
        return []
    masking = Masking(lambda name: None, parts)
    return [name for name, value in attributes.items() if masking.shown(value) != value]


def secret_attributes(resource: ResourceDefinition) -> tuple[str, ...]:
    """The attributes of a resource that are credentials, or hold them."""
    names = resource.found.attributes if resource.found is not None else ()
    return tuple(name for name in names if gives_secret(resource, name))


def without_credentials(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """A resource's metadata, in which what lets a server's agent in is masked."""
    settings = metadata.get(collecting.SETTINGS)
    if not isinstance(settings, dict):
        return dict(metadata)
    shown = {
        collector: _masked_in(values, collecting.CREDENTIALS) if isinstance(values, dict) else values
        for collector, values in settings.items()
    }
    return {**metadata, collecting.SETTINGS: shown}


def without_signals(config: Mapping[str, Any]) -> dict[str, Any]:
    """A software config as it is shown, in which what lets a server report is masked."""
    inputs = [
        _masked_in(one, ("value", "default")) if one.get("name") in REPORTING else one
        for one in config["inputs"]
    ]
    return {**config, "inputs": inputs}


def _masked_in(values: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {name: MASK if name in names and value else value for name, value in values.items()}


def declared_secret(declaration: Any, name: str) -> bool:
    attributes: Mapping[str, Any] = getattr(declaration, "attributes", {})
    return name in attributes and attributes[name].secret


def hidden_values(definition: Definition) -> set[str]:
    """The values of hidden parameters, as they may occur in texts."""
    found: set[str] = set()
    for value in definition.parameters.values.values():
        if isinstance(value, Secret):
            plain = bare(value)
            found.add(json.dumps(plain) if isinstance(plain, (dict, list)) else str(plain))
            found.update(str(part) for part in _leaves(plain))
    for resource in definition.resources.values():
        if resource.child is not None:
            found |= hidden_values(resource.child)
    return found - {"", "None"}


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in _leaves(item)]
    if isinstance(value, list):
        return [leaf for item in value for leaf in _leaves(item)]
    return [value]
