from typing import ClassVar

from calor.language.schema import ResourceType


class NeutronType(ResourceType):
    service: ClassVar[str | None] = "neutron"
