"""Names for the types of values that come from or go to clients."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
"""A JSON object: a body, or a part of one."""
