"""Custom constraints that really look things up, in the name of whoever asks for a stack."""

from __future__ import annotations

from typing import Any

from calor.clouds.errors import CloudError, Conflict, Forbidden, NotFound, Transient
from calor.clouds.lookups import SHELVES, Lookups, names
from calor.clouds.services import Services
from calor.language.constraints import CustomCheck
from calor.language.diagnostics import closest
from calor.service.errors import ServiceError

OPTIONAL = frozenset({"nova.keypair"})
"""What may also be named by nothing."""


class LiveConstraints:
    """Judges values as a `CustomCheck`, each once. What exists is remembered for others of the project, too."""

    def __init__(self, services: Services, lookups: Lookups, by_form: CustomCheck) -> None:
        self._services = services
        self._lookups = lookups
        self._by_form = by_form
        self._judged: dict[tuple[str, str], str | None] = {}
        self.missing: dict[str, str] = {}
        """Values that nobody could look up, by the service that the catalog does not have."""

    def __call__(self, name: str, value: Any) -> str | None:
        problem = self._by_form(name, value)
        if problem is not None or name not in SHELVES or (name in OPTIONAL and not value):
            return problem
        key = name, str(value)
        if key not in self._judged:
            self._judged[key] = self._looked_up(*key)
        return self._judged[key]

    def _looked_up(self, kind: str, value: str) -> str | None:
        shelf = SHELVES[kind]
        if not self._services.has(shelf.service):
            self.missing.setdefault(shelf.service, value)
            return None
        try:
            self._lookups.id_of(self._services, kind, value)
        except NotFound:
            found = f"The {shelf.what} ({value}) could not be found."
            return f"Error validating value '{value}': {found}{self._suggestion(kind, value)}"
        except Conflict as error:
            return f"Error validating value '{value}': {error}"
        except Forbidden:
            # Who must not look may still be allowed to use it: that shows when it is used.
            return None
        except Transient as error:
            message = f"The {shelf.what} {value!r} cannot be looked up at present: {error.message}"
            raise ServiceError("HTTPServiceUnavailable", message) from None
        except CloudError as error:
            return f"Error validating value '{value}': {error.message}"
        return None

    def zones(self) -> tuple[str, ...]:
        """The availability zones for servers; none where there is no service that has them. Raises ServiceError."""
        if not self._services.has("compute"):
            return ()
        try:
            return self._lookups.zones(self._services)
        except CloudError as error:
            message = f"The availability zones cannot be looked up at present: {error.message}"
            raise ServiceError("HTTPServiceUnavailable", message) from None

    def _suggestion(self, kind: str, value: str) -> str:
        try:
            match = closest(value, names(self._services, kind))
        except CloudError:
            return ""
        return f" Did you mean {match}?" if match else ""

    def check_services(self) -> None:
        """Raises ServiceError if something could not be looked up for want of a service."""
        for service, value in self.missing.items():
            message = (
                f"Error validating value '{value}': the cloud has no {service} service to look it up in."
            )
            raise ServiceError("StackValidationFailed", message)
