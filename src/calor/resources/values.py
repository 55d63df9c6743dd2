"""Type aliases for the untyped values of templates and services."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Properties = Mapping[str, Any]
"""The properties of a resource by name, typed by its schema."""
JsonMapping = Mapping[str, Any]
"""A read-only JSON object."""
JsonObject = dict[str, Any]
"""A JSON object: the body of a request or response, a template, a definition."""
