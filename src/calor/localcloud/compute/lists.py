"""Lists of the compute service."""

from __future__ import annotations

from calor.localcloud.lists import ListStyle
from calor.localcloud.problems import BadRequest

STYLE = ListStyle(lambda marker: BadRequest(f"marker [{marker}] not found"), default_limit=1000, largest=1000)
