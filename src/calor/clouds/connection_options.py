"""How to connect to each service, as configured by the operator."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

Verify = bool | str
"""Whether certificates are verified, or the CA file to verify them with."""


@dataclass(frozen=True, slots=True)
class ServiceOptions:
    """The options of one service; None uses the options for all."""

    interface: str | None = None
    verify: Verify | None = None
    certificate: tuple[str, str] | None = None
    """The client certificate and key."""
    url: str | None = None
    """The service's URL instead of the catalog's; `%(project_id)s` stands for the project."""

    def address(self, project_id: str | None) -> str | None:
        if self.url is None:
            return None
        return re.sub(r"[%$]\((project_id|tenant_id)\)s", project_id or "", self.url)


@dataclass(frozen=True, slots=True)
class ConnectionOptions:
    services: Mapping[str, ServiceOptions] = field(default_factory=dict)
    """By service type."""
    certificate: tuple[str, str] | None = None
    """The client certificate and key for all services but the identity service."""
    shared_region: str | None = None
    shared_types: frozenset[str] = frozenset()
    """The types of services that are always used from the shared region."""
    newest: Mapping[str, str] = field(default_factory=dict)
    """The newest microversion to use, by the short name of the service."""

    def of(self, service_type: str) -> ServiceOptions:
        return self.services.get(service_type) or ServiceOptions()

    def region(self, service_type: str, default: str | None) -> str | None:
        shared = self.shared_region is not None and service_type in self.shared_types
        return self.shared_region if shared else default

    def limit_version(self, service: str, version: str) -> str:
        """The microversion, or the newest allowed one if that is older."""
        return min(version, self.newest.get(service, version), key=_numbers)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def root_of(url: str) -> str:
    """The part of a service's URL that is the same for all projects and versions."""
    return re.split(r"/v\d", url, maxsplit=1)[0].rstrip("/") + "/"
