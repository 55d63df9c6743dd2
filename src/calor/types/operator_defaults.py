"""Defaults of properties that an operator can choose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from calor.language.library import World
from calor.language.schema import DeclaredType

TYPES: dict[str, tuple[str, ...]] = {
    "OS::Nova::Server": ("user_data_format", "software_config_transport"),
    "OS::Heat::DeployedServer": ("software_config_transport",),
    "OS::Heat::SoftwareDeployment": ("signal_transport",),
    "OS::Heat::SoftwareDeploymentGroup": ("signal_transport",),
    "OS::Heat::StructuredDeployment": ("signal_transport",),
    "OS::Heat::StructuredDeploymentGroup": ("signal_transport",),
}


def with_defaults(world: World, chosen: Mapping[str, str]) -> World:
    """The world in which these properties have these defaults."""

    def declaration(name: str) -> type[DeclaredType] | None:
        return changed_type(name) if name in TYPES else world.declaration(name)

    @cache
    def changed_type(name: str) -> type[DeclaredType] | None:
        found = world.declaration(name)
        if found is None:
            return None
        changed = {
            prop: replace(found.properties[prop], default=chosen[prop])
            for prop in TYPES[name]
            if prop in chosen and found.properties[prop].default != chosen[prop]
        }
        if not changed:
            return found
        return type(found.__name__, (found,), {"properties": {**found.properties, **changed}})

    return replace(world, declaration=declaration)
