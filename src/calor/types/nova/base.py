from __future__ import annotations

from calor.resources.contract import ResourceType
from calor.types.cloud_objects import CloudObject


class NovaType(ResourceType, extends=True):
    service = "nova"


class NovaObject(CloudObject, extends=True):
    service = "nova"
    api = "compute"
