from __future__ import annotations

from calor.language.schema import ResourceType
from calor.types.cloud_objects import CloudObject


class NovaType(ResourceType):
    service = "nova"


class NovaObject(CloudObject):
    service = "nova"
    api = "compute"
