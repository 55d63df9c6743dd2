"""Types of the volume service."""

from __future__ import annotations

import json

from calor.resources.contract import ResourceType
from calor.resources.values import Properties
from calor.types.cloud_objects import CloudObject, UniquelyNamedObject


class CinderType(ResourceType, extends=True):
    service = "cinder"


class CinderObject(CloudObject, extends=True):
    service = "cinder"
    api = "volume"


class UniquelyNamed(UniquelyNamedObject, CinderObject, extends=True):
    pass


def texts(given: Properties) -> dict[str, str]:
    """Metadata and extra specs in the format of the service, with strings only."""
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in given.items()}
