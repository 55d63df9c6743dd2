"""What types of several services have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from calor.language.schema import ResourceType


class NestedStackType(ResourceType):
    nested_stack = True
    deferred_auth = True
    carries: ClassVar[Mapping[str, int]] = {}
    """Properties that hold values for the members, and how deep in them these begin. A plan can tell what becomes
    of the members even where such a value is not known yet."""
    draws_names: ClassVar[bool] = False
    """Whether members get names by chance when they are made."""


class SignalledType(ResourceType):
    """A signal comes without the stack owner's token: a user of the resource's own sends it, and what it sets
    off runs with deferred credentials."""

    takes_signals = True
    owns_user = True
    deferred_auth = True
