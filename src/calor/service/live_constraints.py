"""Custom constraints that look up objects in the cloud, with the caller's rights."""

from __future__ import annotations

from typing import Any

from calor.clouds.errors import CloudError, Conflict, Forbidden, NotFound, Transient
from calor.clouds.lookups import Lookup, Lookups, names
from calor.clouds.services import Services
from calor.language.constraints import CustomCheck
from calor.language.diagnostics import closest
from calor.service.errors import ServiceError

OPTIONAL = frozenset({"nova.keypair"})
"""The constraints that allow an empty value."""


class LiveConstraints:
    """A `CustomCheck` that checks each value once. Existing objects are cached for the whole project."""

    def __init__(self, services: Services, lookups: Lookups, by_form: CustomCheck) -> None:
        self._services = services
        self._lookups = lookups
        self._by_form = by_form
        self._checked: dict[tuple[str, str], str | None] = {}
        self.missing: dict[str, str] = {}
        """Values that could not be looked up, by the service that is missing in the catalog."""

    def __call__(self, name: str, value: Any) -> str | None:
        problem = self._by_form(name, value)
        if problem is not None or (name in OPTIONAL and not value):
            return problem
        lookup = self._lookups.of(name)
        if lookup is None:
            return None
        key = name, str(value)
        if key not in self._checked:
            self._checked[key] = self._check(lookup, *key)
        return self._checked[key]

    def _check(self, lookup: Lookup, kind: str, value: str) -> str | None:
        try:
            if not self._services.has(lookup.service):
                self.missing.setdefault(lookup.service, value)
                return None
            self._lookups.id_of(self._services, kind, value)
        except NotFound:
            found = f"The {lookup.what} ({value}) could not be found."
            return f"Error validating value '{value}': {found}{self._suggestion(lookup, value)}"
        except Conflict as error:
            return f"Error validating value '{value}': {error}"
        except Forbidden:
            # A caller who may not read an object may still be allowed to use it.
            return None
        except Transient as error:
            message = f"The {lookup.what} {value!r} cannot be looked up at present: {error.message}"
            raise ServiceError("HTTPServiceUnavailable", message) from None
        except CloudError as error:
            return f"Error validating value '{value}': {error.message}"
        return None

    def zones(self) -> tuple[str, ...]:
        """The availability zones for servers; none without a compute service. Raises ServiceError."""
        try:
            return self._lookups.zones(self._services) if self._services.has("compute") else ()
        except CloudError as error:
            message = f"The availability zones cannot be looked up at present: {error.message}"
            raise ServiceError("HTTPServiceUnavailable", message) from None

    def _suggestion(self, lookup: Lookup, value: str) -> str:
        try:
            match = closest(value, names(self._services, lookup))
        except CloudError:
            return ""
        return f" Did you mean {match}?" if match else ""

    def check_services(self) -> None:
        """Raises ServiceError if a value could not be looked up because a service is missing."""
        for service, value in self.missing.items():
            message = (
                f"Error validating value '{value}': the cloud has no {service} service for looking it up."
            )
            raise ServiceError("StackValidationFailed", message)
