"""Names that templates give to things of a cloud, turned into ids before the cloud is asked for something."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from calor.language.schema import Resolve, ResourceType
from calor.types.behaviour import CloudServices

_UUID = re.compile(r"[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)
_BY_ENTITY = "find_resourceid_by_name_or_id"

KINDS: Mapping[str, str] = {
    "find_flavor_by_name_or_id": "nova.flavor",
    "find_image_by_name_or_id": "glance.image",
    "find_network_ip": "neutron.floatingip",
    "find_network_port": "neutron.port",
    "find_network_segment": "neutron.segment",
    "get_domain_id": "keystone.domain",
    "get_group_id": "keystone.group",
    "get_project_id": "keystone.project",
    "get_qos_policy_id": "neutron.qos_policy",
    "get_qos_specs": "cinder.qos_specs",
    "get_region_id": "keystone.region",
    "get_role_id": "keystone.role",
    "get_service_id": "keystone.service",
    "get_user_id": "keystone.user",
    "get_volume_type": "cinder.vtype",
}
"""What a translation looks for, by the name of its finder."""


async def with_ids(
    cloud: CloudServices, declared: type[ResourceType], props: Mapping[str, Any]
) -> dict[str, Any]:
    """The properties with ids in place of names, as the type's translations say. Raises NotFound."""
    found: dict[str, Any] = dict(props)
    for rule in declared.translations:
        if isinstance(rule, Resolve) and (kind := kind_of(rule)):
            found = await _resolved(cloud, kind, rule.path, found)
    return found


def kind_of(rule: Resolve) -> str | None:
    """The kind of thing that a translation looks for; None if no name leads to it."""
    if rule.finder in (_BY_ENTITY, "resolve_ext_resource"):
        entity = rule.entity
        if entity and entity.startswith("tap_"):
            return f"neutron.taas.{entity}"
        return f"neutron.{entity}" if entity else None
    return KINDS.get(rule.finder)


async def id_for(cloud: CloudServices, kind: str, name_or_id: str) -> str:
    """The id of a thing of a kind. Raises NotFound."""
    # What looks like the id of an object is none's name.
    return name_or_id if _UUID.fullmatch(name_or_id) else await cloud.id_of(kind, name_or_id)


async def _resolved(cloud: CloudServices, kind: str, path: tuple[str, ...], value: Any) -> Any:
    if value is None or value == "":
        return value
    if isinstance(value, list):
        return [await _resolved(cloud, kind, path, each) for each in value]
    if not path:
        return await id_for(cloud, kind, value) if isinstance(value, str) else value
    if not isinstance(value, Mapping) or path[0] not in value:
        return value
    return {**value, path[0]: await _resolved(cloud, kind, path[1:], value[path[0]])}
