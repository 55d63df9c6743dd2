"""The types of JSON objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

JsonMapping = Mapping[str, Any]

JsonObject = dict[str, Any]
