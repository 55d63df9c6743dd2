from typing import ClassVar

from calor.resources.contract import ResourceType


class NeutronType(ResourceType, extends=True):
    service: ClassVar[str | None] = "neutron"
