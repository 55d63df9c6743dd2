"""How single services are reached, where an operator says so for each of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

Verify = bool | str
"""Whether certificates are checked, or the file with the authorities by which they are."""


@dataclass(frozen=True, slots=True)
class Reach:
    """What holds for one service; None where it is as for all."""

    interface: str | None = None
    verify: Verify | None = None
    certificate: tuple[str, str] | None = None
    """The certificate and key that the service wants to see."""
    url: str | None = None
    """Where the service is, whatever the catalog says; `%(project_id)s` stands for the project."""

    def address(self, project_id: str | None) -> str | None:
        if self.url is None:
            return None
        return re.sub(r"[%$]\((project_id|tenant_id)\)s", project_id or "", self.url)


@dataclass(frozen=True, slots=True)
class Reaching:
    services: Mapping[str, Reach] = field(default_factory=dict)
    """By the type that the catalog has."""
    certificate: tuple[str, str] | None = None
    """What all services but the identity service are shown."""
    shared_region: str | None = None
    shared_types: frozenset[str] = frozenset()
    """The types of services that are always those of the shared region."""
    newest: Mapping[str, str] = field(default_factory=dict)
    """The newest microversion to ask for, by the short name of the service."""

    def of(self, service_type: str) -> Reach:
        return self.services.get(service_type) or Reach()

    def region(self, service_type: str, otherwise: str | None) -> str | None:
        shared = self.shared_region is not None and service_type in self.shared_types
        return self.shared_region if shared else otherwise

    def capped(self, service: str, version: str) -> str:
        """The microversion, or the newest that may be asked for if that is older."""
        return min(version, self.newest.get(service, version), key=_numbers)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def root_of(url: str) -> str:
    """The part of a service's address that is the same for all projects."""
    return re.split(r"/v\d", url, maxsplit=1)[0].rstrip("/") + "/"
