"""Deployments that are only data: their configurations are metadata of their own."""

import logging
from typing import Any, List, Sequence, Tuple

from calor_guest.common.heat_config import DATA_GROUPS, UNGROUPED

Item = Tuple[str, Any]
"""The name of collected metadata, and what it is."""

log = logging.getLogger("os-collect-config")


def with_deployments(name: str, metadata: Any, keys: Sequence[str]) -> List[Item]:
    """The metadata itself, and the configurations of its deployments that are data."""
    items: List[Item] = [(name, metadata)]
    for key in keys:
        found = metadata.get(key) if isinstance(metadata, dict) else None
        if isinstance(found, list):
            items += [item for deployment in found for item in _item(deployment, key)]
        elif found is not None:
            log.warning("Deployment-key %s was found but does not contain a list.", key)
    return items


def _item(deployment: Any, key: str) -> List[Item]:
    if not isinstance(deployment, dict) or "name" not in deployment:
        log.warning("No name found for a deployment under %s.", key)
        return []
    if deployment.get("group", UNGROUPED) not in DATA_GROUPS or "config" not in deployment:
        return []
    return [(str(deployment["name"]), deployment["config"])]
