"""Types of the volume service."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from calor.language.schema import ResourceType
from calor.types.cloud_objects import CloudObject, UniquelyNamedObject


class CinderType(ResourceType):
    service = "cinder"


class CinderObject(CloudObject):
    service = "cinder"
    api = "volume"


class UniquelyNamed(UniquelyNamedObject, CinderObject):
    pass


def texts(given: Mapping[str, Any]) -> dict[str, str]:
    """Metadata and specifications as the service takes them: nothing but texts."""
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in given.items()}
